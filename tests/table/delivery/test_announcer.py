"""A table process announces its tables to a lobby."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import pairwise

from casino_agentkit import ANYONE, Agent
from casino_contracts import RegisterTableInput, RegisterTableOutput, TableSummary
from casino_table.app import build_app
from casino_table.settings import TableSettings
from support.processes import run_until
from support.table.leased_process import LEASE_S, WITHIN_S, LeasedProcess
from support.table.table_side import SOON, InProcessNetwork, calling, configuring
from support.table.virtual_clock import VirtualClock

CARD = "/.well-known/agent-card.json"


class Announcing:
    """A lobby that receives announcements, and a process of two tables."""

    def __init__(self) -> None:
        self.network = InProcessNetwork()
        self.heard: asyncio.Queue[RegisterTableInput] = asyncio.Queue()
        self.clock = VirtualClock()
        self.tables = build_app(
            TableSettings(count=2, lobby_url="http://lobby", announce_every=timedelta(seconds=5)),
            "http://tables",
            transport=self.network.transport,
            clock=self.clock,
            rng=random.Random(1),
        )
        self.network.transport.apps["http://tables"] = self.tables.asgi()

    def open_lobby(self) -> None:
        """Serve the lobby from now on."""
        agent = Agent("Lobby", "Listens.")

        @agent.entrypoint("registerTable", who=ANYONE)
        async def register_table(given: RegisterTableInput) -> RegisterTableOutput:
            """Listen."""
            await self.heard.put(given)
            return RegisterTableOutput()

        self.network.add("lobby", agent)


@asynccontextmanager
async def running() -> AsyncIterator[Announcing]:
    announcing = Announcing()
    async with announcing.tables.running():
        yield announcing


async def test_every_table_announces_itself_periodically() -> None:
    """With the address of the process, and the table that it serves."""
    async with running() as announcing:
        announcing.open_lobby()
        first = {(await announcing.heard.get()).agent_card_url for _ in range(2)}
        assert first == {f"http://tables/tables/{n}{CARD}" for n in (1, 2)}
        table = await announcing.network.client().resolve(
            f"http://tables/tables/2{CARD}", timeout=SOON
        )
        await table.call("configureTable", configuring(), TableSummary, timeout=SOON)
        while (given := await announcing.heard.get()).table_id is None:
            pass
        assert given.agent_card_url == f"http://tables/tables/2{CARD}"
        assert given.table_id == "t1"


async def test_a_lobby_that_starts_later_gets_announcements() -> None:
    """A restarted one too."""
    async with running() as announcing:
        start = announcing.clock.time
        await run_until(lambda: announcing.clock.time > start + 20)  # after several attempts
        announcing.open_lobby()
        assert (await announcing.heard.get()).agent_card_url.startswith("http://tables/")
        del announcing.network.transport.apps["http://lobby"]
        gone = announcing.clock.time
        await run_until(lambda: announcing.clock.time > gone + 20)
        while not announcing.heard.empty():
            announcing.heard.get_nowait()
        announcing.open_lobby()
        assert (await announcing.heard.get()).agent_card_url.startswith("http://tables/")


async def test_a_draining_table_announces_itself_no_more() -> None:
    """No room is opened on it."""
    async with running() as announcing:
        announcing.open_lobby()
        await announcing.heard.get()
        await announcing.tables.finish()
        while not announcing.heard.empty():
            announcing.heard.get_nowait()
        for _ in range(50):
            await asyncio.sleep(0)
        assert announcing.heard.empty()


async def test_a_table_announces_itself_as_often_as_the_lobby_wants() -> None:
    """Though its own setting is longer, and its lobby answers slowly."""
    process = LeasedProcess(announce_every=timedelta(seconds=60))
    async with process.running():
        await process.clock.pass_time(20)
        times = [at for at, _announcement in process.lobby.announcements]
        assert len(times) > 20 / WITHIN_S
        assert max(later - earlier for earlier, later in pairwise(times)) <= WITHIN_S + 0.1


async def test_a_table_that_gets_no_answer_stops_no_other() -> None:
    """Each announces itself on its own."""
    process = LeasedProcess(count=2)
    process.transport.vanishes = lambda _url, body: b"/tables/1/" in body
    async with process.running():
        await process.clock.pass_time(20)
        times = [at for at, _announcement in process.lobby.announcements]
        assert max(later - earlier for earlier, later in pairwise(times)) <= WITHIN_S + 0.1
        urls = {said.agent_card_url for _at, said in process.lobby.announcements}
        assert urls == {f"http://tables/tables/2{CARD}"}


async def test_a_leased_table_tries_again_soon() -> None:
    """One lost announcement does not cost the lease: the next one still comes in time."""
    process = LeasedProcess()
    async with process.running():
        await process.begin(calling, calling)
        await process.play()
        await process.clock.pass_time(LEASE_S)
        for _ in range(5):
            heard = len(process.lobby.announcements)
            lost: list[str] = []

            def vanishes(url: str, body: bytes, lost: list[str] = lost) -> bool:
                is_first = not lost and b"registerTable" in body
                if is_first:
                    lost.append(url)
                return is_first

            process.transport.vanishes = vanishes
            while len(process.lobby.announcements) == heard:
                await process.clock.pass_time(0.05)
                assert (await process.summary()).state is None
            assert lost
