"""A casino of processes behind TLS, with an authority of its own."""

import asyncio
import os
import sys
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import orjson
import pytest
from casino_agentkit import AgentClient, Child, HttpTransport, Unreachable
from casino_agentkit.signing.card_key import CardKey
from casino_agentkit.tls.context import client_context
from casino_contracts import SignupInvitation, SignupResponse
from support.casino.live import ProcessCasino, live_casino, process
from support.certificates import Authority
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

READY = Path(__file__).parents[2] / "containers" / "ready.py"
SOON = timedelta(seconds=20)
INVITATION = SignupInvitation(
    casino_name="c", table_id="t1", room_id="r1", min_buy_in=1, max_buy_in=2, small_blind=1,
    big_blind=2,
)  # fmt: skip


class Keys:
    """The files of a casino with an authority of its own."""

    def __init__(self, directory: Path) -> None:
        self.authority = Authority(directory)
        self.cert, self.key = self.authority.give("casino")
        self.card_key = directory / "card-key.pem"

    def of(self, service: str, *, trusts: Path | None = None) -> dict[str, str]:
        """Return the settings of a service."""
        return {
            f"CASINO_{service}_TLS_CERT": str(self.cert),
            f"CASINO_{service}_TLS_KEY": str(self.key),
            f"CASINO_{service}_TLS_CA": str(trusts or self.authority.root),
        }


def tls_casino(keys: Keys, **settings: str) -> AbstractAsyncContextManager[ProcessCasino]:
    """Run a casino whose lobby listens with TLS."""
    trust = client_context(keys.authority.root)
    return live_casino(trust=trust, **keys.of("LOBBY"), **settings)


def tls_player(keys: Keys, name: str, **settings: str) -> AbstractAsyncContextManager[Child]:
    """Run a player that listens with TLS."""
    arguments = ["caller", "--name", name, "--port", "0"]
    return process(
        name, "casino_player_example", arguments, settings={**keys.of("PLAYER"), **settings}
    )


async def first_events(at: ProcessCasino, room_id: str, count: int) -> list[str]:
    """Return the types of the first events of a room's live stream."""
    kinds: list[str] = []
    async with asyncio.timeout(30), at.http.stream("GET", f"/v1/rooms/{room_id}/stream") as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        async for line in reply.aiter_lines():
            if line.startswith("event:"):
                kinds.append(line.removeprefix("event:").strip())
            if len(kinds) == count:
                break
    return kinds


@pytest.mark.parametrize("table", ["launched", "announced"])
async def test_a_game_is_played_over_tls(tmp_path: Path, table: str) -> None:
    """One table is launched, and one announced itself."""
    keys = Keys(tmp_path)
    is_announced = table == "announced"
    async with (
        tls_casino(keys, CASINO_LOBBY_LAUNCH_TABLES=str(not is_announced)) as casino,
        tls_player(keys, "Ada") as ada,
        tls_player(keys, "Bob") as bob,
    ):
        assert casino.lobby.url.startswith("https://127.0.0.1:")
        if is_announced:
            settings = {**keys.of("TABLE"), "CASINO_TABLE_LOBBY_URL": casino.lobby.url}
            await casino.start("table", "casino_table", "--port", "0", **settings)

            async def is_there() -> bool:
                return bool((await casino.http.get("/v1/tables")).json()["tables"])

            await eventually(is_there)
        cards = [ada.cards[0], bob.cards[0]]
        assert all(card.startswith("https://") for card in cards)
        playing = asyncio.ensure_future(casino.play("r1", "texas-holdem", cards, maxHands=20))

        async def is_open() -> bool:
            return (await casino.http.get("/v1/rooms/r1")).is_success

        await eventually(is_open, every=0.02)
        streaming = await first_events(casino, "r1", 5)
        assert streaming[0] == "snapshot"
        await playing
        events = await casino.events("r1")
        outcomes = {
            (event.payload or {})["outcome"]
            for event in events
            if event.event_type == "action_taken"
        }
        assert outcomes == {"ok"}
        room = await casino.room("r1")
        assert (room.table_agent_card_url or "").startswith("https:" if is_announced else "http:")
        await casino.close("r1")


async def test_the_console_and_the_health_check_use_tls(tmp_path: Path) -> None:
    """They trust the given authority only."""
    keys = Keys(tmp_path)
    async with tls_casino(keys) as casino:
        url = casino.lobby.url
        trusting = {"CASINO_CONSOLE_LOBBY_URL": url, "CASINO_TLS_CA": str(keys.authority.root)}
        assert await _ended(["-m", "casino", "rooms", "--json"], trusting) == 0
        assert await _ended(["-m", "casino", "rooms"], {"CASINO_CONSOLE_LOBBY_URL": url}) == 1
        missing = {**trusting, "CASINO_TLS_CA": str(tmp_path / "nowhere")}
        assert await _ended(["-m", "casino", "rooms"], missing) == 2
        port = str(urlsplit(url).port)
        assert await _ended([str(READY), port], keys.of("LOBBY")) == 0
        assert await _ended([str(READY), port], {}) == 1


