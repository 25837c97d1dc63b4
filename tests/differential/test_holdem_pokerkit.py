"""Hold'em against pokerkit, decision by decision, on random hands.

pokerkit 0.7.7 deviates from the strict rules in known situations. They are recognized by the
situation, never by the disagreement: such a hand ends there, and is counted. Everything else must
agree.
"""

import random
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import pytest
from casino_games.cards import DECK, cards_to_text
from casino_games.holdem import Hand
from casino_games.holdem.betting import NOBODY
from casino_games.holdem.hand import cards_needed, deal
from pokerkit import Automation, Card, CardsLike, NoLimitTexasHoldem, StandardHighHand, State
from pokerkit.hands import Hand as RankedHand

SEED = 20_261_120
MOST_SKIPPED = 0.08
"""The largest share of all hands that may be left because of a known deviation."""
AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
Deviation = Literal[
    "short big blind",
    "short big-blind ante",
    "short all-in after a limp or a check",
    "several odd chips",
    "odd chips in side pots",
]
DEVIATIONS = get_args(Deviation)


class RankedOnce(StandardHighHand):
    """pokerkit's hand of five cards; it asks for that of the same seven cards again and again."""

    @classmethod
    def from_game(cls, hole_cards: CardsLike, board_cards: CardsLike = ()) -> RankedHand:
        """Return the best hand; raises ValueError if there are too few cards."""
        return _best(Card.clean(hole_cards), Card.clean(board_cards))


@lru_cache(maxsize=64)
def _best(hole: tuple[Card, ...], board: tuple[Card, ...]) -> RankedHand:
    return StandardHighHand.from_game(hole, board)


class TheirGame(NoLimitTexasHoldem):
    hand_types = (RankedOnce,)


class Table(NamedTuple):
    """The start of a hand, by seat."""

    stacks: list[int]
    blinds: tuple[int, int]
    antes: list[int]
    ante_is_dead: bool
    deck: list[int]


def draw_table(generator: random.Random) -> Table:
    """Draw a table of 2 to 10 seats, uneven stacks, and antes in every second hand."""
    seats = generator.choice((2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10))
    blinds = ((50, 100), (1, 2), (5, 10), (10, 25), (0, 100))
    small_blind, big_blind = generator.choice(blinds)
    depth = generator.choice((2, 10, 40, 200))
    stacks = [generator.randint(1, depth * big_blind) for _ in range(seats)]
    kind = generator.choice(("none", "none", "all", "big blind"))
    ante = generator.randint(1, big_blind)
    antes = [ante if kind == "all" else 0] * seats
    big_seat = big_seat_of(seats, small_blind)
    if kind == "big blind":
        antes[big_seat] = ante
    if generator.random() < 0.98:  # mostly the blind can be paid, else most hands were skipped
        stacks[big_seat] += ante + big_blind
    deck = generator.sample(DECK, cards_needed(seats))
    return Table(stacks, (small_blind, big_blind), antes, kind == "big blind", deck)


def big_seat_of(seats: int, small_blind: int) -> int:
    """Return the seat of the big blind: the first where the small blind is dead or the button's."""
    return 0 if seats == 2 or not small_blind else 1


def our_hand(table: Table) -> Hand:
    holes, board = deal(table.deck, len(table.stacks))
    return Hand(
        table.stacks,
        table.blinds,
        holes,
        board,
        antes=table.antes,
        ante_is_dead=table.ante_is_dead,
    )


def their_hand(table: Table) -> State:
    """Return pokerkit's hand at this table, with the same cards to come."""
    heads_up = len(table.stacks) == 2
    return TheirGame.create_state(
        AUTOMATIONS,
        ante_trimming_status=not table.ante_is_dead,
        raw_antes=tuple(reversed(table.antes) if len(table.antes) == 2 else table.antes),
        raw_blinds_or_straddles=table.blinds if table.blinds[0] or heads_up else table.blinds[1:],
        min_bet=table.blinds[1],
        raw_starting_stacks=tuple(table.stacks),
        player_count=len(table.stacks),
    )


def follow(state: State, table: Table) -> None:
    """Deal and show in pokerkit everything before its next decision."""
    holes, board = deal(table.deck, len(table.stacks))
    while state.status and state.actor_index is None:
        if state.can_burn_card("??"):
            state.burn_card("??")
        elif state.hole_dealee_index is not None:
            seat = state.hole_dealee_index
            state.deal_hole(cards_to_text(holes[seat]), seat)
        elif state.can_deal_board():
            dealt = len(list(state.get_board_cards(0)))
            count = state.board_dealing_count or 0
            state.deal_board(cards_to_text(board[dealt : dealt + count]))
        else:
            state.show_or_muck_hole_cards(True)  # all show: mucks would merge its side pots


def deviation_at_the_deal(table: Table) -> Deviation | None:
    """Recognize the known deviations of a table from the start."""
    big_seat = big_seat_of(len(table.stacks), table.blinds[0])
    stack, ante, big_blind = table.stacks[big_seat], table.antes[big_seat], table.blinds[1]
    if table.ante_is_dead:
        return "short big-blind ante" if stack < big_blind + ante else None
    return "short big blind" if stack - ante < big_blind else None


