"""What waits says why, in real processes: on page, console, REST, metrics, log and readiness.

Each cause is made, seen, mended, and then gone.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import httpx
import pytest
from casino_contracts import Waiting, WaitReason
from playwright.async_api import Locator, Page, expect
from support.casino.casino import GAME_RULES, ProcessCasino, process, process_casino
from support.casino.commands import finished_beside, started
from support.casino.members import Process
from support.casino.small_disk import MIB, small_disk
from support.chromium import chromium, page_at
from support.evaluator.arc_client import KEY as AGENT_KEY
from support.evaluator.live_evaluator import evaluator_of
from support.fault_proxy import FaultProxy
from support.gateway.live_gateway import live_gateway
from support.players.model_server import KEY, ModelServer, sensible, serving
from support.processes import PATIENCE_S, eventually, reserved_port
from support.table.table_side import CONFIG

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]

RULES: dict[str, Any] = {
    "maxHands": 10_000_000,
    "maxSeats": 2,
    "maxTimeouts": 1,
    "actionTimeoutMs": 1_000,
    "paceMs": 50,
    "rebuy": "auto",
}


PATIENT: dict[str, Any] = {"CASINO_LOBBY_SIGNUP_TIMEOUT": "60s", "CASINO_LOBBY_DRAIN_TIMEOUT": "1s"}


class Told:
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
        lines = [json.loads(line) for line in self.process.lines if line.startswith("{")]
        return [one for one in lines if (one["event"], one.get("reason")) == (event, self.reason)][
            -1:
        ]


class Room:
    """The room `main`, as page, console and REST show it."""

    def __init__(self, casino: ProcessCasino, page: Page) -> None:
        self._casino = casino
        self._page = page

    async def waits_for(self, reason: WaitReason) -> None:
        """Wait until all three say so, with the fix and without what only operators may know."""
        wait = await eventually(lambda: self._wait(reason))
        assert wait is not None
        assert (wait.what, wait.fix, wait.detail) == (reason.what, reason.fix, None)
        await self._page_tells(reason)
        assert f'"{reason}"' in (await self._console()).stdout

    async def is_cut_off(self) -> None:
        """Wait until the open page says that the lobby is away, with the fix; so does a command."""
        await self._page_tells(WaitReason.LOBBY_AWAY)
        await expect(self._pill).to_have_text("lobby away")
        refused = await self._console()
        assert refused.returncode == 1
        assert re.search("does not answer: .* `casino up` starts a casino", refused.stderr)

    async def plays(self) -> None:
        """Wait until page and console say that hands are played."""
        await expect(self._pill).to_have_text("playing")
        assert '"main"' in (await self._console("--status", "playing")).stdout

    async def goes_on(self, reason: WaitReason) -> None:
        """Wait until none says so."""

        async def is_gone() -> bool:
            return await self._wait(reason) is None

        await eventually(is_gone)
        await expect(self._line(reason)).to_have_count(0)
        listed = await self._console()
        assert listed.returncode == 0, listed.stderr
        assert f'"{reason}"' not in listed.stdout

    @property
    def _pill(self) -> Locator:
        return self._page.locator(".room-head .pill")

    def _line(self, reason: WaitReason) -> Locator:
        return self._page.get_by_text(f"Waiting: {reason.what}")

    async def _page_tells(self, reason: WaitReason) -> None:
        await expect(self._line(reason)).to_be_visible()
        await expect(self._line(reason)).to_contain_text(reason.fix)

    async def _wait(self, reason: WaitReason) -> Waiting | None:
        summary = (await self._casino.room()).summary
        waits = (summary and summary.waits) or ()
        return next((wait for wait in waits if wait.reason == reason), None)

    async def _console(self, *options: str) -> CompletedProcess[str]:
        lobby = self._casino.lobby.url
        return await finished_beside("rooms", *options, "--json", "--lobby", lobby)


@asynccontextmanager
async def shown(casino: ProcessCasino) -> AsyncIterator[Room]:
    """Show the room on the page."""
    url = casino.lobby.url
    async with chromium() as browser, page_at(browser, url) as (page, watch):
        watch.expect_refusals()
        await page.goto(f"{url}/rooms/main")
        yield Room(casino, page)


async def _get(process: Process, path: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as http:
        return await http.get(process.url + path)


async def begin(casino: ProcessCasino, *cards: str, **rules: Any) -> None:
    """Let these players play in the room `main`."""
    await casino.open(**{**RULES, **rules})
    for card in cards:
        reply = await casino.seat(card)
        assert reply.status_code == 201, reply.text
    await casino.hands(1)


async def test_a_table_that_waits_says_why(tmp_path: Path) -> None:
    """For space on its disk and for its players; and the lobby for the table, which was named."""
    data = tmp_path / "table"
    with small_disk(data) as disk:
        async with process_casino(CASINO_LOBBY_TABLE_SILENCE="1s", **PATIENT) as casino:
            table = await casino.host_tables(1, CASINO_TABLE_DATA=str(data))
            players = await casino.sample("caller", CASINO_PLAYER_COUNT="2")
            await begin(casino, *players.cards)
            async with shown(casino) as room:
                full = Told(table, WaitReason.DISK_FULL)
                disk.fill(left=4 * MIB)
                await full.seen(str(data))
                await room.waits_for(full.reason)
                disk.clear()
                await full.gone()
                await room.goes_on(full.reason)

                away = Told(table, WaitReason.PLAYERS_AWAY)
                await players.kill()
                await away.seen()
                await room.waits_for(away.reason)
                await players.start()
                await away.gone()
                await room.goes_on(away.reason)

                lost = Told(casino.lobby, WaitReason.TABLE_AWAY)
                await table.kill()
                await lost.seen("connection refused")
                await room.waits_for(lost.reason)
                await table.start()
                await lost.gone()
                await room.goes_on(lost.reason)
                await room.plays()


async def test_a_room_of_the_fleet_that_waits_says_why(tmp_path: Path) -> None:
    """For a table, for the lobby, and for an answer to the announcements of its table."""
    settings = {**PATIENT, "CASINO_LOBBY_LAUNCH_TABLES": "false"}
    async with process_casino(CASINO_LOBBY_TABLE_SILENCE="2s", **settings) as casino:
        proxy = FaultProxy(httpx.URL(casino.lobby.url).port or 0)
        await proxy.start()
        data, address = str(tmp_path / "table"), proxy.url
        arguments = ("--port", str(reserved_port()))
        announced = {"CASINO_TABLE_DATA": data, "CASINO_TABLE_LOBBY_URL": address}
        try:
            table = await casino.start("tables", "casino_table", *arguments, **announced)
            players = await casino.sample("caller", CASINO_PLAYER_COUNT="2")
            await begin(casino, *players.cards)
            async with shown(casino) as room:
                lost = Told(casino.lobby, WaitReason.NO_TABLE)
                await table.kill()
                await lost.seen(table.url)
                await room.waits_for(lost.reason)
                await table.start()
                await lost.gone()
                await room.goes_on(lost.reason)

                behind, over = (
                    Told(table, reason)
                    for reason in (WaitReason.DELIVERY_BEHIND, WaitReason.LEASE_OVER)
                )
                await proxy.cut()
                await casino.lobby.kill()
                await behind.seen(casino.lobby.url)
                await over.seen()
                await room.is_cut_off()
                casino.lobby.environment["CASINO_LOBBY_TABLE_SILENCE"] = "600s"
                await casino.lobby.start()  # it takes events, and hears no announcement
                await behind.gone()
                await room.waits_for(over.reason)
                await room.goes_on(WaitReason.LOBBY_AWAY)
                proxy.mend()
                await over.gone()
                await room.goes_on(over.reason)
                await room.plays()
        finally:
            await proxy.stop()


async def test_a_provider_that_is_cut_off_is_told_by_player_and_table() -> None:
    """Play goes on by default; with the provider the model decides again."""
    model = ModelServer(sensible)
    async with serving(model) as url, process_casino(**PATIENT) as casino:
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
                CASINO_PLAYER_SPECIFICATION_TIMEOUT="50s",
            )
            cards = (*player.cards, *await casino.samples("caller", 1))
            await begin(casino, *cards, maxTimeouts=1_000_000, actionTimeoutMs=30_000)
            places = [Told(one, WaitReason.PROVIDER_AWAY) for one in (player, table)]
            async with shown(casino) as room:
                await proxy.cut()
                for place in places:
                    await place.seen()
                await room.waits_for(WaitReason.PROVIDER_AWAY)
                await casino.hands(1)
                await room.plays()
                proxy.mend()
                for place in places:
                    await place.gone()
                await room.goes_on(WaitReason.PROVIDER_AWAY)
            assert KEY not in "".join([*player.log, *table.log])
        finally:
            await proxy.stop()


async def test_a_gateway_and_an_evaluator_that_wait_say_why(tmp_path: Path) -> None:
    """For space on the gateway's disk, and for the lobby."""
    data = tmp_path / "gateway"
    with small_disk(data) as disk:
        async with live_gateway({"CASINO_GATEWAY_DATA": str(data)}) as live:
            await live.open("main", "kuhn_poker", **GAME_RULES)
            await live.sit("main", "Ada")

            failed = Told(live, WaitReason.STORE_FAILED)
            disk.fill(left=0)
            body = {"match_id": "main", "name": "Bob", "type": "ai"}
            assert (await live.http.post("/bgp/seats", json=body)).is_error
            await failed.seen("full")
            disk.clear()
            await failed.gone()

            async with evaluator_of(live.casino) as evaluator:
                away = [Told(one, WaitReason.LOBBY_AWAY) for one in (live, evaluator)]
                client = evaluator.client()
                card = await client.open()
                game = (await client.games())["kuhn"]["game_id"]
                await live.casino.lobby.kill()
                assert (await client.post("cmd/RESET", game_id=game, card_id=card)).is_error
                for place in away:
                    await place.seen("cannot be reached")
                async with chromium() as browser, page_at(browser, evaluator.url) as (page, _):
                    await page.goto(f"{evaluator.url}/#/cards/{card}")
                    await page.get_by_label("API key").fill(AGENT_KEY)
                    await page.keyboard.press("Enter")
                    line = page.get_by_text(f"Waiting: {WaitReason.LOBBY_AWAY.what}")
                    await expect(line).to_contain_text(WaitReason.LOBBY_AWAY.fix)
                    await live.casino.lobby.start()
                    for place in away:
                        await place.gone()
                    await page.reload()
                    await expect(page.locator("h1")).to_contain_text(card)
                    await expect(line).to_have_count(0)