async def _ended(arguments: list[str], environment: dict[str, str]) -> int | None:
    """Run Python to its end; returns its exit code."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await process.wait()


async def test_typed_calls_and_signed_cards_work_over_tls(tmp_path: Path) -> None:
    """The card has https addresses and its signer."""
    keys = Keys(tmp_path)
    key = CardKey.kept_at(keys.card_key)
    async with AsyncExitStack() as stack:
        running = tls_player(keys, "Ada", CASINO_PLAYER_CARD_KEY=str(keys.card_key))
        child = await stack.enter_async_context(running)
        client = AgentClient(HttpTransport(tls=client_context(keys.authority.root)))
        stack.push_async_callback(client.close)
        peer = await client.resolve(child.cards[0], timeout=SOON)
        assert peer.url.startswith(f"{child.url}/")
        assert peer.signer == key.public.thumbprint
        answer = await peer.call("signup", INVITATION, SignupResponse, timeout=SOON)
        assert answer.display_name == "Ada"
        async with httpx.AsyncClient(
            verify=client_context(keys.authority.root), trust_env=False
        ) as http:
            keys_served = await http.get(f"{child.url}/.well-known/jwks.json")
            assert orjson.loads(keys_served.content)["keys"][0]["kid"] == key.public.thumbprint


async def test_an_untrusted_certificate_is_refused(tmp_path: Path) -> None:
    """By a client and by a lobby that seats a player; the message says what to do."""
    keys = Keys(tmp_path)
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    async with tls_player(keys, "Ada") as player, live_casino() as untrusting:
        for trust in (client_context(), client_context(other.root)):
            client = AgentClient(HttpTransport(tls=trust))
            with pytest.raises(Unreachable, match="its TLS certificate is not accepted"):
                await client.resolve(player.cards[0], timeout=SOON)
            await client.close()
        await untrusting.open("r1")
        refused = await untrusting.seat(player.cards[0], "r1")
        assert not refused.is_success
        assert "its TLS certificate is not accepted" in refused.json()["detail"]
        assert "TLS_CA" in refused.json()["detail"]


async def test_plain_http_on_a_tls_port_fails_at_once(tmp_path: Path) -> None:
    """TLS is served as before."""
    keys = Keys(tmp_path)
    async with tls_casino(keys) as casino, httpx.AsyncClient(trust_env=False) as http:
        url = urlsplit(casino.lobby.url)
        async with asyncio.timeout(10):
            with pytest.raises(httpx.TransportError):
                await http.get(f"http://{url.netloc}/healthz")
        assert (await casino.http.get("/healthz")).is_success


async def test_connections_without_a_handshake_are_closed(tmp_path: Path) -> None:
    """300 of them leave room for others."""
    keys = Keys(tmp_path)
    async with tls_casino(keys) as casino:
        port = urlsplit(casino.lobby.url).port
        silent = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.9", 0))
            for _ in range(300)
        ]
        try:
            assert (await casino.http.get("/readyz")).is_success
            async with asyncio.timeout(60):  # ten seconds, and what a busy machine adds
                await asyncio.gather(
                    *(reader.read() for reader, _ in silent), return_exceptions=True
                )
        finally:
            for _, writer in silent:
                writer.transport.abort()


async def test_plain_http_beyond_loopback_logs_a_warning(tmp_path: Path) -> None:
    """It is logged once, and neither on loopback nor with TLS."""
    keys = Keys(tmp_path)
    for settings, is_reported in (
        ({"CASINO_PLAYER_HOST": "0.0.0.0"}, True),
        ({}, False),
        ({"CASINO_PLAYER_HOST": "0.0.0.0", "CASINO_PLAYER_PUBLIC_URL": "https://x.example"}, False),
        ({"CASINO_PLAYER_HOST": "0.0.0.0", **keys.of("PLAYER")}, False),
    ):
        logs: list[str] = []
        arguments = ["caller", "--port", "0"]
        async with process(
            "caller", "casino_player_example", arguments, settings=settings, on_log=logs.append
        ):
            pass
        reported = [line for line in logs if "keys and cards travel in clear" in line]
        assert len(reported) == is_reported, settings


@pytest.mark.parametrize("service", ["casino_lobby", "casino_table", "casino_player_example"])
async def test_an_unsafe_key_file_is_refused_in_one_line(tmp_path: Path, service: str) -> None:
    """The service does not listen."""
    keys = Keys(tmp_path)
    prefix = {"casino_lobby": "LOBBY", "casino_table": "TABLE"}.get(service, "PLAYER")
    keys.key.chmod(0o644)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", service,
        env={**os.environ, **keys.of(prefix)}, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, reported = await process.communicate()
    assert process.returncode == 1
    (line,) = reported.decode().splitlines()
    assert line.startswith(f"{service}: CASINO_{prefix}_TLS_KEY: ")
    assert line.endswith(
        f"{keys.key} is open to others (mode 0644): `chmod 600` it, and take another key if"
        " somebody may have read this one"
    )
