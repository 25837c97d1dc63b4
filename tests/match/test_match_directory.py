"""The files of a match: whole or not there, and damage is named."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest
from casino_match.domain.block import block_to_json
from casino_match.errors import StoreFailed
from casino_match.match_directory import MatchDirectory, WrittenPlan, create_file
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from support.match.plans import small_plan


def test_the_first_plan_holds(tmp_path: Path) -> None:
    directory = MatchDirectory(tmp_path / "match")
    assert directory.read_plan() is None
    first = WrittenPlan(small_plan(), tmp_path)
    assert directory.begin(first) == first
    other = WrittenPlan(small_plan(rules={"stack": 50}), tmp_path)
    assert directory.begin(other) == first


@pytest.mark.parametrize("is_private", [True, False])
def test_a_match_is_closed_to_other_users(tmp_path: Path, *, is_private: bool) -> None:
    """It has cards and a seed; its folders have this mode whatever the umask is.

    Folders that are made as others are, as before, are open to everybody.
    """
    path = tmp_path / "data" / "matches" / "match"
    before = os.umask(0o022)
    try:
        if is_private:
            directory = MatchDirectory(path)
            directory.begin(WrittenPlan(small_plan(), tmp_path))
            plan = small_plan()
            block = play_block(plan, 0, local_players(plan))
            directory.blocks(plan).write(0, block_to_json(block))
        else:
            (path / "blocks").mkdir(parents=True)
    finally:
        os.umask(before)
    for folder in (path, *path.parents[:2], path / "blocks"):
        assert stat.S_IMODE(folder.stat().st_mode) == (0o700 if is_private else 0o755), folder


def test_of_many_that_create_a_file_a_single_one_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "file"
    start = threading.Barrier(8)
    created = []

    def create(number: int) -> None:
        content = b"%d" % number * 100_000
        start.wait()
        if create_file(path, content):
            created.append(content)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes()] == created
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-30], "its JSON"),
        (lambda text: text.replace('"decks": 40', '"decks": 41'), "was changed"),
        (lambda text: text.replace('"decks": 40', '"deck": 40'), r"deal\.deck: is unknown"),
        (lambda text: json.dumps({**json.loads(text), "plan": 3}), "plan: must be an object"),
        (lambda _: "[]", "its JSON"),
    ],
)
def test_a_changed_plan_is_refused(change: object, message: str, tmp_path: Path) -> None:
    assert callable(change)
    directory = MatchDirectory(tmp_path)
    directory.begin(WrittenPlan(small_plan(), tmp_path))
    directory.plan_file.write_text(change(directory.plan_file.read_text()))
    with pytest.raises(StoreFailed, match=rf"plan\.json .*{message}.*--fresh"):
        directory.read_plan()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Also for a user who may do everything: a file stands in the way."""
    (tmp_path / "match").write_text("a file")
    with pytest.raises(StoreFailed, match=r"plan\.json cannot be written: "):
        MatchDirectory(tmp_path / "match").begin(WrittenPlan(small_plan(), tmp_path))


def test_clearing_leaves_what_is_not_of_the_match(tmp_path: Path) -> None:
    """Files of other names stay; what a killed process left does not."""
    directory = MatchDirectory(tmp_path)
    directory.begin(WrittenPlan(small_plan(), tmp_path))
    directory.write_result(b"{}")
    blocks = tmp_path / "blocks"
    blocks.mkdir()
    for name in ("000001-abc.json", ".000001-abc.json.7-ff.partial", "notes.json", "a.txt"):
        (blocks / name).touch()
    directory.clear()
    assert {path.name for path in tmp_path.rglob("*")} == {"blocks", "notes.json", "a.txt"}
