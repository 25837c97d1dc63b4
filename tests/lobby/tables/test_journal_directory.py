"""A room's journals are found by its id, whatever the id is."""

from pathlib import Path

import pytest
from casino_lobby.tables.journal_directory import journal_directory

IDS = ["High Rollers", "Müller's table", "t 1", "a/b", "../../etc", "...", "{slot}", "é" * 128, "a"]


@pytest.mark.parametrize("room_id", IDS)
def test_the_name_does_not_follow_from_the_id(room_id: str, tmp_path: Path) -> None:
    found = journal_directory(tmp_path, room_id)
    assert found.parent == tmp_path
    assert found.name[0] == "_"
    assert found.name[1:].isalnum()
    assert len(found.name) < 40
    assert journal_directory(tmp_path, room_id) == found


def test_every_id_has_a_directory_of_its_own(tmp_path: Path) -> None:
    """Also on a file system that ignores case."""
    names = {journal_directory(tmp_path, room_id).name for room_id in [*IDS, "A", "e\u0301" * 64]}
    assert len({name.lower() for name in names}) == len(IDS) + 2


@pytest.mark.parametrize("other", ["main", "High Rollers"])
def test_no_id_leads_to_the_directory_of_another_room(other: str, tmp_path: Path) -> None:
    """An id that is the name of its directory, or a path to it."""
    taken = journal_directory(tmp_path, other)
    taken.mkdir()
    (tmp_path / "earlier").mkdir()
    for room_id in (taken.name, f"./{taken.name}", f"earlier/../{taken.name}", "./earlier"):
        found = journal_directory(tmp_path, room_id)
        assert found.resolve() not in {taken.resolve(), tmp_path / "earlier"}
