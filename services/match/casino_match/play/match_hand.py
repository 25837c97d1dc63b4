"""One hand of a match: its deal, its decisions in order, and how it is played again from its text.

`decisions` is the loop of a hand for every kind of player: it yields the seat and the question,
and receives the decision, from a driver that waits or does not.
"""

import random
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache
from typing import Final

from casino_contracts import ActionKind
from casino_games.cards import Card
from casino_games.errors import IllegalAction
from casino_games.holdem import Hand
from casino_games.holdem.hand import deal
from casino_games.shuffle import derive_seed
from casino_play.hand_questions import HandNames, HandQuestions, NamedPlayer

from casino_match.domain.plan import Plan, Rules, Seating, deck_of, seatings_of
from casino_match.errors import ChipsNotConserved, StoreFailed
from casino_match.players.match_player import Decided, HandPlace, Player

_BITS: Final = 0xFFFFFFFF

Decisions = Generator[tuple[int, HandQuestions], Decided, str]
"""Yields the deciding seat and its question, receives the decision, returns the actions."""
_ID_DIGITS: Final = 16
_ACTION: Final = re.compile(r"f|cc|cbr([1-9][0-9]{0,11})")


def dice_seed(seed: str, deck: int) -> int:
    """Return the seed of a deck's random numbers, the same in each seating: equal bots tie at 0."""
    return int(derive_seed(seed, "match dice", deck)[:16], 16)


def seed_generators(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & _BITS)


def deal_hand(rules: Rules, cards: Sequence[Card], seats: int) -> Hand:
    """Return the hand of a deck, in which every seat has the same stack."""
    holes, board = deal(cards, seats)
    antes = (rules.ante,) * seats if rules.ante else ()
    blinds = (rules.small_blind, rules.big_blind)
    return Hand((rules.stack,) * seats, blinds, holes, board, antes=antes)


@lru_cache(maxsize=8)
def table_id_of(seed: str) -> str:
    """Return the id of a match's table in questions: of its seed, which it does not show."""
    return "match-" + derive_seed(seed, "match table")[:_ID_DIGITS]


@lru_cache(maxsize=8)
def seated(seats: int) -> tuple[NamedPlayer, ...]:
    return tuple(NamedPlayer(f"seat-{seat}", f"Seat {seat}", seat) for seat in range(seats))


def names_of(plan: Plan, deck: int) -> HandNames:
    """Return a deck's names for players in process: of seats only, so that equals decide alike."""
    table_id = table_id_of(plan.deal.seed)
    return HandNames(table_id, f"{table_id}/{deck + 1}", deck + 1, seated(len(plan.players)))


def decisions(hand: Hand, names: HandNames) -> Decisions:
    """Yield the questions of a hand, and play what is decided; returns the actions as text."""
    question = HandQuestions(hand, names)
    actions: list[str] = []
    while not hand.is_over:
        decided = yield hand.actor, question
        actions.append(apply(hand, decided.kind, decided.amount))
    return " ".join(actions)


def apply(hand: Hand, kind: ActionKind, amount: int) -> str:
    """Play an action; returns `f`, `cc`, or `cbr` with its total. Raises `IllegalAction`."""
    if kind == "fold":
        hand.fold()
        return "f"
    if kind == "check":
        hand.check()
        return "cc"
    if kind == "call":
        hand.call()
        return "cc"
    if kind == "all-in":
        total = hand.max_raise_to
        hand.all_in()
        return f"cbr{total}" if total else "cc"
    hand.raise_to(amount)
    return f"cbr{amount}"


def check_chips(hand: Hand, rules: Rules, place: HandPlace) -> None:
    """Raise ChipsNotConserved unless the stacks add up."""
    seats = len(hand.stacks)
    if sum(hand.stacks) != seats * rules.stack:
        raise ChipsNotConserved(f"{place}: {sum(hand.stacks)} chips, not {seats * rules.stack}")


def play_hand(plan: Plan, place: HandPlace, players: Sequence[Player]) -> tuple[Hand, str]:
    """Play a hand alone, which memory of others may change; returns it and its actions."""
    seatings = seatings_of(len(plan.players), plan.deal.seatings)
    cards = deck_of(plan.deal.seed, place.deck, len(plan.players))
    hand = deal_hand(plan.rules, cards, len(plan.players))
    for player in players:
        player.begin_block(len(seatings))
    try:
        if any(player.runs_code for player in players):
            seed_generators(dice_seed(plan.deal.seed, place.deck))
        for player in players:
            player.begin_hand(place)
        names = names_of(plan, place.deck)
        text = driven(decisions(hand, names), seatings[place.seating], players)
    finally:
        for player in players:
            player.end_block()
    check_chips(hand, plan.rules, place)
    return hand, text


def driven(course: Decisions, seating: Seating, players: Sequence[Player]) -> str:
    try:
        seat, question = next(course)
        while True:
            seat, question = course.send(players[seating[seat]].decide(question))
    except StopIteration as ended:
        actions: str = ended.value
        return actions


def replay(plan: Plan, deck: int, seating: int, actions: str) -> Hand:
    """Return a hand that is over, from its actions; raises StoreFailed, which names the hand."""
    *_, (hand, _end) = steps(plan, deck, seating, actions)
    return hand


def steps(plan: Plan, deck: int, seating: int, actions: str) -> Iterator[tuple[Hand, str]]:
    """Yield the hand, one object, before each action, and last with no text; raises StoreFailed."""
    place = HandPlace(deck, seating)
    seats = len(plan.players)
    hand = deal_hand(plan.rules, deck_of(plan.deal.seed, deck, seats), seats)
    for number, action in enumerate(actions.split(), start=1):
        yield hand, action
        try:
            _play(hand, action)
        except (IllegalAction, ValueError) as error:
            raise StoreFailed(f"{place}: action {number}, {action!r}: {error}") from error
    if not hand.is_over:
        raise StoreFailed(f"{place}: the hand is not over after its last action")
    yield hand, ""


def _play(hand: Hand, action: str) -> None:
    match = _ACTION.fullmatch(action)
    if match is None:
        raise ValueError("an action is f, cc, or cbr with a total, such as cbr6")
    if action == "f":
        hand.fold()
    elif match[1]:
        hand.raise_to(int(match[1]))
    elif hand.to_call:
        hand.call()
    else:
        hand.check()
