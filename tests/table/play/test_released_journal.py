"""A journal that an earlier release wrote is resumed by this one.

`released/` holds a journal that was cut in the middle of a hand, and the events of the same session
without a cut. A release that changes the journal's format adds its own pair.
"""

import json
import shutil
from pathlib import Path

import pytest
from casino_table.journal.disk_log import DiskLog
from support.table.table_harness import TableHarness
from support.table.table_side import Player
from table.play.test_recovery import PLAYERS, told, until_idle

RELEASED = Path(__file__).parent / "released"


@pytest.mark.parametrize("journal", sorted(RELEASED.glob("*.journal")), ids=lambda path: path.stem)
async def test_the_session_is_played_to_the_same_end(journal: Path, tmp_path: Path) -> None:
    """The same events, with the same numbers: those of the journal and those that follow."""
    expected = json.loads(journal.with_suffix(".events.json").read_text())
    copy = tmp_path / "table.journal"
    shutil.copy(journal, copy)
    table = TableHarness()
    for number, decide in enumerate(PLAYERS):
        player = Player(f"Player {number}", decide)
        table.players.append(player)
        table.cards.append(table.town.add(f"p{number}", player.agent()))
    table.host = table.host_with(log=DiskLog(copy))
    await table.host.resume()
    await until_idle(table)
    assert told(table.lobby.events) == expected
    assert 0 < sum(len(player.asked) for player in table.players) < len(expected)
    await table.host.stop()
