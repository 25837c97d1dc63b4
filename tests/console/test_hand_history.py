"""The history of a played hand as text."""

from typing import Any

from casino.hand_history import hand_history
from casino_contracts import HandDetail, HandSummary, TableEvent
from support.console_side import NOW, event

NAMES = {"p1": "Ada", "p2": "Bob\x1b[2J"}


def cards(text: str) -> list[dict[str, str]]:
    suits = {"h": "hearts", "s": "spades", "d": "diamonds", "c": "clubs"}
    return [{"rank": one[0], "suit": suits[one[1]]} for one in text.split()]


def history_of(*events: TableEvent) -> str:
    hand = HandSummary(
        hand_id="t1/17",
        hand_number=17,
        epoch=1,
        last_sequence=9,
        timestamp=NOW,
        message="hand 17: Ada wins 14",
    )
    lines = hand_history(HandDetail(room_id="green", hand=hand, events=events))
    assert all(line.isprintable() for line in lines)
    return "\n".join(lines)


def act(player: str, action: str, pot: float, **more: Any) -> TableEvent:
    given = {"playerId": player, "bettingRound": "preflop", "action": action, "pot": pot}
    result = {"handNumber": 17, "stack": 100, "outcome": "ok", "latencyMs": 1}
    return event("action_taken", "something was done", **{**given, **result, **more})


STARTED = event(
    "hand_started",
    "hand 17 begins",
    handNumber=17,
    buttonSeat=3,
    smallBlind=0.5,
    bigBlind=1,
    ante=0,
    posted=[
        {"playerId": "p1", "kind": "small-blind", "amount": 0.5},
        {"playerId": "p2", "kind": "big-blind", "amount": 1},
    ],
    players=[
        {"playerId": "p2", "displayName": NAMES["p2"], "seatNumber": 3, "stack": 120},
        {"playerId": "p1", "displayName": "Ada", "seatNumber": 1, "stack": 80.5},
    ],
)
FLOP = event(
    "table_status",
    "flop",
    status="running",
    kind="street_dealt",
    bettingRound="flop",
    communityCards=cards("Qh 7s 6s"),
)
COMPLETED = event(
    "hand_completed",
    "hand 17: Ada wins 14",
    handNumber=17,
    communityCards=cards("Qh 7s 6s"),
    pots=[
        {"amount": 12, "winners": [{"playerId": "p1", "amount": 12}]},
        {
            "amount": 2,
            "winners": [{"playerId": "p2", "amount": 1}, {"playerId": "p1", "amount": 1}],
        },
    ],
    returned={"playerId": "p2", "amount": 3},
    shown=[{"playerId": "p1", "cards": cards("As Kd"), "rankName": "Ace high"}],
    stacks=[{"playerId": "p1", "stack": 86.5}, {"playerId": "p2", "stack": 114}],
)


def test_a_dead_button_is_on_an_empty_seat() -> None:
    started = event("hand_started", "begins", **{**(STARTED.payload or {}), "buttonSeat": 2})
    assert "\nBlinds 0.5/1, button on empty seat 2\n" in history_of(started)


def test_a_whole_hand_reads_as_a_story() -> None:
    """It has blinds, decisions, streets, results and stacks, with cards in letters."""
    history = history_of(
        STARTED,
        act("p1", "raise", 4, amount=3, message="hi\nyou"),
        act("p2", "call", 6, amount=3, outcome="retried"),
        FLOP,
        act("p1", "check", 6),
        act("p2", "bet", 8, amount=2),
        act("p1", "all-in", 12, amount=4),
        act("p2", "fold", 12, outcome="timeout"),
        COMPLETED,
    )
    assert (
        history
        == """\
Hand 17 of room green, epoch 1, 2026-11-20T19:43:00.000Z
Blinds 0.5/1, button on seat 3

  seat 1  Ada  80.5
  seat 3  Bob[2J  120

Preflop
  Ada posts the small blind, 0.5
  Bob[2J posts the big blind, 1
  Ada raises to 3 and says “hi you”
  Bob[2J calls 2

Flop  Qh 7s 6s   pot 6
  Ada checks
  Bob[2J bets 2
  Ada goes all-in with 4
  Bob[2J folds (timeout)

Result
  Ada shows As Kd: Ace high
  Bob[2J gets 3 back, which nobody called
  Ada wins 12 of 12 from the pot
  Bob[2J wins 1 of 2 from side pot 1
  Ada wins 1 of 2 from side pot 1

Stacks
  Ada  86.5 (+6)
  Bob[2J  114 (-6)"""
    )


