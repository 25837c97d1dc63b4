"""Hands of a match: played again from its blocks, with names, cards and chips."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from casino_histories import HandHistory, all_read
from casino_histories.history_files import read_hands
from casino_histories.open_hand_history import ohh_text
from casino_histories.phh import phh
from casino_histories.pokerstars_writer import pokerstars_text
from casino_match.domain.plan import Plan
from casino_match.errors import StoreFailed
from casino_match.hand_export import MatchHands
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from casino_match.run.stored_match import describe_of
from support.histories.hand_facts import facts
from support.match import plans

SIX = ("random", "tight", "caller", "maniac", "random", "tight")


def plan_of(*styles: str, ante: int = 0) -> Plan:
    """Return a plan of two decks between sample styles."""
    return plans.plan_of([f"style:{style}" for style in styles], 2, rules={"ante": ante})


def played(plan: Plan) -> tuple[list[HandHistory], tuple[int, ...]]:
    """Return the hands of the first block, and what each player has won in it."""
    block = play_block(plan, 0, local_players(plan, Path()))
    net = tuple(map(sum, zip(*(deck.net for deck in block.decks), strict=True)))
    return list(MatchHands(plan).of_block(block)), net


@pytest.mark.parametrize("styles", [SIX[:2], SIX])
def test_every_hand_has_its_players_and_chips(styles: tuple[str, ...]) -> None:
    """The nets of the hands are those of the block; every player is in every seat."""
    plan = plan_of(*styles, ante=1)
    hands, net = played(plan)
    assert [hand.number for hand in hands] == list(range(1, 2 * len(styles) + 1))
    assert len({hand.hand_id for hand in hands}) == len(hands)
    won = dict.fromkeys((player.name for player in plan.players), 0)
    for hand in hands:
        assert hand.is_settled
        assert hand.ante == 1
        for seat, stack in zip(hand.seats, hand.finishing_stacks, strict=True):
            won[seat.name] += stack - seat.stack
            assert len(seat.cards) == 2
    assert tuple(won.values()) == net
    first_deck = hands[: len(styles)]
    assert {hand.seats[0].name for hand in first_deck} == {who.name for who in plan.players}
    assert len({hand.seats[0].cards for hand in first_deck}) == 1, "the deck is the same"


@pytest.mark.parametrize("write", [phh, ohh_text, pokerstars_text])
def test_every_hand_comes_back(write: Callable[[HandHistory], str]) -> None:
    for styles in (SIX[:2], SIX):
        for hand in played(plan_of(*styles, ante=1))[0]:
            (back,) = all_read(read_hands(write(hand).encode()))
            assert facts(back) == facts(hand)


def test_ids_differ_between_plans() -> None:
    """Two exports can be put into one database."""
    one, _ = played(plan_of("caller", "tight"))
    two, _ = played(plan_of("caller", "tight", ante=1))
    assert not {hand.hand_id for hand in one} & {hand.hand_id for hand in two}


def test_a_notable_hand_is_described_by_its_text() -> None:
    plan = plan_of("maniac", "caller")
    hands, _ = played(plan)
    block = play_block(plan, 0, local_players(plan, Path()))
    text = describe_of(plan)(1, 0, block.decks[1].hands[0])
    assert (text.pot, text.history) == (hands[2].pot, phh(hands[2]))
    assert tomllib.loads(text.history)["_hand_id"] == hands[2].hand_id


def test_actions_that_cannot_be_are_refused() -> None:
    """A block that was changed is not exported as if it had been played."""
    hands = MatchHands(plan_of("caller", "tight"))
    with pytest.raises(StoreFailed, match="deck 0, seating 1: action 1"):
        hands.hand(0, 1, "cbr1")
