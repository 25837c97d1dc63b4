"""How the events of a room's epoch are numbered: by its table, or in order of arrival. Pure."""

from dataclasses import dataclass


@dataclass(kw_only=True)
class EventNumbering:
    """The part of a room that says where the record of its current epoch ends.

    A table that knows only the protocol document numbers no events; the lobby then numbers them in
    order of arrival. A table that numbers its events begins at 1. If the lobby has numbered events
    of the epoch before, it records those of the table behind them, under higher numbers.
    """

    epoch: int = 1
    last_sequence: int = 0
    unnumbered: int | None = None
    """How many events of the epoch were recorded before the table's first numbered one; None while
    the table has not numbered any."""

    @property
    def table_sequence(self) -> int:
        """Sequence of the last recorded event, as the table counts."""
        return self.last_sequence - (self.unnumbered or 0)

    @property
    def numbered(self) -> int:
        """How many events that the table numbered itself are recorded."""
        return 0 if self.unnumbered is None else self.table_sequence

    def begin_numbering(self, unnumbered: int) -> None:
        """Note that the table numbers its events, behind those that it did not number."""
        self.unnumbered = unnumbered

    def note_table_sequence(self, sequence: int | None) -> None:
        """Note the sequence in a table's reply: only a table that numbers its events sends one."""
        if sequence is not None and self.unnumbered is None and not self.last_sequence:
            self.begin_numbering(0)

    def skip_event(self, sequence: int) -> None:
        """Advance past an event that cannot be read."""
        self.last_sequence = sequence

    def number_anew(self, epoch: int) -> None:
        """Begin an epoch without events."""
        self.epoch, self.last_sequence, self.unnumbered = epoch, 0, None