def test_who_decided_and_at_what_cost_follows_the_stacks() -> None:
    usage = {"model": "small\x1b", "latencyMs": 900, "attempts": 2, "outputTokens": 40}
    defaulted = {"reason": "unparsable", "detail": "no action in: I would\nlike to"}
    payload = {
        **(COMPLETED.payload or {}),
        "disclosed": [
            {"decision": 1, "playerId": "p1", "usage": usage, "reasoning": "a\nplan"},
            {"decision": 2, "playerId": "p2", "defaulted": defaulted},
        ],
    }
    said = act("p2", "fold", 6, outcome="defaulted", defaulted={"reason": "unparsable"})
    end = COMPLETED.model_copy(update={"payload": payload})
    history = history_of(STARTED, act("p1", "raise", 4, amount=3), said, end)
    assert "Bob[2J folds (unparsable)\n" in history
    assert history.partition("\nDecisions\n")[2].splitlines() == [
        "  1. Ada: small, 900 ms, 2 attempts, 40 tokens; “a plan”",
        "  2. Bob[2J: default: unparsable, no action in: I would like to",
    ]


def test_a_won_blind_is_not_taken_for_a_gain() -> None:
    """Of the pot that everybody folded to the big blind, half is its own; the rest came back."""
    folded = event(
        "hand_completed",
        "hand 17: Bob wins 1",
        handNumber=17,
        pots=[{"amount": 1, "winners": [{"playerId": "p2", "amount": 1}]}],
        returned={"playerId": "p2", "amount": 0.5},
        stacks=[{"playerId": "p1", "stack": 80}, {"playerId": "p2", "stack": 120.5}],
    )
    history = history_of(STARTED, act("p1", "fold", 1.5), folded)
    result = history.partition("\nResult\n")[2].partition("\n\n")[0]
    assert result.splitlines() == [
        "  Bob[2J gets 0.5 back, which nobody called",
        "  Bob[2J wins 1 of 1 from the pot, 0.5 of them its own",
    ]


def test_an_event_of_another_shape_is_written_by_its_message() -> None:
    history = history_of(event("action_taken", "Ada goes\x07 home", what="ever"))
    assert "  Ada goes home" in history
    assert history.endswith("hand 17: Ada wins 14")
    assert "p1 wins 12 of 12" in history_of(COMPLETED), "of a hand whose beginning is not known"


def test_points_are_written_as_a_ranking() -> None:
    history = history_of(
        event(
            "hand_completed",
            handNumber=17,
            scores={},
            points=[
                {"playerId": "p2", "points": 103, "place": 1},
                {"playerId": "p1", "points": 57.5, "place": 2},
            ],
            stacks=[{"playerId": "p1", "stack": 20}, {"playerId": "p2", "stack": 20}],
        ),
    )
    assert "  1. p2: 103 points\n  2. p1: 57.5 points\n" in history
    assert "nobody" not in history


def test_what_is_incomplete_is_written_as_far_as_it_can_be() -> None:
    """An unknown action is the table's message; a missing number or amount is left out."""
    players = [{"playerId": "p1", "displayName": "Ada"}, {"playerId": "p2", "seatNumber": 3}]
    history = history_of(
        event("hand_started", handNumber=17, players=players, posted=[{"playerId": "p1"}]),
        event("action_taken", "Ada mucks", playerId="p1", action="muck", stack=3),
        act("p2", "call", 4, outcome="slow\x07"),
        event("action_taken", playerId="p1", action="raise", amount=9),
        event("hand_completed", handNumber=17, stacks=[{"playerId": "p1", "stack": 20}, {}]),
    )
    lines = history.splitlines()
    assert lines[1:5] == ["Blinds unknown", "", "  Ada", "  seat 3  p2"]
    assert "  Ada mucks\n  p2 calls (slow )\n  Ada raises to 9\n" in history
    assert lines[-2:] == ["Stacks", "  Ada  20 (0)"]
