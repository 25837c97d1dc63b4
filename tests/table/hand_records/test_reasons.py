"""Reasons of faults in events and hand records."""

from typing import Any

from casino_agentkit import CommandRefused
from casino_contracts import ActionRequest, ActionResponse, HandRecord, Reason, TableEvent
from casino_table.journal.journal_log import Log
from support.players.holdem_players import illegal
from support.table.table_harness import TableHarness
from support.table.table_side import calling
from table.hand_records.recorded_session import CALLBACK, record_input

PLAYERS = 3


def refusing(_request: ActionRequest) -> ActionResponse:
    raise CommandRefused(Reason.UNSUPPORTED, "the model\nis \x1b[2Jdown " + "x" * 1_000)


async def session(log: Log, **callback: Any) -> TableHarness:
    """Return a table after a session: one player calls, one refuses, one errs."""
    harness = TableHarness(log)
    rules = {"maxHands": 8, "maxSeats": PLAYERS, "rebuy": "auto", "maxTimeouts": 2}
    await harness.begin(calling, refusing, illegal, rules=rules, casinoCallback=callback)
    await harness.play()
    return harness


def reported(harness: TableHarness) -> list[dict[str, Any]]:
    """Return what the table's events say of the decisions."""
    events: list[TableEvent] = harness.events("action_taken")
    return [event.payload or {} for event in events]


async def records_of(harness: TableHarness) -> list[HandRecord]:
    return [await harness.host.hand_record(record_input(number)) for number in range(1, 9)]


async def test_events_and_records_say_why(log: Log) -> None:
    """The same of each decision; records have the refused answer, too."""
    harness = await session(log, **CALLBACK)
    of_events = [(one["playerId"], one["outcome"], one.get("reason")) for one in reported(harness)]
    decisions = [one for record in await records_of(harness) for one in record.decisions]
    assert [(one.player_id, one.outcome, one.reason) for one in decisions] == of_events
    starts = {
        ("p0", "ok"): None,
        ("p1", "malformed"): "the model is [2Jdown xxx",
        ("p2", "illegal"): "is not possible now; legal are",
        ("p1", "sitting_out"): "sits out after 2 failures in a row; nothing was asked",
        ("p2", "sitting_out"): "sits out after 2 failures in a row; nothing was asked",
    }
    assert {(player_id, outcome) for player_id, outcome, _ in of_events} == starts.keys()
    for player_id, outcome, reason in of_events:
        wanted = starts[player_id, outcome]
        assert (reason is None) == (wanted is None)
        assert (wanted or "") in (reason or "")
        assert (reason or "").isprintable()
        assert len(reason or "") <= 300
    assert {(one.outcome, (one.refused or "")[:10]) for one in decisions} == {
        ("ok", ""),
        ("malformed", ""),
        ("illegal", '{"action":'),
        ("sitting_out", ""),
    }
    for one in reported(harness):
        assert "refused" not in one
        assert ("latencyMs" in one) == (one["outcome"] != "sitting_out")
    await harness.host.stop()


async def test_a_lobby_of_the_document_gets_no_reasons(log: Log) -> None:
    """Because it may publish all that it gets; the record has them."""
    harness = await session(log, **{**CALLBACK, "secret": None})
    assert {one["outcome"] for one in reported(harness)} == {
        "ok",
        "malformed",
        "illegal",
        "sitting_out",
    }
    assert not any("reason" in one for one in reported(harness))
    records = await records_of(harness)
    assert any(one.reason for record in records for one in record.decisions)
    await harness.host.stop()
