"""A casino behind TLS: real processes, real certificates, and an authority of one's own."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
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
from support.casino.floor import Floor
from support.certificates import Authority
from support.processes import eventually

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

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


@asynccontextmanager
async def floor(keys: Keys, **settings: str) -> AsyncIterator[Floor]:
    """Open a floor whose lobby listens with TLS."""
    async with AsyncExitStack() as stack:
        opened = Floor(stack)
        opened.trust = client_context(keys.authority.root)
        await opened.open(**keys.of("LOBBY"), **settings)
        yield opened


async def player(at: Floor, keys: Keys, name: str, **settings: str) -> Child:
    """Start a player that listens with TLS."""
    return await at.start(
        "casino_player_example", {**keys.of("PLAYER"), **settings}, "caller", "--name", name
    )


async def first_events(at: Floor, room_id: str, count: int) -> list[str]:
    """Return the first words of a room's live stream."""
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
async def test_a_game_is_played(tmp_path: Path, table: str) -> None:
    """At a table that the lobby launched, and at one that announced itself."""
    keys = Keys(tmp_path)
    is_announced = table == "announced"
    async with floor(keys, CASINO_LOBBY_LAUNCH_TABLES=str(not is_announced)) as seats:
        assert seats.lobby.url.startswith("https://127.0.0.1:")
        if is_announced:
            await seats.start(
                "casino_table", {**keys.of("TABLE"), "CASINO_TABLE_LOBBY_URL": seats.lobby.url}
            )

            async def is_there() -> bool:
                return bool((await seats.http.get("/v1/tables")).json()["tables"])

            await eventually(is_there)
        players = [await player(seats, keys, name) for name in ("Ada", "Bob")]
        for child in players:
            assert child.cards[0].startswith("https://")
        cards = [child.cards[0] for child in players]
        playing = asyncio.ensure_future(seats.play("r1", "texas-holdem", cards, maxHands=20))

        async def is_open() -> bool:
            return (await seats.http.get("/v1/rooms/r1")).is_success

        await eventually(is_open, every=0.02)
        streaming = await first_events(seats, "r1", 5)
        assert streaming[0] == "snapshot"
        await playing
        events = await seats.events("r1")
        outcomes = {
            (event.payload or {})["outcome"]
            for event in events
            if event.event_type == "action_taken"
        }
        assert outcomes == {"ok"}
        room = await seats.room("r1")
        assert (room.table_agent_card_url or "").startswith("https:" if is_announced else "http:")


async def test_the_console_and_the_health_check_speak_it(tmp_path: Path) -> None:
    """The console trusts the authority that it is given, and no other."""
    keys = Keys(tmp_path)
    async with floor(keys) as seats:
        url = seats.lobby.url
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


async def test_a_typed_call_and_a_signed_card(tmp_path: Path) -> None:
    """The card tells https addresses, and whose it is."""
    keys = Keys(tmp_path)
    key = CardKey.kept_at(keys.card_key)
    async with AsyncExitStack() as stack:
        seats = Floor(stack)
        child = await player(seats, keys, "Ada", CASINO_PLAYER_CARD_KEY=str(keys.card_key))
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


async def test_whoever_does_not_trust_it_does_not_call_it(tmp_path: Path) -> None:
    """A client, and a lobby that is to seat a player; the words say what to do."""
    keys = Keys(tmp_path)
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    async with floor(keys) as seats:
        stranger = await player(seats, keys, "Ada")
        for trust in (client_context(), client_context(other.root)):
            client = AgentClient(HttpTransport(tls=trust))
            with pytest.raises(Unreachable, match="its TLS certificate is not accepted"):
                await client.resolve(stranger.cards[0], timeout=SOON)
            await client.close()
        elsewhere = Floor(seats._stack)
        await elsewhere.open()
        rules = {
            "startingStack": 4,
            "smallBlind": 1,
            "bigBlind": 2,
            "minBuyIn": 2,
            "maxBuyIn": 4,
            "maxSeats": 2,
            "maxHands": 1,
        }
        await elsewhere.post("/v1/rooms", roomId="r1", config=rules)
        refused = await elsewhere.http.post(
            "/v1/rooms/r1/players", json={"agentCardUrl": stranger.cards[0]}
        )
        assert not refused.is_success
        assert "its TLS certificate is not accepted" in refused.json()["detail"]
        assert "TLS_CA" in refused.json()["detail"]


async def test_plain_http_does_not_hang(tmp_path: Path) -> None:
    """On the port of TLS."""
    keys = Keys(tmp_path)
    async with floor(keys) as seats, httpx.AsyncClient(trust_env=False) as http:
        url = urlsplit(seats.lobby.url)
        async with asyncio.timeout(10):
            with pytest.raises(httpx.TransportError):
                await http.get(f"http://{url.netloc}/healthz")
        assert (await seats.http.get("/healthz")).is_success


async def test_silence_does_not_hold_it(tmp_path: Path) -> None:
    """Many connections that begin no handshake leave room for others, and end."""
    keys = Keys(tmp_path)
    async with floor(keys) as seats:
        port = urlsplit(seats.lobby.url).port
        silent = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.9", 0))
            for _ in range(300)
        ]
        try:
            assert (await seats.http.get("/readyz")).is_success
            async with asyncio.timeout(60):  # ten seconds, and what a busy machine adds
                await asyncio.gather(
                    *(reader.read() for reader, _ in silent), return_exceptions=True
                )
        finally:
            for _, writer in silent:
                writer.transport.abort()


async def test_without_tls_beyond_this_machine_it_says_so(tmp_path: Path) -> None:
    """Once; not on loopback, and not with TLS."""
    keys = Keys(tmp_path)
    for settings, is_told in (
        ({"CASINO_PLAYER_HOST": "0.0.0.0"}, True),
        ({}, False),
        ({"CASINO_PLAYER_HOST": "0.0.0.0", "CASINO_PLAYER_PUBLIC_URL": "https://x.example"}, False),
        ({"CASINO_PLAYER_HOST": "0.0.0.0", **keys.of("PLAYER")}, False),
    ):
        async with AsyncExitStack() as stack:
            seats = Floor(stack)
            await seats.start("casino_player_example", settings, "caller")
        told = [line for line in seats.logs if "keys and cards travel in clear" in line]
        assert len(told) == is_told, settings


@pytest.mark.parametrize("service", ["casino_lobby", "casino_table", "casino_player_example"])
async def test_what_is_wrong_with_the_files_is_said(tmp_path: Path, service: str) -> None:
    """In one line, before anything listens."""
    keys = Keys(tmp_path)
    prefix = {"casino_lobby": "LOBBY", "casino_table": "TABLE"}.get(service, "PLAYER")
    keys.key.chmod(0o644)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", service,
        env={**os.environ, **keys.of(prefix)}, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, told = await process.communicate()
    assert process.returncode == 1
    (line,) = told.decode().splitlines()
    assert line.startswith(f"{service}: CASINO_{prefix}_TLS_KEY: ")
    assert line.endswith(
        f"{keys.key} is open to others (mode 0644): `chmod 600` it, and take another key if"
        " somebody may have read this one"
    )
