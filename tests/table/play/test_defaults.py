"""What a player's program says of its decisions: who made them, what they cost, what it thought."""

import json
from typing import Any

from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Defaulted,
    HandRecordInput,
    PlayerProfile,
    Usage,
)
from casino_table.play.game_presenter import DISCLOSED_BYTES
from structlog.testing import capture_logs
from support.table.table_harness import TableHarness
from support.table.table_side import LobbyStub, calling, passive

WORDS = "401 Unauthorized: Incorrect API key provided"
CONSENT = PlayerProfile(model="small-1", publishes_reasoning=True)


def broken_model(request: ActionRequest) -> ActionResponse:
    """Check or fold, because the model fails."""
    defaulted = Defaulted(reason="model_failed", detail=WORDS)
    return passive(request).model_copy(update={"defaulted": defaulted})


def thinking(request: ActionRequest) -> ActionResponse:
    """Call, and say why and what it cost."""
    usage = Usage(model="small-1", input_tokens=900, output_tokens=50, cost_usd=0.001)
    held = " ".join(card.text for card in request.hole_cards)
    return calling(request).model_copy(update={"usage": usage, "reasoning": f"I hold {held}."})


def of(harness: TableHarness, player_id: str, kind: str = "action_taken") -> list[dict[str, Any]]:
    return [one for one in harness.payloads(kind) if one["playerId"] == player_id]


def disclosed(harness: TableHarness) -> list[list[dict[str, Any]]]:
    """Return what each hand disclosed at its end."""
    return [one.get("disclosed", []) for one in harness.payloads("hand_completed")]


async def test_a_default_of_a_program_is_no_decision_of_the_player(harness: TableHarness) -> None:
    """Three in a row lead to sitting out, as three timeouts do; the words follow with the hand."""
    await harness.begin(calling, broken_model, rules={"maxHands": 6, "maxTimeouts": 3})
    with capture_logs() as logs:
        await harness.play()
    missed = [entry for entry in logs if entry.get("outcome") == "defaulted"]
    assert {entry["reason"] for entry in missed} == {"model_failed"}, "the words may quote cards"
    taken = of(harness, "p1")
    assert [one["outcome"] for one in taken[:3]] == ["defaulted"] * 3
    assert taken[3]["outcome"] == "sitting_out"
    defaults = [one for one in taken if one["outcome"] == "defaulted"]
    assert all(one["defaulted"] == {"reason": "model_failed"} for one in defaults)
    assert of(harness, "p1", "sat_out")[0]["reason"] == "defaulted"
    entries = [entry for hand in disclosed(harness) for entry in hand]
    assert [entry["defaulted"]["detail"] for entry in entries] == [WORDS] * len(defaults)
    record = await harness.host.hand_record(HandRecordInput(hand_id="t1/1"))
    (first, *_) = [one for one in record.decisions if one.player_id == "p1"]
    assert (first.outcome, first.defaulted) == (
        "defaulted",
        Defaulted(reason="model_failed", detail=WORDS),
    )


async def test_a_default_after_a_refused_answer_is_a_default(harness: TableHarness) -> None:
    def giving_up(request: ActionRequest) -> ActionResponse:
        if request.rejected:
            return broken_model(request)
        return ActionResponse(action="check" if "call" in request.legal_actions else "call")

    await harness.begin(calling, giving_up, rules={"maxHands": 1})
    await harness.play()
    assert of(harness, "p1")[0]["outcome"] == "defaulted"


async def test_costs_are_public_with_the_end_of_the_hand_and_thoughts_only_with_consent(
    harness: TableHarness,
) -> None:
    await harness.begin(rules={"maxHands": 2})
    await harness.join(thinking, profile=CONSENT)
    await harness.join(thinking, profile=PlayerProfile(model="small-2"))
    await harness.play()
    registered = [one["profile"]["model"] for one in harness.payloads("player_registered")]
    assert registered == ["small-1", "small-2"]
    hands = disclosed(harness)
    taken = of(harness, "p0") + of(harness, "p1")
    assert sum(map(len, hands)) == len(taken), "each decision once"
    for hand in hands:
        assert [entry["decision"] for entry in hand] == list(range(1, len(hand) + 1))
        assert all(entry["usage"]["costUsd"] == 0.001 for entry in hand)
        thoughts = {entry["playerId"] for entry in hand if "reasoning" in entry}
        assert thoughts == {"p0"}
    assert not any("usage" in one or "reasoning" in one for one in taken)


async def test_nothing_is_said_before_the_hand_is_over(harness: TableHarness) -> None:
    """Not in any event that the lobby has while a player still decides."""
    seen: list[str] = []

    def looking(request: ActionRequest) -> ActionResponse:
        seen.append(sent(harness.lobby, f"t1/{request.hand_number}"))
        return thinking(request)

    def failing_late(request: ActionRequest) -> ActionResponse:
        return looking(request) if request.betting_round == "preflop" else broken_model(request)

    await harness.begin(rules={"maxHands": 3, "maxTimeouts": 50})
    for decide in (looking, failing_late, looking):
        await harness.join(decide, profile=CONSENT)
    await harness.play()
    assert len(seen) > 10
    assert any("model_failed" in text for text in seen), "the reason is public at once"
    for text in seen:
        assert "I hold" not in text
        assert "401" not in text
        assert "costUsd" not in text
    assert "I hold" in sent(harness.lobby, "t1/1")


def sent(lobby: LobbyStub, hand_id: str) -> str:
    """Return the events of a hand that the lobby has by now, as JSON."""
    return json.dumps([one.model_dump() for one in lobby.events if one.hand_id == hand_id])


async def test_a_hand_of_many_long_thoughts_fits_into_its_event(harness: TableHarness) -> None:
    """Thoughts are cut to equal shares, and no decision is left out."""

    def wordy(request: ActionRequest) -> ActionResponse:
        return thinking(request).model_copy(update={"reasoning": "\N{BLACK SPADE SUIT}" * 4_000})

    await harness.begin(rules={"maxHands": 1})
    for _ in range(6):
        await harness.join(wordy, profile=CONSENT)
    await harness.play()
    (hand,) = disclosed(harness)
    assert len(hand) == len(harness.payloads("action_taken"))
    assert len({len(entry["reasoning"]) for entry in hand}) == 1
    assert len(json.dumps(hand, ensure_ascii=False).encode()) < DISCLOSED_BYTES


async def test_a_table_tells_that_a_model_s_provider_is_away(harness: TableHarness) -> None:
    """From a default of that reason until a decision of each model's own; play goes on."""
    told: list[set[str]] = []

    async def model(request: ActionRequest) -> ActionResponse:
        summary = await harness.host.summary()
        assert (summary.status, summary.state) == ("running", None)
        told.append({wait.reason for wait in summary.waits or ()})
        if (request.hand_number or 0) > 2:
            return passive(request)
        away = Defaulted(reason="provider_away", detail=WORDS)
        return passive(request).model_copy(update={"defaulted": away})

    await harness.begin(model, model, rules={"maxHands": 6, "maxTimeouts": 100})
    await harness.play()
    assert told[0] == set()
    assert {"provider-away"} in told
    assert told[-1] == set()
    assert (await harness.host.summary()).waits is None
