"""What waits says why, at its begin and its end, in real processes: log, metrics and readiness.

Each cause is made, seen, mended, and then gone. What a room tells of it: `tests/lobby`.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_contracts import WaitReason
from support.casino.casino import GAME_RULES, ProcessCasino, process_casino
from support.casino.members import Process
from support.casino.small_disk import MIB, small_disk
from support.evaluator.live_evaluator import evaluator_of
from support.fault_proxy import FaultProxy
from support.gateway.live_gateway import live_gateway
from support.players.model_server import KEY, ModelServer, sensible, serving
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(400)]

RULES: dict[str, Any] = {
    "maxHands": 10_000_000,
    "maxSeats": 2,
    "maxTimeouts": 1,
    "actionTimeoutMs": 1_000,
    "paceMs": 50,
    "rebuy": "auto",
}


class Waiting:
    """A reason for which a process waits, as its log and its metrics tell it."""

    def __init__(self, process: Process, reason: WaitReason) -> None:
        self.process = process
        self.reason = reason

    async def seen(self, detail: str = "") -> None:
        """Wait until it is told, with its fix and a detail in the log."""
        await eventually(self._is_counted)
        (began,) = await eventually(lambda: self._logged("wait_began"))
        assert began["fix"] == self.reason.fix
        assert detail in (began.get("detail") or "")
        stops = self.reason.gravity == "stop"
        ready = await _get(self.process, "/readyz")
        assert ready.status_code == (503 if stops else 200)
        assert not stops or ready.json()["waits"][0]["reason"] == self.reason

    async def gone(self) -> None:
        """Wait until it goes on."""
        await eventually(self._is_over)
        (ended,) = await eventually(lambda: self._logged("wait_ended"))
        assert ended["seconds"] > 0
        assert (await _get(self.process, "/readyz")).status_code == 200

    async def _count(self) -> str:
        metrics = (await _get(self.process, "/metrics")).text.splitlines()
        head = f'casino_waits{{reason="{self.reason}"}} '
        return next((line.removeprefix(head) for line in metrics if line.startswith(head)), "")

    async def _is_counted(self) -> bool:
        return await self._count() not in {"", "0.0"}

    async def _is_over(self) -> bool:
        return await self._count() == "0.0"

    async def _logged(self, event: str) -> list[dict[str, Any]]:
        """Return the last line of this event and reason, if there is one."""
        lines = [json.loads(line) for line in self.process.log if line.startswith("{")]
        return [one for one in lines if (one["event"], one.get("reason")) == (event, self.reason)][
            -1:
        ]


async def _get(process: Process, path: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
        return await http.get(process.url + path)


async def seated(casino: ProcessCasino, *players: Process) -> None:
    """Open a room and let these play in it."""
    await casino.open(**RULES)
    for player in players:
        for card in player.cards:
            assert (await casino.seat(card)).status_code == 201
    await casino.hands(1)


async def test_a_table_that_waits_says_why(tmp_path: Path) -> None:
    """For space on its disk, for its players, for its lobby; then it plays on."""
    data = tmp_path / "table"
    with small_disk(data) as disk:
        async with process_casino(CASINO_LOBBY_DATA=str(tmp_path / "lobby")) as casino:
            table = await casino.host_tables(1, CASINO_TABLE_DATA=str(data))
            players = await casino.sample("caller", CASINO_PLAYER_COUNT="2")
            await seated(casino, players)

            full = Waiting(table, WaitReason.DISK_FULL)
            disk.fill(left=4 * MIB)
            await full.seen(str(data))
            disk.clear()
            await full.gone()

            away = Waiting(table, WaitReason.PLAYERS_AWAY)
            await players.kill()
            await away.seen()
            await players.start()
            await away.gone()

            behind = Waiting(table, WaitReason.DELIVERY_BEHIND)
            await casino.lobby.kill()
            await behind.seen("http://127.0.0.1")
            await casino.lobby.start()
            await behind.gone()
            await casino.hands(2)


async def test_a_provider_that_is_cut_off_is_told_by_player_and_table() -> None:
    """Play goes on by default; with the provider the model decides again."""
    model = ModelServer(sensible)
    async with serving(model) as url, process_casino() as casino:
        proxy = FaultProxy(httpx.URL(url).port or 0)
        await proxy.start()
        try:
            table = await casino.host_tables(1)
            player = await casino.sample(
                "llm",
                CASINO_PLAYER_LLM_MODEL="openai:stand-in",
                CASINO_PLAYER_LLM_BASE_URL=f"{proxy.url}/v1",
                CASINO_PLAYER_LLM_API_KEY=KEY,
                CASINO_PLAYER_LLM_TOKEN_BUDGET="1000000000",
                CASINO_PLAYER_LLM_ATTEMPTS="1",
            )
            rules = {"maxTimeouts": 1_000_000, "actionTimeoutMs": 10_000}
            await casino.open(**{**RULES, **rules})
            for card in (*player.cards, *await casino.samples("caller", 1)):
                reply = await casino.seat(card)
                assert reply.status_code == 201, reply.text
            await casino.hands(1)
            places = [Waiting(one, WaitReason.PROVIDER_AWAY) for one in (player, table)]
            await proxy.cut()
            for place in places:
                await place.seen()
            await casino.hands(1)
            proxy.mend()
            for place in places:
                await place.gone()
            assert KEY not in "".join([*player.log, *table.log])
        finally:
            await proxy.stop()


async def test_a_gateway_and_an_evaluator_that_wait_say_why(tmp_path: Path) -> None:
    """For space on the gateway's disk, for the lobby, for a table of the evaluator's session."""
    data = tmp_path / "gateway"
    with small_disk(data) as disk:
        async with live_gateway({"CASINO_GATEWAY_DATA": str(data)}) as live:
            await live.open("main", "kuhn_poker", **GAME_RULES)
            await live.sit("main", "Ada")

            failed = Waiting(live, WaitReason.STORE_FAILED)
            disk.fill(left=0)
            body = {"match_id": "main", "name": "Bob", "type": "ai"}
            assert (await live.http.post("/bgp/seats", json=body)).status_code == 503
            await failed.seen("full")
            disk.clear()
            await failed.gone()

            async with evaluator_of(live.casino) as evaluator:
                away = [Waiting(one, WaitReason.LOBBY_AWAY) for one in (live, evaluator)]
                client = evaluator.client()
                card = await client.open()
                game = (await client.games())["kuhn"]["game_id"]
                await live.casino.lobby.kill()
                assert (await client.post("cmd/RESET", game_id=game, card_id=card)).is_error
                for place in away:
                    await place.seen("cannot be reached")
                await live.casino.lobby.start()
                for place in away:
                    await place.gone()

                missing = Waiting(evaluator, WaitReason.NO_TABLE)
                opening = asyncio.create_task(client.post("cmd/RESET", game_id=game, card_id=card))
                await missing.seen()
                tables = await live.casino.host_tables(
                    1, CASINO_TABLE_LOBBY_URL=live.casino.lobby.url
                )
                assert tables.runs()
                await opening
                await missing.gone()