async def test_a_lobby_whose_disk_is_full_says_why(tmp_path: Path) -> None:
    """It refuses what it cannot keep, and takes it again once there is space."""
    data = tmp_path / "lobby"
    with small_disk(data) as disk:
        async with process_casino(CASINO_LOBBY_DATA=str(data)) as casino:
            body = {"roomId": "other", "tableAgentCardUrl": "http://127.0.0.1:1", "config": CONFIG}
            await casino.open()

            async def is_refused() -> bool:
                return (await casino.http.post("/v1/rooms", json=body)).status_code == 503

            failed = Told(casino.lobby, WaitReason.STORE_FAILED)
            async with shown(casino) as room:
                disk.fill(left=0)
                await eventually(is_refused)
                await failed.seen("full")
                await room.waits_for(failed.reason)
                disk.clear()
                await failed.gone()
                await room.goes_on(failed.reason)


async def test_a_match_that_waits_for_its_player_says_why(tmp_path: Path) -> None:
    """On the console, when it begins and when it is over; then it is played on."""
    card = ("caller", "--port", str(reserved_port()))
    async with process("caller", "casino_player_example", card) as player:
        order = ("match", player.url, "style:tight", "--json", "--decks", "100000")
        with started(*order, cwd=tmp_path) as command:
            for _ in ("it begins", "a block is played"):
                await asyncio.to_thread(command.until, '"progress"')
            await player.kill()
            pause = await asyncio.to_thread(command.until, '"pause"')
            assert pause["player"]
            assert pause["reason"]
            await player.start()
            resumed = await asyncio.to_thread(command.until, '"resumed"')
            assert resumed["player"] == pause["player"]
            assert resumed["seconds"] > 0
