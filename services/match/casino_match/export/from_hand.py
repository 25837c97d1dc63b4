"""A completed hand of the engine as a neutral hand history. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from casino_games.cards import NAMES
from casino_games.holdem import Hand
from casino_games.holdem.ranking import class_name
from casino_histories import (
    Action,
    ForcedBet,
    HandHistory,
    Pot,
    SeatedPlayer,
    Share,
    ShownCards,
)
from casino_histories.hand import ForcedKind, Kind

_FORCED: dict[str, ForcedKind] = {
    "ante": "ante",
    "small_blind": "small-blind",
    "big_blind": "big-blind",
}
_KINDS: dict[str, Kind] = {
    "fold": "fold",
    "check": "check",
    "call": "call",
    "bet": "bet",
    "raise": "raise",
}


class HandName(NamedTuple):
    """What identifies a hand, and who played it."""

    hand_id: str
    table: str
    number: int
    players: Sequence[str]
    """The names by seat, from the first left of the button."""


def history_of(
    hand: Hand,
    name: HandName,
    stacks: Sequence[int],
    blinds: tuple[int, int],
    ante: int = 0,
) -> HandHistory:
    """Return a completed hand; `stacks` are those before the forced bets, by seat."""
    board = tuple(NAMES[card] for card in hand.board)
    seats = tuple(
        SeatedPlayer(
            player,
            player,
            number,
            stacks[number],
            tuple(NAMES[card] for card in hand.hole_of(number)),
        )
        for number, player in enumerate(name.players)
    )
    return HandHistory(
        hand_id=name.hand_id,
        table=name.table,
        number=name.number,
        seats=seats,
        small_blind=blinds[0],
        big_blind=blinds[1],
        ante=ante,
        forced=tuple(
            ForcedBet(seat, _FORCED[kind], paid) for seat, kind, paid in hand.forced_bets if paid
        ),
        actions=tuple(_actions(hand, blinds[1])),
        board=board,
        shown=tuple(
            ShownCards(seat, seats[seat].cards, class_name(hand.ranks[seat])) for seat in hand.shown
        ),
        pots=tuple(
            Pot(pot.amount, tuple(Share(seat, amount) for seat, amount in pot.winners))
            for pot in hand.awards
        ),
        returned=Share(*hand.uncalled) if hand.uncalled else None,
    )


def _actions(hand: Hand, big_blind: int) -> list[Action]:
    """Return the decisions; an all-in is a call, a bet or a raise by its chips."""
    street, price = 0, big_blind
    bets = [0] * len(hand.stacks)
    for seat, forced, paid in hand.forced_bets:
        if forced != "ante":
            bets[seat] = paid
    actions: list[Action] = []
    for seat, at, word, _, paid, stack, _ in hand.actions:
        if at != street:
            street, price = at, 0
            bets = [0] * len(bets)
        total = bets[seat] + paid
        kind = _KINDS.get(word) or ("call" if total <= price else "raise" if price else "bet")
        bets[seat] = total
        price = max(price, total)
        actions.append(Action(seat, at, kind, total, paid, stack == 0 and paid > 0))
    return actions
