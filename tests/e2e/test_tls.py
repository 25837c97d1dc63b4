"""A casino of processes behind TLS, with an authority of its own."""

import asyncio
import os
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from casino_agentkit.tls import client_context
from support.casino.casino import ProcessCasino, process, process_casino
from support.casino.commands import CASINO
from support.casino.members import Process
from support.certificates import Authority
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

READY = Path(__file__).parents[2] / "containers" / "ready.py"


class Keys:
    """The files of a casino with an authority of its own."""

    def __init__(self, directory: Path) -> None:
        self.authority = Authority(directory)
        self.cert, self.key = self.authority.give("casino")

    def of(self, service: str) -> dict[str, str]:
        """Return the settings of a service."""
        return {
            f"CASINO_{service}_TLS_CERT": str(self.cert),
            f"CASINO_{service}_TLS_KEY": str(self.key),
            f"CASINO_{service}_TLS_CA": str(self.authority.root),
        }

    def player(self, name: str, **settings: str) -> AbstractAsyncContextManager[Process]:
        """Run a player that listens with TLS."""
        arguments = ["caller", "--name", name, "--port", "0"]
        settings = {**self.of("PLAYER"), **settings}
        return process(name, "casino_player_example", arguments, settings=settings)


async def _ended(command: tuple[str, ...], environment: dict[str, str]) -> int | None:
    """Run a command to its end; returns its exit code."""
    running = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await running.wait()


async def _streams(at: ProcessCasino, room_id: str) -> bool:
    """Tell whether a room's live stream begins with a snapshot."""
    async with at.http.stream("GET", f"/v1/rooms/{room_id}/stream") as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        async for line in reply.aiter_lines():
            if line.startswith("event:"):
                return line.removeprefix("event:").strip() == "snapshot"
    return False


async def test_games_are_played_over_tls(tmp_path: Path) -> None:
    """At a launched table and at one that announced itself; console and health check trust it."""
    keys = Keys(tmp_path)
    trust = client_context(keys.authority.root)
    async with (
        process_casino(trust=trust, **keys.of("LOBBY")) as casino,
        keys.player("Ada") as ada,
        keys.player("Bob") as bob,
    ):
        url = casino.lobby.url
        cards = [ada.cards[0], bob.cards[0]]
        assert all(address.startswith("https://127.0.0.1:") for address in (url, *cards))
        await casino.play("launched", "texas-holdem", cards, maxHands=5)
        settings = {**keys.of("TABLE"), "CASINO_TABLE_LOBBY_URL": url}
        table = await casino.start("table", "casino_table", "--port", "0", **settings)

        async def is_there() -> bool:
            return bool((await casino.http.get("/v1/tables")).json()["tables"])

        await eventually(is_there)
        await casino.play("announced", "texas-holdem", cards, table=table.cards[0], maxHands=5)
        for room, scheme in (("launched", "http:"), ("announced", "https:")):
            outcomes = await casino.outcomes(room)
            assert {each for taken in outcomes.values() for each in taken} == {"ok"}
            assert (await casino.room(room)).table_agent_card_url.startswith(scheme)
            assert await _streams(casino, room)
        await casino.close("announced")

        trusting = {"CASINO_CONSOLE_LOBBY_URL": url, "CASINO_TLS_CA": str(keys.authority.root)}
        missing = {**trusting, "CASINO_TLS_CA": str(tmp_path / "nowhere")}
        rooms, port = (*CASINO, "rooms", "--json"), urlsplit(url).port
        ready = (sys.executable, str(READY), str(port))
        codes = [
            await _ended(command, environment)
            for command, environment in (
                (rooms, trusting),
                (rooms, {"CASINO_CONSOLE_LOBBY_URL": url}),
                (rooms, missing),
                (ready, keys.of("LOBBY")),
                (ready, {}),
            )
        ]
        assert codes == [0, 1, 2, 0, 1]
        async with httpx.AsyncClient(trust_env=False) as http:
            with pytest.raises(httpx.TransportError):
                await http.get(f"http://127.0.0.1:{port}/healthz")
        assert (await casino.http.get("/healthz")).is_success
