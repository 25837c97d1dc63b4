"""The arithmetic of the benches of scale: what they conclude from what they measured."""

import doctest
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))  # last: bench/casino.py is a namesake of the console
sys.path.append(str(ROOT / "bench" / "processes"))

import fleet  # noqa: E402  scripts, found by their folder
import growth  # noqa: E402
import local_casino  # noqa: E402
import many_tables  # noqa: E402
import room_on_disk  # noqa: E402


@pytest.mark.parametrize("module", [fleet, growth, local_casino, many_tables, room_on_disk])
def test_the_examples_are_true(module: ModuleType) -> None:
    """The doctests of the module pass."""
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_limits_are_judged_at_their_value() -> None:
    """Equal is not missed, and more is; each role by itself."""
    cpu = {"lobby": growth.MOST_OF_EARLY, "tables": growth.MOST_OF_EARLY}
    memory = {"lobby": growth.MOST_MB, "tables": growth.MOST_MB}
    assert growth.verdict(memory, cpu)["missed"] == []
    dearer = growth.verdict(memory, {**cpu, "tables": 1.101})
    assert (dearer["missed"], dearer["cpu_flat"]) == (["late_of_early.tables"], False)
    larger = growth.verdict({**memory, "lobby": 4.1}, cpu)
    assert larger["missed"] == ["grown_mb.lobby"]
    assert larger["memory_flat"] == {"lobby": False, "tables": True}


def test_memory_is_what_a_process_does_not_share() -> None:
    """Of this process: more than 10 MB of objects, and less than all that is resident."""
    pid, resident = "self", 0
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            resident = int(line.split()[1])
    assert 10 < local_casino.own_mb(pid) < resident / 1024


def test_files_below_a_directory_are_counted(tmp_path: Path) -> None:
    """With the write-ahead log beside a database."""
    inner = tmp_path / "tables"
    inner.mkdir()
    (inner / "tables-1-of-1.journal").write_bytes(bytes(1_000))
    (inner / "tables-1-of-1.journal-wal").write_bytes(bytes(234))
    assert local_casino.bytes_in(tmp_path) == 1_234
