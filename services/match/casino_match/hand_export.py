"""The hands of a match as neutral hand histories: played again from the actions of its blocks.

Also completes a hand of a file with what follows from its cards by the same rules.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, get_args

from casino_games.cards import NAMES, card_from_text
from casino_games.holdem import Hand
from casino_games.holdem.hand import award, build_pots
from casino_games.holdem.ranking import class_name, rank_showdown
from casino_histories import Action, ForcedBet, HandHistory, Pot, SeatedPlayer, Share, ShownCards
from casino_histories.completed_hand import ForcedKind, Kind

from casino_match.domain.block import PlayedBlock
from casino_match.domain.plan import Plan, seatings_of
from casino_match.errors import StoreFailed
from casino_match.match_directory import MatchDirectory
from casino_match.play.match_hand import replay

_FORCED: dict[str, ForcedKind] = {kind.replace("-", "_"): kind for kind in get_args(ForcedKind)}
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}

_DIGEST = slice(len("sha256:"), len("sha256:") + 8)
_BOARD = 5


class HandName(NamedTuple):
    """What identifies a hand, and who played it."""

    hand_id: str
    table: str
    number: int
    players: Sequence[str]
    """The names by seat, from the first left of the button."""


def history_of(
    hand: Hand, name: HandName, stacks: Sequence[int], blinds: tuple[int, int], ante: int = 0
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


class MatchHands:
    """Names and plays again the hands of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = [player.name for player in plan.players]
        self._seatings = seatings_of(len(self._names), plan.deal.seatings)
        self._id = f"{plan.name}-{plan.digest[_DIGEST]}"

    def of_block(self, block: PlayedBlock) -> Iterator[HandHistory]:
        """Yield the hands of a block, deck by deck; raises StoreFailed as `hand`."""
        for deck in block.decks:
            for seating, actions in enumerate(deck.hands):
                yield self.hand(deck.number, seating, actions)

    def hand(self, deck: int, seating: int, actions: str) -> HandHistory:
        """Return a hand, numbered within the plan, with a unique id; raises StoreFailed."""
        rules, seats = self._plan.rules, self._seatings[seating]
        number = deck * len(self._seatings) + seating + 1
        return history_of(
            replay(self._plan, deck, seating, actions),
            HandName(
                f"{self._id}/{number}",
                self._plan.name,
                number,
                [self._names[player] for player in seats],
            ),
            [rules.stack] * len(seats),
            (rules.small_blind, rules.big_blind),
            rules.ante,
        )


def hands_of_match(path: Path) -> Iterator[HandHistory]:
    """Yield the hands of the blocks before the first gap, in order; raises StoreFailed."""
    directory = MatchDirectory(path)
    written = directory.read_plan()
    if written is None:
        raise StoreFailed(f"{path} holds no match: there is no plan.json")
    hands = MatchHands(written.plan)
    for block in directory.blocks(written.plan).in_order():
        yield from hands.of_block(block)


def ranked(hand: HandHistory) -> HandHistory:
    """Return the hand with what follows from its cards."""
    if len(hand.board) != _BOARD or not hand.has_showdown:
        return hand
    board = tuple(map(card_from_text, hand.board))
    live = [seat for seat in hand.live if hand.seats[seat].cards]
    holes = []
    for seat in live:
        first, second = map(card_from_text, hand.seats[seat].cards)
        holes.append((first, second))
    ranks = dict(zip(live, rank_showdown(board, holes), strict=True))
    shown = tuple(
        item if item.rank_name else item._replace(rank_name=class_name(ranks[item.seat]))
        for item in hand.shown
        if item.seat in ranks
    )
    pots = hand.pots
    if not pots and len(live) == len(hand.live):
        awards = [award(pot, ranks) for pot in build_pots(hand.contested, live, hand.pot)]
        pots = tuple(
            Pot(pot.amount, tuple(Share(seat, amount) for seat, amount in pot.winners))
            for pot in awards
        )
    return replace(hand, shown=shown, pots=pots)
