"""The journal numbers events without a gap and keeps them until delivered."""

from casino_contracts import StatusPayload, TableEvent
from casino_contracts.fast_struct import struct_of
from casino_table.journal.journal import EventDraft, Journal
from casino_table.journal.journal_log import JournalRecord, MemoryLog

DRAFT = EventDraft("table_status", "hm", StatusPayload(status="running", kind="started"), "t1/1")


def journal() -> Journal:
    return Journal("t1", 3, lambda: "now", MemoryLog())


def test_facts_become_numbered_events() -> None:
    log = journal()
    log.commit(JournalRecord("note"), [DRAFT])
    (entry,) = log.after(0, 10)
    event = TableEvent.model_validate_json(entry.content)
    assert (event.sequence, event.epoch, event.table_id) == (1, 3, "t1")
    assert (event.timestamp, event.hand_id) == ("now", "t1/1")
    assert event.payload == {"status": "running", "kind": "started"}


def test_new_events_are_announced() -> None:
    log, announced = journal(), list[int]()
    log.on_events = lambda: announced.append(log.last_sequence)
    log.commit(JournalRecord("note"), [DRAFT] * 2)
    log.commit(JournalRecord("note"))
    assert log.append(JournalRecord("note"), [DRAFT])
    assert announced == [2, 3]


def test_a_payload_may_be_a_struct() -> None:
    as_struct = DRAFT._replace(payload=struct_of(StatusPayload)(status="running", kind="started"))
    log = journal()
    log.commit(JournalRecord("note"), [DRAFT, as_struct])
    first, second = log.after(0, 2)
    assert first.content.replace(b'"sequence":1', b'"sequence":2') == second.content