def deviation_at_the_decision(hand: Hand) -> Deviation | None:
    """Recognize a short all-in that pokerkit treats as a full bet.

    On this street there was no bet or raise (but the blind) except short all-ins, and the actor,
    who has acted already and has chips beyond the call, must answer less than a full raise from
    which another seat with chips could be raised.
    """
    price = hand.big_blind if hand.street == 0 else 0
    has_acted = is_short = False
    for seat, street, _, amount, *_ in hand.actions:
        if street == hand.street:
            has_acted |= seat == hand.actor
            if amount is not None and amount > price:
                if amount - price >= hand.big_blind:
                    return None
                is_short = True
                price = amount
    facing = price - hand.bets[hand.actor]
    could_raise = facing < hand.stacks[hand.actor] and any(
        hand.with_chips >> seat & 1 and stack + hand.bets[seat] > price
        for seat, stack in enumerate(hand.stacks)
        if seat != hand.actor
    )
    if has_acted and is_short and facing < hand.big_blind and could_raise:
        return "short all-in after a limp or a check"
    return None


def deviation_at_the_end(hand: Hand) -> Deviation | None:
    """Recognize splits whose odd chips pokerkit gives to other players.

    It gives all odd chips of a pot to one seat; and it merges pots that have the same contenders
    once the hands that win nothing are out.
    """
    rests = [pot.amount % len(pot.winners) for pot in hand.awards]
    if max(rests) > 1:
        return "several odd chips"
    winning = {seat for pot in hand.awards for seat, _ in pot.winners}
    contenders = {frozenset(winning.intersection(pot.eligible)) for pot in hand.awards}
    if max(rests) > 0 and len(contenders) < len(hand.awards):
        return "odd chips in side pots"
    return None


def decide(generator: random.Random, hand: Hand, state: State) -> None:
    draw = generator.random()
    least, most = hand.min_raise_to, hand.max_raise_to
    if hand.to_call and draw < 0.12:
        hand.fold()
        state.fold()
    elif not least or draw < 0.65:
        if hand.to_call:
            hand.call()
        else:
            hand.check()
        state.check_or_call()
    else:
        if draw < 0.80:
            amount = least
        elif draw < 0.92:
            amount = generator.randint(least, min(most, 4 * least))
        else:
            amount = most
        hand.raise_to(amount)
        state.complete_bet_or_raise_to(amount)


def compare(generator: random.Random, table: Table, forced_checks: list[int]) -> Deviation | None:
    """Play one hand in both; return the deviation that ended it, if any."""
    deviation = deviation_at_the_deal(table)
    if deviation:
        return deviation
    hand, state = our_hand(table), their_hand(table)
    while True:
        follow(state, table)
        if hand.is_over and state.actor_index is not None:
            # A question that has one answer: everybody else is all-in, and nothing is to call.
            assert not state.checking_or_calling_amount
            assert state.min_completion_betting_or_raising_to_amount is None
            state.check_or_call()
            forced_checks[0] += 1
            continue
        if hand.is_over:
            break
        deviation = deviation_at_the_decision(hand)
        if deviation:
            return deviation
        theirs = (
            state.actor_index,
            state.checking_or_calling_amount,
            state.min_completion_betting_or_raising_to_amount or 0,
            state.max_completion_betting_or_raising_to_amount or 0,
        )
        assert theirs == (hand.actor, hand.to_call, hand.min_raise_to, hand.max_raise_to)
        assert state.total_pot_amount == hand.pot
        assert state.bets == hand.bets
        decide(generator, hand, state)
    assert not state.status
    assert hand.actor == NOBODY
    deviation = deviation_at_the_end(hand)
    if deviation:
        return deviation
    assert state.stacks == hand.stacks
    return None


@contextmanager
def description(number: int, table: Table) -> Iterator[None]:
    try:
        yield
    except AssertionError as failure:
        failure.add_note(f"hand {number} of seed {SEED}: {table}")
        raise


@pytest.mark.parametrize("hands", [500, pytest.param(5_000, marks=pytest.mark.full)])
def test_random_hands_agree_with_pokerkit(hands: int) -> None:
    """In actor, call, raise limits, bets and pot at every decision, and in the final stacks."""
    left: Counter[Deviation] = Counter()
    forced_checks = [0]
    compared = played = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pokerkit warns about cards that it did not shuffle
        while compared < hands:
            played += 1
            generator = random.Random(f"{SEED}/{played}")
            table = draw_table(generator)
            with description(played, table):
                deviation = compare(generator, table, forced_checks)
            if deviation:
                left[deviation] += 1
            else:
                compared += 1
    assert left.total() <= MOST_SKIPPED * played, left
    assert forced_checks[0] > 0
    if hands >= 5_000:
        assert set(left) == set(DEVIATIONS), "every deviation came up, so each is recognized"
