"""A killed lobby has lost nothing that it confirmed."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from casino_lobby.store.sql_store import SAVED_EVERY
from support.casino.store_side import OpenStore, on_both_databases, rows

TESTS = Path(__file__).parents[2]


@on_both_databases
@pytest.mark.full
async def test_confirmed_events_survive_a_kill(url: str, open_store: OpenStore) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "support.casino.store_process",
        url,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert process.stdout is not None
    confirmed: dict[bytes, int] = {}
    while len(confirmed) < 4 or min(confirmed.values()) < SAVED_EVERY + 100:
        line = await process.stdout.readline()
        assert line, "the process has ended by itself"
        room_id, sequence = line.split()
        confirmed[room_id] = int(sequence)
    process.send_signal(signal.SIGKILL)
    rest = await process.stdout.read()
    for line in rest.splitlines(keepends=True):
        if line.endswith(b"\n"):
            room_id, sequence = line.split()
            confirmed[room_id] = int(sequence)
    await process.wait()
    store = await open_store()
    assert len(store.rooms()) == 4
    for room in store.rooms():
        assert room.last_sequence >= confirmed[room.room_id.encode()]
        [(count, last)] = await rows(
            store,
            f"SELECT COUNT(*), MAX(sequence) FROM event WHERE room_id = '{room.room_id}'",
        )
        assert count == last == room.last_sequence
        assert room.hand_count == (last - 2) // 4
        stacks = {f"player:{player_id}": stack for player_id, stack in room.settled.items()}
        assert room.ledger.balances == {**stacks, "cashier": -400}
    [(hands,)] = await rows(store, "SELECT COUNT(*) FROM hand")
    assert hands == sum(room.hand_count for room in store.rooms())
