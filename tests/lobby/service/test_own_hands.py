"""Positions and stories of a player's hands, from events alone and with a record."""

from typing import Any

import pytest
from casino_contracts import Defaulted, HandRecord, TableEvent, Usage
from casino_contracts.events.content import HandStarted
from casino_lobby.domain.observed_hand import LOSSES_KEPT, NotedHands
from casino_lobby.service.own_hands import Story, position_of


def dealt(seats: int, button: int, **more: Any) -> HandStarted:
    """Return the start of a hand with players p0, p1, … in the seats of these numbers."""
    order = [(button + 1 + place) % seats for place in range(seats)]
    small, big = (order[-1], order[0]) if seats == 2 else (order[0], order[1])
    posted = [("small-blind", small), ("big-blind", big)]
    fields: dict[str, Any] = {
        "handNumber": 1,
        "buttonSeat": button,
        "players": [
            {"playerId": f"p{seat}", "seatNumber": seat, "stack": 200} for seat in range(seats)
        ],
        "posted": [{"playerId": f"p{seat}", "kind": kind, "amount": 1} for kind, seat in posted],
    }
    return HandStarted({**fields, **more})


@pytest.mark.parametrize(
    ("seats", "names"),
    [
        (2, "BTN BB"),
        (3, "BTN SB BB"),
        (4, "BTN SB BB CO"),
        (5, "BTN SB BB UTG CO"),
        (6, "BTN SB BB UTG HJ CO"),
        (9, "BTN SB BB UTG UTG+1 UTG+2 UTG+3 HJ CO"),
    ],
)
def test_positions_go_around_from_the_button(seats: int, names: str) -> None:
    for button in range(seats):
        hand = dealt(seats, button)
        around = [position_of(hand, f"p{(button + place) % seats}") for place in range(seats)]
        assert around == names.split()


def test_without_a_small_blind_the_others_have_their_positions() -> None:
    hand = dealt(5, 0, posted=[{"playerId": "p2", "kind": "big-blind", "amount": 1}])
    hand = HandStarted(
        {**hand.fields, "players": [hand.fields["players"][n] for n in (0, 2, 3, 4)]}
    )
    assert [position_of(hand, f"p{seat}") for seat in (0, 2, 3, 4)] == ["BTN", "BB", "UTG", "CO"]


def test_a_dead_button_is_nobodys() -> None:
    hand = dealt(4, 0, players=dealt(4, 0).fields["players"][1:])
    assert [position_of(hand, f"p{seat}") for seat in (1, 2, 3)] == ["SB", "BB", "CO"]
    assert position_of(hand, "p0") is None
    assert position_of(dealt(3, 0, gameType="roulette"), "p0") is None
    assert position_of(HandStarted(None), "p0") is None


def test_the_greatest_losses_are_kept() -> None:
    losses = NotedHands()
    for number in range(1, 3 * LOSSES_KEPT):
        losses.note(-number, 1, number, LOSSES_KEPT)
        losses.note(number, 1, number, LOSSES_KEPT)
        losses.note(-1_000, 1, None, LOSSES_KEPT)
    assert len(losses.hands) == LOSSES_KEPT
    assert losses.hands[:2] == [(-59, 1, 59), (-58, 1, 58)]


def events(*actions: dict[str, Any]) -> list[TableEvent]:
    kinds = [
        ("hand_started", dealt(2, 0).fields),
        *(("action_taken", {"handNumber": 1, **action}) for action in actions),
        ("hand_completed", {"handNumber": 1, "stacks": [{"playerId": "p0", "stack": 187.5}]}),
    ]
    return [
        TableEvent.model_validate(
            {
                "tableId": "t1",
                "eventType": kind,
                "message": kind,
                "timestamp": "2026-11-20T19:43:00.123Z",
                "payload": payload,
            }
        )
        for kind, payload in kinds
    ]


