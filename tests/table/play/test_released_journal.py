"""A journal that an earlier release wrote is resumed by this one.

`released/` holds a journal that was cut in the middle of a hand, and the events of the same session
without a cut. A release that changes the journal's format adds its own pair.
"""

import json
import shutil
from pathlib import Path

import pytest
from casino_table.journal.directory import JournalOptions, open_journals
from support.players.holdem_players import MIXED
from support.table.table_harness import TableHarness

RELEASED = Path(__file__).parent / "released"
NAME = "tables-1-of-1.journal"


@pytest.mark.parametrize("journal", sorted(RELEASED.glob("*.journal")), ids=lambda path: path.stem)
async def test_a_released_journal_leads_to_the_same_events(journal: Path, tmp_path: Path) -> None:
    """Those of the journal and those after it."""
    expected = json.loads(journal.with_suffix(".events.json").read_text())
    name = "table-1.journal" if journal.stem == "table-0.1" else NAME
    shutil.copy(journal, tmp_path / name)
    (log,) = open_journals(tmp_path, [1], NAME, JournalOptions())
    harness = TableHarness()
    for decide in MIXED:
        harness.add_player(decide)
    await harness.resume(log)
    assert (await harness.end()).status == "idle"
    assert harness.timeless_events() == expected
    assert 0 < sum(len(player.asked) for player in harness.players) < len(expected)
    await harness.host.stop()
