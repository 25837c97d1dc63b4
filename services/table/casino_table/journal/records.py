"""What a journal stores: records with the state of a table, and numbered events. Pure."""

from typing import Any, NamedTuple


class SequencedEvent(NamedTuple):
    """A numbered event as it is sent to the lobby: the JSON of a `TableEvent`."""

    sequence: int
    content: bytes


CONFIGURED, SETTLED = "configured", "settled"
"""Kinds of the records that begin an epoch and complete a hand."""


class JournalRecord(NamedTuple):
    """The private part of a commit.

    `table` is the full state after it, if recovery can start at this record.
    """

    kind: str
    content: dict[str, Any] | None = None
    table: dict[str, Any] | None = None


def cancelled_before(beginning: JournalRecord) -> int | None:
    """Return the number of the hand that an epoch cancelled; `beginning` is its first record."""
    by = (beginning.content or {}).get("by") or {}
    continuation = by.get("continuation") or {}
    number: int | None = continuation.get("cancelledHand")
    return number
