"""The part of one process in a group."""

from dataclasses import dataclass

from casino_table.processes.share import Share
from casino_table.processes.workers import Workers


@dataclass(frozen=True)
class Part:
    """The tables of a process, the slot of its journals, and the processes that it starts.

    Only the first process starts others. Their slot is the one that it has found; its own is "".
    """

    share: Share
    slot: str = ""
    workers: Workers | None = None
