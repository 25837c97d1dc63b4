"""A room is played whose ids are any text: REST, stream, page, console, journal and log."""

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from casino_lobby.tables.journal_directory import journal_directory
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import ENVIRONMENT
from support.processes import PATIENCE_S, eventually
from support.requirements import unavailable
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]

ROOM, TABLE = 'a/../b\\c?d#e&f%2F"<i>{slot}', "100 %/1"
HANDS = 3
READ_ROOM = Path(__file__).parents[1] / "web" / "read_room.js"


async def run(*arguments: str) -> str:
    """Run a command to its end and return what it writes."""
    done = await asyncio.to_thread(
        subprocess.run,
        arguments,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_a_room_is_played_whose_id_is_any_text(tmp_path: Path) -> None:
    """By a launched table, and read by every means; other ids are in `tests/lobby/rest`."""
    if shutil.which("node") is None:
        unavailable("node is not installed")
    async with process_casino(CASINO_LOBBY_DATA=str(tmp_path)) as casino:
        await played_and_read(casino, await casino.samples("tight", 2), tmp_path, ROOM, TABLE)


async def played_and_read(
    casino: ProcessCasino, players: list[str], data: Path, room_id: str, table_id: str
) -> None:
    """Play in a room, and read it by every means."""
    rules = {**CONFIG, "maxHands": HANDS, "maxSeats": 3}
    opened = await casino.http.post(
        "/v1/rooms", json={"roomId": room_id, "tableId": table_id, "config": rules}
    )
    assert opened.status_code == 201, opened.text
    path = opened.headers["Location"]
    assert path == f"/v1/rooms/{quote(room_id, safe='')}"

    async def is_logged() -> bool:
        logged = [json.loads(line) for line in casino.lobby.log]
        return room_id in [line["room"] for line in logged if line["event"] == "room_opened"]

    await eventually(is_logged, every=0.02)
    for card in players:
        seated = await casino.http.post(f"{path}/players", json={"agentCardUrl": card})
        assert seated.status_code == 201, seated.text
        assert seated.json()["roomId"] == room_id

    at_lobby = ("--lobby", casino.lobby.url, "--json")
    console = (sys.executable, "-m", "casino")
    watch = await asyncio.create_subprocess_exec(
        *console, "watch", *at_lobby, "--hands", str(HANDS), "--", room_id,
        env=ENVIRONMENT, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert watch.stdout is not None
    first = json.loads(await watch.stdout.readline())
    assert first["data"]["room"]["roomId"] == room_id
    await run(*console, "room", "start", "--lobby", casino.lobby.url, "--", room_id)
    watched, _ = await watch.communicate()
    assert (watch.returncode, len(watched.splitlines()) > HANDS) == (0, True)
    await casino.until("idle", room_id=room_id)
    hand = json.loads(await run(*console, "room", "hand", *at_lobby, "--", room_id, "1"))
    assert (hand["roomId"], hand["hand"]["handId"]) == (room_id, f"{table_id}/1")
    shown = json.loads(await run(*console, "room", "show", *at_lobby, "--", room_id))
    assert (shown["roomId"], shown["tableId"]) == (room_id, table_id)
    assert shown["summary"]["handCount"] == HANDS
    assert sum(seat["stack"] for seat in shown["summary"]["players"]) == 400

    page = json.loads(await run("node", str(READ_ROOM), casino.lobby.url, room_id))
    assert (page["link"], page["room"], page["detail"]) == (room_id, room_id, room_id)
    snapshot = next(line for line in page["stream"].splitlines() if line.startswith("data: "))
    assert json.loads(snapshot.removeprefix("data: "))["room"]["roomId"] == room_id

    journals = await asyncio.to_thread(lambda: list(data.rglob("*.journal")))
    assert {journal.parents[1] for journal in journals} == {data / "tables"}
    assert all(journal.parent.name[1:].isalnum() for journal in journals)
    assert journal_directory(data / "tables", room_id) in [file.parent for file in journals]
    await run(*console, "room", "close", "--lobby", casino.lobby.url, "--", room_id)
    await casino.until("closed", room_id=room_id)