RAISE = {"playerId": "p0", "action": "raise", "amount": 14, "outcome": "retried", "latencyMs": 9}
FOLD = {"playerId": "p1", "action": "fold", "outcome": "timeout", "reason": "no reply: I had aces"}
CALL = {"playerId": "p0", "action": "call", "amount": 20, "outcome": "ok", "latencyMs": 30}


def record(*decisions: dict[str, Any]) -> HandRecord:
    ace = {"rank": "A", "suit": "spades"}
    return HandRecord.model_validate(
        {
            "tableId": "t1",
            "handId": "t1/1",
            "handNumber": 1,
            "epoch": 1,
            "buttonSeat": 0,
            "gameType": "texas-holdem",
            "players": [],
            "holeCards": [
                {"playerId": "p0", "cards": []},
                {"playerId": "p1", "cards": [ace, ace]},
            ],
            "decisions": decisions,
            "privateStates": {"p1": {"secret": 1}},
        }
    )


def recorded(player_id: str, **more: Any) -> dict[str, Any]:
    kept = {"action": {"action_type": "call"}, "outcome": "ok", "question": {"of": player_id}}
    return {"playerId": player_id, **kept, **more}


def test_a_story_is_that_of_one_player() -> None:
    story = Story.of("p0", 1, 1, events(RAISE, FOLD, CALL))
    assert story is not None
    full = record(recorded("p0", refused='"x"'), recorded("p1", reasoning="aces"), recorded("p0"))
    detail = story.detail("r1", full, None)
    assert (detail.hand.position, detail.hand.net) == ("BTN", -12.5)
    assert (detail.hand.decisions, detail.hand.faults, detail.hand.slowest_ms) == (2, 1, 30)
    assert [said.answer for said in detail.decisions] == [
        {"action": "raise", "amount": 14},
        {"action": "call"},
    ]
    assert [said.refused for said in detail.decisions] == ['"x"', None]
    text = detail.model_dump_json()
    assert not any(word in text for word in ("aces", "p1", "spades", "secret"))


def test_who_decided_and_at_what_cost_is_told_without_a_record_too() -> None:
    reason, usage = "model_failed", {"model": "small", "inputTokens": 7}
    acted = {**CALL, "outcome": "defaulted", "defaulted": {"reason": reason}}
    *before, end = events(RAISE, FOLD, acted)
    disclosed = [
        {"decision": 2, "playerId": "p1", "reasoning": "aces"},
        {"decision": 3, "playerId": "p0", "usage": usage},
        {"decision": 1, "playerId": "p1", "reasoning": "aces"},
    ]
    end = end.model_copy(update={"payload": {**(end.payload or {}), "disclosed": disclosed}})
    story = Story.of("p0", 1, 1, [*before, end])
    assert story is not None
    assert story.hand(None).faults == 2
    raised, called = story.detail("r1", None, "late").decisions
    assert (raised.defaulted, raised.usage, raised.reasoning) == (None, None, None)
    assert called.defaulted == Defaulted(reason=reason)
    assert called.usage == Usage.model_validate(usage)
    detailed = {"reason": reason, "detail": "401: no such key"}
    recorded_twice = (recorded("p0"), recorded("p0", defaulted=detailed, usage=usage))
    _, called = story.detail("r1", record(*recorded_twice), None).decisions
    assert called.defaulted == Defaulted(reason=reason, detail="401: no such key")


def test_a_record_of_other_decisions_is_not_mixed_in() -> None:
    """A foreign table may have recorded something else."""
    story = Story.of("p0", 1, 1, events(RAISE, FOLD, CALL))
    assert story is not None
    detail = story.detail("r1", record(recorded("p0")), None)
    assert [(said.action, said.question) for said in detail.decisions] == [
        ("raise", None),
        ("call", None),
    ]


def test_who_was_not_dealt_in_has_no_story() -> None:
    assert Story.of("p9", 1, 1, events(RAISE)) is None
    assert Story.of("p0", 1, 1, events(RAISE)[:-1]) is None
