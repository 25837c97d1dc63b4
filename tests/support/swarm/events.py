"""What happens to a casino on Swarm, with the times until its rooms play again."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from support.processes import wait_for
from support.swarm.swarm_casino import LIMIT_S, MACHINES, NEXT, SwarmCasino

LOBBY, TABLE = (f"a2a-casino/{target}:{NEXT}" for target in ("lobby", "table"))
_POLL_S = 0.25
_READ_S = 1.0
"""Between two readings of a room's events, which takes several requests."""


def lose_worker(casino: SwarmCasino, name: str, *, is_killed: bool) -> None:
    """Lose the worker: without power, or only its network; wait until all rooms deal again."""
    moving = casino.rooms_on(casino.worker)
    assert moving, "the worker has no room to lose"
    casino.cut_worker_off()  # what it deals from now on, nobody hears of
    lost_at, began = datetime.now(UTC), time.monotonic()
    if is_killed:
        casino.worker.kill()
    wait_for(casino.rooms.is_served, LIMIT_S, every=_POLL_S)
    served = time.monotonic() - began
    dealt = {room_id: dealt_after(casino, room_id, lost_at) for room_id in casino.rooms.listed()}
    wait_for(lambda: casino.stack.is_down(casino.worker), LIMIT_S, every=_POLL_S)
    assert casino.rooms_on(casino.worker) == set()
    casino.times[name] = {
        "served": round(served, 1),
        "all_deal": max(dealt.values()),
        "moved_deal": max(dealt[room_id] for room_id in moving),
        "moved": len(moving),
    }


def dealt_after(casino: SwarmCasino, room_id: str, moment: datetime) -> float:
    """Wait until a room has begun a hand after a moment; return after how many seconds it did."""
    dealt: list[float] = []

    def has_dealt() -> bool:
        after = casino.rooms.history(room_id).dealt_after(moment)
        dealt.extend([] if after is None else [after])
        return bool(dealt)

    wait_for(has_dealt, LIMIT_S, every=_READ_S)
    return dealt[0]


def bring_worker_back(casino: SwarmCasino) -> None:
    """Connect the worker, and turn it on if it is off; Swarm gives it tasks by itself."""
    with casino.timed("back"):
        casino.connect_worker()
        if not casino.worker.is_on:
            casino.worker.start()
            casino.worker.until_started()
        casino.stack.until(lambda: not casino.stack.is_down(casino.worker), LIMIT_S)
        casino.stack.until(casino.stack.is_complete, LIMIT_S)


def update_tables(casino: SwarmCasino) -> None:
    """Replace all processes of tables by others, one after the other, while rooms play."""
    with rooms_play_on(casino, "tables_updated"):
        casino.stack.update("table", TABLE)
        casino.stack.until(lambda: casino.stack.is_updated("table", TABLE), LIMIT_S)


@contextmanager
def rooms_play_on(casino: SwarmCasino, name: str) -> Iterator[None]:
    """Note how long a change takes, and the longest pause between two hands of a room."""
    began_at, began = datetime.now(UTC), time.monotonic()
    yield
    took, ended_at = time.monotonic() - began, datetime.now(UTC)
    for room_id in casino.rooms.listed():
        dealt_after(casino, room_id, ended_at)
    pauses = [
        casino.rooms.history(room_id).longest_pause(began_at) for room_id in casino.rooms.listed()
    ]
    casino.times[name] = {"took": round(took, 1), "longest_pause": max(pauses)}


def audit(casino: SwarmCasino) -> None:
    """Check every event of every room: each chip is there, and no session has ended."""
    rooms = casino.rooms.listed()
    histories = {room_id: casino.rooms.history(room_id) for room_id in rooms}
    for room_id, history in histories.items():
        assert rooms[room_id].status == "running", rooms[room_id]
        assert history.ended == 0, room_id
        assert len(history.audit.cancelled) < history.audit.epoch, room_id
    casino.times["rooms"] = len(rooms)
    casino.times["hands"] = sum(len(history.dealt) for history in histories.values())
    casino.times["cancelled"] = sum(len(history.audit.cancelled) for history in histories.values())


def update_lobbies(casino: SwarmCasino) -> None:
    with rooms_play_on(casino, "lobbies_updated"):
        casino.stack.update("lobby", LOBBY)
        casino.stack.until(lambda: casino.stack.is_updated("lobby", LOBBY), LIMIT_S)


def deploy_next(casino: SwarmCasino) -> None:
    """Deploy the stack files with the next tag: what has it already stays."""
    with rooms_play_on(casino, "all_updated"):
        casino.stack.deploy(CASINO_TAG=NEXT)
        casino.stack.until(lambda: casino.stack.is_updated("table", TABLE), LIMIT_S)
        casino.stack.until(casino.stack.is_complete, LIMIT_S)


def spread_tables(casino: SwarmCasino) -> None:
    """Start all processes of tables anew: Swarm moves none by itself to a machine that is back."""
    with rooms_play_on(casino, "tables_spread"):
        casino.stack.update("table", TABLE, "--force")
        casino.stack.until(lambda: casino.stack.update_state("table") == "completed", LIMIT_S)
    assert {task.node for task in casino.stack.tasks("table") if task.runs} == set(MACHINES)


def drain_worker(casino: SwarmCasino) -> None:
    """Let Swarm end all tasks of the worker; its rooms go on at the manager."""
    with rooms_play_on(casino, "drained"):
        casino.stack.set_availability(casino.worker, "drain")
        casino.stack.until(lambda: not casino.rooms_on(casino.worker), LIMIT_S)
        casino.stack.until(lambda: not casino.stack.tasks_on(casino.worker), LIMIT_S)
    casino.stack.set_availability(casino.worker, "active")
    casino.stack.until(casino.stack.is_complete, LIMIT_S)


@contextmanager
def reported(casino: SwarmCasino, capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Print what was measured as one line of JSON, also when something failed."""
    try:
        with casino.timed("all"):
            yield
    finally:
        with capsys.disabled():
            print(json.dumps({"test": "swarm", **casino.times}))  # noqa: T201
