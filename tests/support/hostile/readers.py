"""Every reader of texts that others write, as a function of the bytes, with its error."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from casino.backup.backup_archive import unpack
from casino.errors import BackupFailed
from casino_evaluator.domain.levels_file import read_levels
from casino_evaluator.errors import InvalidLevels
from casino_gamespec import GameSpec, GameSpecError
from casino_histories import NotExportable, UnreadableHistory, all_read
from casino_histories.as_events import EventsOfHand
from casino_histories.history_files import read_hands
from casino_histories.open_hand_history import ohh_text
from casino_histories.phh import phh
from casino_histories.pokerstars_writer import pokerstars_text
from casino_match.domain.plan_file import complete, plan_of, values_of
from casino_match.errors import InvalidPlan
from casino_match.leagues.league_order import pair_plans


class Reader(NamedTuple):
    """Reads a text whole; whatever is wrong with it, it raises its one error."""

    read: Callable[[bytes], None]
    error: type[Exception]


def _read_history(content: bytes) -> None:
    """Read hands, and write each as the page and the exports show it: what is read can be used."""
    for number, hand in enumerate(islice(all_read(read_hands(content)), 50), 1):
        described = EventsOfHand(hand, number)
        assert len(list(described.events())) > 1
        described.record("table", 1)
        for write in (phh, pokerstars_text, ohh_text):
            try:
                write(hand).encode()
            except NotExportable:
                continue


def _text(content: bytes) -> str:
    return content.decode(errors="surrogateescape")


READERS: Final = {
    "history": Reader(_read_history, UnreadableHistory),
    "plan": Reader(lambda content: void(plan_of(complete(values_of(_text(content))))), InvalidPlan),
    "league": Reader(
        lambda content: void(pair_plans(values_of(_text(content)), {}, "a seed")), InvalidPlan
    ),
    "levels": Reader(lambda content: void(read_levels(_text(content))), InvalidLevels),
    "specification": Reader(lambda content: void(GameSpec.parse(_text(content))), GameSpecError),
}


def void(_value: object) -> None:
    """Return nothing."""


def archive_reader(directory: Path) -> Reader:
    """Return the reader of backups, which unpacks into new directories below one."""

    def read(content: bytes) -> None:
        number = sum(1 for _ in directory.iterdir())
        path, target = directory / f"{number}.tar", directory / f"{number}.unpacked"
        path.write_bytes(content)
        target.mkdir()
        unpack(path, target, "1.0.0")

    return Reader(read, BackupFailed)
