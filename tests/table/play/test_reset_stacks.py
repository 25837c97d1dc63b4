"""With `resetStacks`, every hand begins with the starting stack, and no chip is lost."""

from pathlib import Path
from typing import Any

import pytest
from casino.up.session_score import Score
from casino_contracts import Unit
from casino_contracts.events.content import content_of
from casino_lobby.domain.room_books import Ledger
from casino_table.journal.journal_log import MemoryLog
from support.table.disk_log import disk_log
from support.table.table_harness import TableHarness
from table.hand_records.recorded_session import CALLBACK, RULES, payload, talking_players


async def played(harness: TableHarness, **rules: Any) -> TableHarness:
    given = {**RULES, "rebuy": "none", "resetStacks": True, **rules}
    await harness.begin(*talking_players(), rules=given, casinoCallback=CALLBACK)
    await harness.play()
    return harness


@pytest.mark.parametrize("is_durable", [False, True])
async def test_every_hand_begins_with_the_starting_stack(
    tmp_path: Path, *, is_durable: bool
) -> None:
    """Also with `rebuy` none: nobody is out, and nobody has to leave."""
    log = disk_log(tmp_path / "log") if is_durable else MemoryLog()
    harness = await played(TableHarness(log))
    started = [payload(event)["players"] for event in harness.events("hand_started")]
    assert [[seat["stack"] for seat in seats] for seats in started] == [[200] * 4] * 12
    kinds = {payload(event)["kind"] for event in harness.events("table_status")}
    assert {"rebought", "cashed_out"} <= kinds
    assert not harness.events("player_busted")
    await harness.host.stop()


async def test_the_ledger_and_the_results_lose_no_chip() -> None:
    """The ledger of the lobby has the stacks, and no discrepancy; net is what the hands brought."""
    harness = await played(TableHarness(MemoryLog()))
    ledger, score = Ledger(), Score(2)
    net: dict[str, float] = {}
    for event in harness.lobby.events:
        entries = ledger.book(content_of(event), Unit())
        assert sum(entry.chips for entry in entries) == 0
        hand = score.add(event)
        for player_id, change in (hand.changes if hand else {}).items():
            net[player_id] = net.get(player_id, 0) + change
    balances = ledger.balances
    assert "discrepancy" not in balances
    assert {player_id: player.net for player_id, player in score.players.items()} == net
    assert score.is_conserved
    for player_id, player in score.players.items():
        assert balances.get(f"player:{player_id}", 0) == player.stack
    await harness.host.stop()


async def test_without_it_stacks_go_on() -> None:
    """A stack after a hand is that before the next one, unless it is rebought."""
    harness = await played(TableHarness(MemoryLog()), resetStacks=None, rebuy="auto")
    started = [payload(event)["players"] for event in harness.events("hand_started")]
    assert any(seat["stack"] != 200 for seats in started for seat in seats)
    kinds = {payload(event)["kind"] for event in harness.events("table_status")}
    assert "cashed_out" not in kinds
    await harness.host.stop()
