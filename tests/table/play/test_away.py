"""A player whose program says that nobody is there holds nobody up, and is back at once."""

from typing import Any

import pytest
from casino_contracts import ActionRequest, ActionResponse, HandRecordInput
from prometheus_client import generate_latest
from support.table.table_harness import TableHarness
from support.table.table_side import Decide, calling, passive


def absent(request: ActionRequest) -> ActionResponse:
    """Check or fold, because nobody is there."""
    return passive(request).model_copy(update={"away": True})


async def test_absence_is_an_outcome_of_its_own_and_leads_to_sitting_out(
    harness: TableHarness,
) -> None:
    await harness.begin(calling, calling, absent, rules={"maxHands": 8, "maxTimeouts": 2})
    harness.players[2].decide = leaving_after(2, harness.network.transport.apps)
    started = harness.clock.time
    await harness.play()
    outcomes = [one["outcome"] for one in harness.payloads("action_taken") if is_p2(one)]
    assert outcomes[:2] == ["away", "away"]
    assert set(outcomes[2:]) == {"sitting_out"}
    (sat_out,) = harness.payloads("sat_out")
    assert (sat_out["playerId"], sat_out["reason"]) == ("p2", "away")
    away = [one for one in harness.payloads("action_taken") if one["outcome"] == "away"]
    assert all("latencyMs" in one and "reason" not in one for one in away)
    assert all(one["action"] in {"check", "fold"} for one in away)
    page = generate_latest(harness.registry).decode()
    assert 'casino_decisions_total{outcome="away"} 2.0' in page
    asked = float(page.partition("casino_decision_seconds_count ")[2].split()[0])
    assert asked <= len(harness.payloads("action_taken")) - len(outcomes), "no time of a decision"
    assert harness.clock.time - started < 10, "no clock ran"


def is_p2(payload: dict[str, Any]) -> bool:
    """Return whether an event is about the third player."""
    return bool(payload["playerId"] == "p2")


def leaving_after(questions: int, apps: dict[str, Any]) -> Decide:
    """Return an absent player whose card is away with its last answer."""
    left = [questions]

    def decide(request: ActionRequest) -> ActionResponse:
        left[0] -= 1
        if left[0] == 0:
            apps.pop("http://p2")
        return absent(request)

    return decide


@pytest.mark.parametrize("program", ["away", "broken"])
async def test_a_person_who_comes_back_plays_the_next_hand(
    harness: TableHarness, program: str
) -> None:
    """However often; an agent that fails waits twice as long each time."""
    apps, home = harness.network.transport.apps, {}

    def coming_and_going(request: ActionRequest) -> ActionResponse:
        home["p2"] = apps.pop("http://p2")
        if program == "away":
            return absent(request)
        raise RuntimeError("broken")

    def first(request: ActionRequest) -> ActionResponse:
        if "p2" in home and harness.events("sat_out"):
            apps["http://p2"] = home.pop("p2")
        return calling(request)

    await harness.begin(first, calling, coming_and_going, rules={"maxTimeouts": 1, "paceMs": 100})
    await harness.play(maxHands=60)
    out = [one["handCount"] for one in harness.payloads("sat_out")]
    back = [one["handCount"] for one in harness.payloads("returned")]
    waits = [returned - left for left, returned in zip(out, back, strict=False)]
    if program == "away":
        assert len(waits) > 8
        assert max(waits[1:]) <= 2
    else:
        assert len(waits) <= 6
        assert waits[1:] == sorted(waits[1:])
        assert waits[-1] > 8


async def test_the_record_and_a_retried_answer_say_it(harness: TableHarness) -> None:
    def confused(request: ActionRequest) -> ActionResponse:
        if request.rejected:
            return absent(request)
        return ActionResponse(
            action="check" if "call" in request.legal_actions else "call", away=True
        )

    await harness.begin(calling, confused, rules={"maxHands": 1})
    await harness.play()
    (one, *_) = [one for one in harness.payloads("action_taken") if one["playerId"] == "p1"]
    assert one["outcome"] == "away"
    record = await harness.host.hand_record(HandRecordInput(hand_id="t1/1"))
    assert "away" in {decision.outcome for decision in record.decisions}
