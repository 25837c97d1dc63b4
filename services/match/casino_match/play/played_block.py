"""A block of a match, played by players of this process.

With functions, which may never return, it is played in a thread. A function that takes longer than
the clock and the plan's patience is left to itself, and an exception is raised in it, which ends a
loop of Python; the match is suspended, with the name of the function.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from casino_games.holdem import Hand
from casino_play.bot_file import abandon

from casino_match.domain.block import PlayedBlock, PlayedDeck
from casino_match.domain.plan import Plan, Seating, deck_of, seatings_of
from casino_match.errors import MatchSuspended
from casino_match.luck.luck_controls import CONTROLS, controls_of
from casino_match.play.decision_counter import DecisionCounter
from casino_match.play.match_hand import (
    check_chips,
    deal_hand,
    decisions,
    dice_seed,
    names_of,
    seed_generators,
)
from casino_match.players.match_player import HandPlace, Player

ResultT = TypeVar("ResultT")
Now = Callable[[], float]

_LOOKS: Final = 4
"""How often it is looked within the limit."""
_LONGEST_PAUSE_S: Final = 1.0


def watched(
    play: Callable[[], ResultT], players: Sequence[Player], plan: Plan, now: Now = time.monotonic
) -> ResultT:
    """Return or raise what `play` does; raises MatchSuspended after the clock and the patience."""
    limit_s = (plan.rules.clock + plan.faults.patience).total_seconds()
    results: list[ResultT] = []
    errors: list[BaseException] = []
    is_over = threading.Event()

    def run() -> None:
        try:
            results.append(play())
        except BaseException as error:  # noqa: BLE001  raised again below
            errors.append(error)
        finally:
            is_over.set()

    thread = threading.Thread(target=run, name="block", daemon=True)
    thread.start()
    try:
        while not is_over.wait(min(limit_s / _LOOKS, _LONGEST_PAUSE_S)):
            _check_time(players, limit_s, now)
    except BaseException:
        threading.Thread(target=abandon, args=(thread,), name="ending", daemon=True).start()
        raise
    if errors:
        raise errors[0]
    return results[0]


def _check_time(players: Sequence[Player], limit_s: float, now: Now) -> None:
    for player in players:
        since = player.busy_since
        if since is not None and (took_s := now() - since) > limit_s:
            raise MatchSuspended(
                f"{player.name} has not returned for {took_s:.3g} s, in {player.place}: look for a"
                " loop or a wait without end. The same command goes on with the match: the block"
                " that was being played is played anew"
            )


_DECIMALS = 6
"""Of the controls' sums: so that the same block is the same bytes on every machine."""


def play_block(plan: Plan, number: int, players: Sequence[Player]) -> PlayedBlock:
    """Play every deck in every seating; raises PlayerWrong, PlayerFailed, MatchSuspended."""
    if any(player.runs_code for player in players):
        return watched(lambda: _played(plan, number, players), players, plan)
    return _played(plan, number, players)


def _played(plan: Plan, number: int, players: Sequence[Player]) -> PlayedBlock:
    seatings = seatings_of(len(players), plan.deal.seatings)
    conduct = DecisionCounter(plan, seatings)
    try:
        for player in players:
            player.begin_block(len(seatings))
        decks = tuple(
            _played_deck(plan, deck, seatings, players, conduct) for deck in plan.decks_of(number)
        )
    finally:
        for player in players:
            player.end_block()
    return PlayedBlock(plan.digest, number, decks, conduct.finish())


def _played_deck(
    plan: Plan,
    deck: int,
    seatings: Sequence[Seating],
    players: Sequence[Player],
    conduct: DecisionCounter,
) -> PlayedDeck:
    rules, count = plan.rules, len(players)
    cards = deck_of(plan.deal.seed, deck, count)
    names = names_of(plan, deck)
    dice = dice_seed(plan.deal.seed, deck) if any(who.runs_code for who in players) else None
    hands: list[tuple[Hand, str]] = []
    for index, seating in enumerate(seatings):
        place = HandPlace(deck, index)
        for player in players:
            player.begin_hand(place)
        if dice is not None:
            seed_generators(dice)
        hand = deal_hand(rules, cards, count)
        course = decisions(hand, names)
        try:
            seat, question = next(course)
            while True:
                who = seating[seat]
                decided = players[who].decide(question)
                conduct.decided(who, decided)
                seat, question = course.send(decided)
        except StopIteration as ended:
            actions: str = ended.value
        hands.append((hand, actions))
    return settled_deck(plan, deck, seatings, hands, conduct)


def settled_deck(
    plan: Plan,
    deck: int,
    seatings: Sequence[Seating],
    hands: Sequence[tuple[Hand, str]],
    conduct: DecisionCounter,
) -> PlayedDeck:
    """Return what came of a deck, and count its conduct; `hands` are over, with their actions."""
    rules, count = plan.rules, len(plan.players)
    controls = [[0.0] * len(CONTROLS) for _ in range(count)]
    nets: list[tuple[int, ...]] = []
    for index, (seating, (hand, actions)) in enumerate(zip(seatings, hands, strict=True)):
        check_chips(hand, rules, HandPlace(deck, index))
        conduct.played(hand, index, actions)
        net = [0] * count
        for seat, luck in enumerate(controls_of(hand)):
            who = seating[seat]
            net[who] = hand.stacks[seat] - rules.stack
            if any(luck):
                controls[who] = [sum(pair) for pair in zip(controls[who], luck, strict=True)]
        nets.append(tuple(net))
    return PlayedDeck(
        number=deck,
        net=tuple(map(sum, zip(*nets, strict=True))),
        # + 0.0 makes 0.0 of -0.0
        controls=tuple(tuple(round(luck, _DECIMALS) + 0.0 for luck in row) for row in controls),
        hands=tuple(actions for _, actions in hands),
        nets=tuple(nets),
    )
