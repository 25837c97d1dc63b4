"""A block follows from the plan, its number and the players, and its numbers agree."""

from pathlib import Path

import pytest
from casino_match.domain.block import Block
from casino_match.domain.block_json import block_digest
from casino_match.domain.plan import Plan
from casino_match.luck.controls import CONTROLS
from casino_match.play.block import play_block
from casino_match.play.hand import play_hand
from casino_match.play.positions import positions
from casino_match.play.replayed import replay
from casino_match.players.local import local_players
from casino_match.players.player import Place
from support.match.plans import CALLER, FOLDER, bot, plan_of

DRAWING = (
    "draw = random.random()\n"
    "if 'raise' in turn['legalActions'] and draw < 0.2:\n"
    "    return {'action': 'raise', 'amount': turn['minRaiseTo']}\n"
    "if 'fold' in turn['legalActions'] and draw < 0.5:\n"
    "    return {'action': 'fold'}\n" + CALLER
)


def played(plan: Plan, number: int = 0) -> Block:
    return play_block(plan, number, local_players(plan))


@pytest.mark.parametrize("ante", [0, 1])
def test_the_numbers_of_a_block_agree(ante: int) -> None:
    styles = ["style:random", "style:maniac", "style:tight", "style:caller"]
    block = played(plan_of(styles, 8, rules={"ante": ante, "stack": 60}))
    assert [deck.number for deck in block.decks] == list(range(8))
    for deck in block.decks:
        assert sum(deck.net) == 0
        assert len(deck.hands) == len(deck.nets) == 4
        assert tuple(map(sum, zip(*deck.nets, strict=True))) == deck.net
        assert all(len(luck) == len(CONTROLS) for luck in deck.controls)
    for index, conduct in enumerate(block.conduct):
        net = sum(deck.net[index] for deck in block.decks)
        assert sum(conduct.net.values()) == sum(conduct.ended_on.values()) == net
        assert conduct.hands == dict.fromkeys(positions(4), 8)
        assert conduct.latency.total == sum(conduct.outcomes.values())
    actions = sum(len(hand.split()) for deck in block.decks for hand in deck.hands)
    assert sum(conduct.outcomes["ok"] for conduct in block.conduct) == actions


def test_a_block_does_not_depend_on_what_was_played_before(tmp_path: Path) -> None:
    """The same bytes after other blocks by the same players, also of functions that draw."""
    drawing = bot(tmp_path, DRAWING, head="import random\ndef act(turn):")
    plan = plan_of([drawing, "style:random", drawing], 12, deal={"decks_per_block": 4})
    players = local_players(plan)
    in_order = [block_digest(play_block(plan, number, players)) for number in range(plan.blocks)]
    alone = [block_digest(played(plan, number)) for number in (2, 0, 1)]
    assert alone == [in_order[2], in_order[0], in_order[1]]
    assert len({*in_order}) == 3


def test_a_function_forgets_between_blocks(tmp_path: Path) -> None:
    """Its file is loaded anew: it counts its questions from 1 in each block."""
    body = (
        "global asked\nasked += 1\nassert turn['handNumber'] % 5 or asked <= 40, asked\n" + CALLER
    )
    counting = bot(tmp_path, body, head="asked = 0\ndef act(turn):")
    plan = plan_of([counting, "style:caller"], 10, deal={"decks_per_block": 5})
    players = local_players(plan)
    for number in range(2):
        assert play_block(plan, number, players).conduct[0].outcomes == {"ok": 40}


def test_what_a_function_remembers_is_of_no_use_in_the_other_seats(tmp_path: Path) -> None:
    """Each seating has a copy of its own: none sees a deck from two sides."""
    body = (
        "seen.setdefault(turn['handNumber'], turn['holeCards'])\n"
        "assert seen[turn['handNumber']] == turn['holeCards']\n" + CALLER
    )
    remembering = bot(tmp_path, body, head="seen = {}\ndef act(turn):")
    block = played(plan_of([remembering, "style:caller", "style:random"], 4))
    assert block.conduct[0].outcomes.keys() == {"ok"}


def test_every_order_of_the_players_can_be_played() -> None:
    """Six seatings of three players; each player is everywhere equally often."""
    styles = ["style:random", "style:tight", "style:maniac"]
    block = played(plan_of(styles, 3, deal={"seatings": "all"}))
    assert {len(deck.hands) for deck in block.decks} == {6}
    for conduct in block.conduct:
        assert conduct.hands == {"SB": 6, "BB": 6, "BTN": 6}


def test_a_hand_can_be_played_and_replayed_alone(tmp_path: Path) -> None:
    plan = plan_of([bot(tmp_path, FOLDER), "style:maniac", "style:random"], 5)
    block = played(plan)
    for seating in range(3):
        hand, text = play_hand(plan, Place(4, seating), local_players(plan))
        assert text == block.decks[4].hands[seating]
        again = replay(plan, 4, seating, text)
        assert (again.stacks, again.shown) == (hand.stacks, hand.shown)
        shifted = [block.decks[4].nets[seating][(seat + seating) % 3] for seat in range(3)]
        assert [stack - 200 for stack in again.stacks] == shifted


def test_heads_up_the_button_posts_the_small_blind(tmp_path: Path) -> None:
    """So it decides first; a player that always folds loses one small blind as the button."""
    block = played(plan_of([bot(tmp_path, FOLDER), "style:caller"], 6))
    assert block.conduct[0].net["BTN"] == -6
    assert all(deck.hands[1] == "f" for deck in block.decks)
