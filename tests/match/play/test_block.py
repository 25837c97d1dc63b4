"""A block follows from the plan, its number and the players; equal players tie at exactly 0."""

from pathlib import Path

import pytest
from casino_contracts.events.content import HandStarted
from casino_contracts.events.payload_fields import PostedBet
from casino_contracts.play_counts import PlayCounts, PlayedHand, count_hand, positions
from casino_games.holdem import Hand
from casino_lobby.service.own_hands import position_of
from casino_match.domain.block import PlayedBlock, block_digest
from casino_match.domain.plan import Plan, seatings_of
from casino_match.errors import StoreFailed
from casino_match.luck.luck_controls import CONTROLS
from casino_match.play.match_hand import play_hand, replay, steps
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from casino_match.players.match_player import HandPlace
from support.match.plans import CALLER, FOLDER, bot, plan_of

DRAWING = (
    "draw = random.random()\n"
    "if 'raise' in turn['legalActions'] and draw < 0.2:\n"
    "    return {'action': 'raise', 'amount': turn['minRaiseTo']}\n"
    "if 'fold' in turn['legalActions'] and draw < 0.5:\n"
    "    return {'action': 'fold'}\n" + CALLER
)


def played(plan: Plan, number: int = 0) -> PlayedBlock:
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
        hand, text = play_hand(plan, HandPlace(4, seating), local_players(plan))
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


PLAN = plan_of(["style:caller", "style:caller"])


def test_each_step_is_before_its_action() -> None:
    seen = [
        (hand.actor, hand.pot, action) for hand, action in steps(PLAN, 3, 1, "cc cbr6 cbr200 f")
    ]
    assert seen == [(1, 3, "cc"), (0, 4, "cbr6"), (1, 8, "cbr200"), (0, 206, "f"), (-1, 0, "")]
    assert replay(PLAN, 3, 1, "cc cbr6 cbr200 f").stacks == [194, 206]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cc cc cc cc cc cc cc", "not over after its last action"),
        ("f f", "deck 3, seating 1: action 2, 'f': the hand is over"),
        ("cbr3 f", "action 1, 'cbr3': raise to 3 is below the smallest raise, to 4"),
        ("cc r6", "action 2, 'r6': an action is f, cc, or cbr with a total"),
        ("cc cbr0", "action 2, 'cbr0'"),
        ("", "not over"),
    ],
)
def test_what_cannot_have_been_played_is_refused(text: str, message: str) -> None:
    with pytest.raises(StoreFailed, match=message):
        replay(PLAN, 3, 1, text)


STYLES = {"caller": 30, "maniac": 30, "random": 30, "tight": 30, "equity": 4}
"""Each style with a number of decks that takes it a fraction of a second."""


def nets(players: list[str], decks: int) -> list[int]:
    """Return what each player won or lost in a block; some hands must move chips."""
    plan = plan_of(players, decks)
    block = play_block(plan, 0, local_players(plan))
    assert any(any(net) for deck in block.decks for net in deck.nets)
    return [sum(deck.net[index] for deck in block.decks) for index in range(len(players))]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seats", [2, 6])
def test_equal_styles_tie(style: str, seats: int) -> None:
    decks = STYLES[style] if seats == 2 else max(1, STYLES[style] // 6)
    assert nets([f"style:{style}"] * seats, decks) == [0] * seats


@pytest.mark.parametrize("head", ["import random", "import numpy"])
@pytest.mark.parametrize("seats", [2, 3])
def test_equal_functions_that_draw_tie(tmp_path: Path, head: str, seats: int) -> None:
    """Random numbers of the modules are the same in each seating of a deck."""
    draw = "random.random()" if head == "import random" else "numpy.random.random()"
    body = (
        f"if 'raise' in turn['legalActions'] and {draw} < 0.3:\n"
        "    return {'action': 'raise', 'amount': turn['minRaiseTo']}\n"
        "return {'action': 'check' if 'check' in turn['legalActions'] else 'call'}"
    )
    function = bot(tmp_path, body, head=f"{head}\ndef act(turn):")
    assert nets([function] * seats, 12) == [0] * seats


def test_different_players_do_not_tie() -> None:
    """The tie is no property of the sums."""
    assert nets(["style:maniac", "style:tight"], 30) != [0, 0]


FIVE = ["style:random", "style:maniac", "style:tight", "style:random", "style:caller"]
_KINDS = {"fold": "fold", "check": "check", "call": "call", "bet": "raise", "raise": "raise"}


def as_counted(hand: Hand, stack: int, names: list[str]) -> PlayedHand:
    return PlayedHand(
        stacks=dict.fromkeys(names, float(stack)),
        posted=tuple(
            PostedBet(player_id=names[seat], kind=kind.replace("_", "-"), amount=paid)
            for seat, kind, paid in hand.forced_bets
        ),
        big_blind=2,
        decisions=[
            (names[seat], (street, _KINDS[kind]), left, None, None)  # type: ignore[misc]
            for seat, street, kind, _, _, left, _ in hand.actions
        ],
    )


def test_counts_are_those_of_single_hands() -> None:
    """By player and position, in a block of five players with short stacks."""
    plan = plan_of(FIVE, 8, rules={"stack": 30})
    block = play_block(plan, 0, local_players(plan))
    expected = [{place: PlayCounts() for place in positions(5)} for _ in FIVE]
    for deck in block.decks:
        for index, seating in enumerate(seatings_of(5)):
            hand = replay(plan, deck.number, index, deck.hands[index])
            names = [f"{player}" for player in seating]
            winners = {names[payment.seat] for pot in hand.awards for payment in pot.winners}
            counts = {
                name: expected[int(name)][place]
                for name, place in zip(names, positions(5), strict=True)
            }
            count_hand(as_counted(hand, 30, names), winners, counts)
    assert [conduct.play for conduct in block.conduct] == expected
    assert sum(counts.showdowns_won for play in expected for counts in play.values()) > 20


@pytest.mark.parametrize("seats", range(2, 11))
def test_positions_are_those_of_the_lobby(seats: int) -> None:
    small, big = (1, 0) if seats == 2 else (0, 1)
    posted = [
        {"playerId": str(small), "kind": "small-blind", "amount": 1},
        {"playerId": str(big), "kind": "big-blind", "amount": 2},
    ]
    hand = HandStarted(
        {
            "handNumber": 1,
            "buttonSeat": seats - 1,
            "posted": posted,
            "players": [
                {"playerId": str(seat), "seatNumber": seat, "displayName": "A", "stack": 9}
                for seat in range(seats)
            ],
        }
    )
    assert positions(seats) == tuple(position_of(hand, str(seat)) for seat in range(seats))
