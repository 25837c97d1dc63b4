"""The journal numbers events without a gap and keeps them until delivered."""

import asyncio

from casino_contracts import StatusPayload, TableEvent
from casino_table.journal.journal import Journal, JournalRecord, TableFact
from casino_table.journal.memory_log import MemoryLog

FACT = TableFact("table_status", "hm", StatusPayload(status="running", kind="started"), "t1/1")


def journal() -> Journal:
    """Return an empty journal."""
    return Journal("t1", 3, lambda: "now", MemoryLog())


def numbers(log: Journal, after: int, limit: int = 100) -> list[int]:
    """Return the sequences to publish."""
    return [entry.sequence for entry in log.after(after, limit)]


def test_facts_become_numbered_events() -> None:
    """With table, epoch, time and hand."""
    log = journal()
    log.commit(JournalRecord("note"), [FACT])
    (entry,) = log.after(0, 10)
    event = TableEvent.model_validate_json(entry.content)
    assert (event.sequence, event.epoch, event.table_id) == (1, 3, "t1")
    assert (event.timestamp, event.hand_id) == ("now", "t1/1")
    assert event.payload == {"status": "running", "kind": "started"}


def test_events_are_kept_until_they_are_delivered() -> None:
    """They are found by sequence."""
    log = journal()
    log.commit(JournalRecord("note"), [FACT] * 5)
    assert numbers(log, 0) == [1, 2, 3, 4, 5]
    assert numbers(log, 2, limit=2) == [3, 4]
    log.delivered(3)
    assert log.undelivered == 2
    assert numbers(log, 3) == [4, 5]
    assert numbers(log, 5) == []
    log.commit(JournalRecord("note"), [FACT])
    assert numbers(log, 5) == [6]
    assert log.last_sequence == 6


async def test_a_waiting_reader_is_woken() -> None:
    """By the first event after its last one."""
    log = journal()
    log.commit(JournalRecord("note"), [FACT])
    waiting = asyncio.ensure_future(log.wait_for_event(1))
    await asyncio.sleep(0)
    assert not waiting.done()
    log.commit(JournalRecord("note"), [FACT])
    await asyncio.wait_for(waiting, 1)
    await asyncio.wait_for(log.wait_for_event(1), 1)
