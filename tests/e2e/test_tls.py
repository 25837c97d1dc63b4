"""A casino of processes behind TLS, with an authority of its own."""

import asyncio
import os
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from casino_agentkit import AgentClient, HttpTransport, Unreachable
from casino_agentkit.signing.card_key import CardKey
from casino_agentkit.tls.context import client_context
from casino_contracts import SignupInvitation, SignupResponse
from support.casino.casino import ProcessCasino, process, process_casino
from support.casino.commands import CASINO
from support.casino.members import Process
from support.certificates import Authority
from support.processes import eventually
from support.table.table_side import SOON

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

READY = Path(__file__).parents[2] / "containers" / "ready.py"
INVITATION = SignupInvitation(
    casino_name="c", table_id="t1", room_id="r1", min_buy_in=1, max_buy_in=2, small_blind=1,
    big_blind=2,
)  # fmt: skip


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


async def test_signed_cards_are_read_over_tls_by_who_trusts_the_certificate(
    tmp_path: Path,
) -> None:
    """A client or a lobby that does not trust it says what to do."""
    keys = Keys(tmp_path)
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    card_key = tmp_path / "card-key.pem"
    thumbprint = CardKey.kept_at(card_key).public.thumbprint
    trust = client_context(keys.authority.root)
    settings = {"CASINO_PLAYER_CARD_KEY": str(card_key)}
    async with keys.player("Ada", **settings) as player, process_casino() as untrusting:
        client = AgentClient(HttpTransport(tls=trust))
        peer = await client.resolve(player.cards[0], timeout=SOON)
        assert peer.url.startswith(f"{player.url}/")
        assert peer.signer == thumbprint
        answer = await peer.call("signup", INVITATION, SignupResponse, timeout=SOON)
        assert answer.display_name == "Ada"
        await client.close()
        async with httpx.AsyncClient(verify=trust, trust_env=False) as http:
            served = (await http.get(f"{player.url}/.well-known/jwks.json")).json()
        assert served["keys"][0]["kid"] == thumbprint
        for wrong in (client_context(), client_context(other.root)):
            client = AgentClient(HttpTransport(tls=wrong))
            with pytest.raises(Unreachable, match="its TLS certificate is not accepted"):
                await client.resolve(player.cards[0], timeout=SOON)
            await client.close()
        await untrusting.open("r1")
        refused = await untrusting.seat(player.cards[0], "r1")
        assert not refused.is_success
        assert "its TLS certificate is not accepted" in refused.json()["detail"]
        assert "TLS_CA" in refused.json()["detail"]
