"""Lobbies on one PostgreSQL, processes of tables and two players, as processes."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from math import ceil
from pathlib import Path
from typing import Any

import httpx

from support.casino.members import Log, Member
from support.casino.postgres import Postgres
from support.failover.spread_address import SpreadAddress
from support.failover.stream_follower import StreamFollower
from support.processes import PATIENCE_S, eventually, run_until
from support.table.table_side import CONFIG

STYLES = ("caller", "random")
LONG = 10_000_000
"""Hands of a session that goes on until its room is closed."""
_TABLES_EACH = 100
_PATIENCE_S = 2 * PATIENCE_S
_EVENTS = 50
_PHASE = "SELECT content::json ->> 'phase' FROM room WHERE room_id = '{}'"
_AWAY = {502, 503, 504}


class LobbyGroup:
    """The processes; every request of the test goes to a lobby that `rng` chooses.

    Tables know the address that the lobbies share, and players know nobody. If not all lobbies
    `are_active`, one is, and the tables keep journals.
    """

    def __init__(
        self, server: Postgres, data: Path, rooms: int, lobbies: int, *, are_active: bool
    ) -> None:
        self.server = server
        self.rng = random.Random(f"{lobbies} lobbies")
        self.database_url = server.empty_url()
        self.journal = data / "tables" / "tables-1-of-1.journal"
        self.log = Log(data / "log")
        self.lobbies = [self._lobby(f"lobby-{n}", data) for n in range(1, lobbies + 1)]
        for lobby in self.lobbies if are_active else ():
            lobby.environment |= {
                "CASINO_LOBBY_PEER_URL": lobby.url,
                "CASINO_LOBBY_PEER_KEY": "the key that these lobbies share",
            }
        self.live = list(self.lobbies)
        self.shared = SpreadAddress([lobby.port for lobby in self.lobbies], self.rng)
        for lobby in self.lobbies:
            lobby.environment["CASINO_LOBBY_PUBLIC_URL"] = self.shared.url
        processes = ceil(rooms / _TABLES_EACH)
        tables = {
            "CASINO_TABLE_COUNT": str(ceil(rooms / processes)),
            "CASINO_TABLE_LOBBY_URL": self.shared.url,
            "CASINO_TABLE_ANNOUNCE_EVERY": "2s" if rooms <= _TABLES_EACH else "20s",
        }
        if not are_active:
            tables["CASINO_TABLE_DATA"] = str(self.journal.parent)
        self.tables = [
            Member(f"tables-{n}", "casino_table", [], tables, self.log) for n in range(processes)
        ]
        thinking = {"CASINO_PLAYER_THINK": "10ms"}
        self.players = [
            Member(style, "casino_player_example", [style], thinking, self.log) for style in STYLES
        ]
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=100)
        self.http = httpx.AsyncClient(timeout=60, trust_env=False, limits=limits)
        self.finished: set[str] = set()
        """Rooms whose session has ended."""
        self.newest: dict[str, int] = {}
        """The newest cursor of each room that a follower had."""
        self.followers: list[StreamFollower] = []
        self.repeated: Counter[str] = Counter()
        """Attempts that were repeated, by their causes."""

    def _lobby(self, name: str, data: Path) -> Member:
        lobby = Member(name, "casino_lobby", [], {}, self.log)
        lobby.environment |= {
            "CASINO_LOBBY_DATA": str(data / name),
            "CASINO_LOBBY_DATABASE": self.database_url,
            "CASINO_LOBBY_LAUNCH_TABLES": "false",
            "CASINO_LOBBY_TABLE_SILENCE": "120s",  # no table is lost, however busy the machine is
            "CASINO_LOBBY_ROOMS": "5000",
            "CASINO_LOBBY_ANNOUNCED_TABLES": "5000",
            "CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN": "1000",
            "CASINO_LOBBY_CONNECTIONS_PER_ADDRESS": "2000",
            "CASINO_LOBBY_STREAM_BEHIND": "100000",  # the followers share a process with the driver
        }
        return lobby

    # Commands.

    async def command(self, path: str, body: dict[str, Any], key: str) -> httpx.Response:
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                lobby = self.rng.choice(self.live)
                try:
                    reply = await self.http.post(
                        f"{lobby.url}{path}", json=body, headers={"Idempotency-Key": key}
                    )
                except httpx.TransportError as error:
                    cause = type(error).__name__
                else:
                    if reply.status_code not in _AWAY:
                        return reply
                    cause = reply.json()["reason"]
                self.repeated[cause] += 1
                await asyncio.sleep(0.1)

    async def fill(self, room_id: str, hands: int, *, is_full: bool) -> None:
        """Open a room and seat both players; a full room starts by itself."""
        config = {**CONFIG, "maxHands": hands, "seed": room_id, "rebuy": "auto"}
        config["maxSeats"] = len(STYLES) if is_full else len(STYLES) + 1
        opened = await self.command(
            "/v1/rooms", {"roomId": room_id, "config": config}, f"{room_id}:create"
        )
        assert opened.status_code == 201, opened.text
        seated = await asyncio.gather(
            *(
                self.command(
                    f"/v1/rooms/{room_id}/players",
                    {"agentCardUrl": player.url},
                    f"{room_id}:{player.name}",
                )
                for player in self.players
            )
        )
        assert [reply.status_code for reply in seated] == [201, 201], seated[0].text

    async def play(self, room_id: str, hands: int, *, is_full: bool) -> None:
        """Play a session; one that does not start by itself is started at two lobbies at once."""
        await self.fill(room_id, hands, is_full=is_full)
        if not is_full:
            path, key = f"/v1/rooms/{room_id}/start", f"{room_id}:start"
            replies = await asyncio.gather(*(self.command(path, {}, key) for _ in "12"))
            assert [reply.status_code for reply in replies] == [202, 202], replies[0].text
        await run_until(lambda: room_id in self.finished, _PATIENCE_S)

    async def execute(self, room_id: str) -> None:
        """Send a command that the room's owner refuses."""
        reply = await self.command(f"/v1/rooms/{room_id}/start", {}, f"{room_id}:started")
        assert reply.json()["reason"] == "ALREADY_RUNNING", reply.text

    async def plays_on(self, room_id: str) -> None:
        """Wait until a follower has had further events of a room."""
        wanted = self.newest_cursor() + _EVENTS
        await run_until(lambda: self.newest.get(room_id, 0) > wanted, _PATIENCE_S)

    async def close(self, room_id: str) -> None:
        """Close a room, and wait for its end."""
        closing = await self.command(f"/v1/rooms/{room_id}/close", {}, f"{room_id}:close")
        assert closing.status_code == 202, closing.text

        async def is_closed() -> bool:
            return self.server.run(_PHASE.format(room_id)) == "closed"

        await eventually(is_closed, _PATIENCE_S, every=0.2)

    # Streams and members.

    def follow(self, lobby: Member) -> StreamFollower:
        """Return a follower of the stream that begins at a lobby, not begun."""
        follower = StreamFollower(
            lobby.url, lambda: [other.url for other in self.live], self._note, self.rng
        )
        self.followers.append(follower)
        return follower

    def _note(self, cursor: int, data: dict[str, Any]) -> None:
        room_id, event = data["roomId"], data["event"]
        self.newest[room_id] = max(cursor, self.newest.get(room_id, 0))
        if event["eventType"] == "table_status" and event["payload"]["kind"] == "finished":
            self.finished.add(room_id)

    def rooms_of(self, lobby: Member) -> list[str]:
        rooms = self.server.run(
            "SELECT room_id FROM room JOIN lobby_member ON owner = number"
            f" WHERE url = '{lobby.url}' ORDER BY room_id"
        )
        return rooms.split()

    def newest_cursor(self) -> int:
        return int(self.server.run("SELECT coalesce(max(cursor), 0) FROM event"))

    async def read_to_the_end(self) -> None:
        """Wait until every follower has every event: each of them once, in order."""

        async def has_all() -> bool:
            newest = [self.newest_cursor()]
            return all(follower.cursors[-1:] == newest for follower in self.followers)

        await eventually(has_all)
        stored = self.server.run("SELECT cursor FROM event ORDER BY cursor").split()
        for follower in self.followers:
            assert follower.cursors == list(map(int, stored))
            assert follower.begun_anew == 0

    async def stop(self, *members: Member) -> None:
        """Stop processes gracefully."""
        await asyncio.gather(*(member.stop() for member in members))

    async def kill(self, *members: Member) -> None:
        """End processes at once: tables that said goodbye would move their rooms."""
        await asyncio.gather(*(member.kill() for member in members))


@asynccontextmanager
async def lobby_group(
    server: Postgres,
    data: Path,
    rooms: int,
    *,
    lobbies: int,
    begun: int | None = None,
    are_active: bool = True,
) -> AsyncIterator[LobbyGroup]:
    """Run the processes, of the lobbies only the first `begun`, and end them."""
    group = LobbyGroup(server, data, rooms, lobbies, are_active=are_active)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(group.http.aclose)
        members = (*group.tables, *group.players, *group.lobbies)
        await group.shared.start()
        stack.push_async_callback(group.shared.stop)
        stack.push_async_callback(group.kill, *members)  # before, so that nobody connects any more
        group.live = group.lobbies[:begun]
        async with asyncio.TaskGroup() as starting:
            for member in (*group.live, *group.players, *group.tables):
                starting.create_task(member.start())
        async with asyncio.TaskGroup() as following:
            tasks = [following.create_task(group.follow(lobby).run()) for lobby in group.live]
            try:
                yield group
            finally:
                for task in tasks:
                    task.cancel()
