"""A table process that offers itself to a lobby."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from casino_agentkit import ANYONE, Agent
from casino_contracts import RegisterTableInput, RegisterTableOutput, TableSummary
from casino_table.app import build_app
from casino_table.settings import TableSettings
from support.table.table_side import SOON, InProcessNetwork, StillClock, configuring

CARD = "/.well-known/agent-card.json"


class Hall:
    """A lobby that only listens, and a process of two tables."""

    def __init__(self) -> None:
        self.town = InProcessNetwork()
        self.heard: asyncio.Queue[RegisterTableInput] = asyncio.Queue()
        self.clock = StillClock()
        self.tables = build_app(
            TableSettings(count=2, lobby_url="http://lobby", announce_every=timedelta(seconds=5)),
            "http://tables",
            transport=self.town.transport,
            clock=self.clock,
            rng=random.Random(1),
        )
        self.town.transport.apps["http://tables"] = self.tables.asgi()

    def open_lobby(self) -> None:
        """Let the lobby answer from now on."""
        agent = Agent("Lobby", "Listens.")

        @agent.entrypoint("registerTable", who=ANYONE)
        async def register_table(given: RegisterTableInput) -> RegisterTableOutput:
            """Listen."""
            await self.heard.put(given)
            return RegisterTableOutput()

        self.town.add("lobby", agent)


@asynccontextmanager
async def running() -> AsyncIterator[Hall]:
    """Run the tables."""
    hall = Hall()
    async with hall.tables.running():
        yield hall


async def test_every_table_announces_itself_again_and_again() -> None:
    """With the address at which the process is reached, and the table it serves."""
    async with running() as hall:
        hall.open_lobby()
        first = {(await hall.heard.get()).agent_card_url for _ in range(2)}
        assert first == {f"http://tables/tables/{n}{CARD}" for n in (1, 2)}
        table = await hall.town.client().resolve(f"http://tables/tables/2{CARD}", timeout=SOON)
        await table.call("configureTable", configuring(), TableSummary, timeout=SOON)
        while (given := await hall.heard.get()).table_id is None:
            pass
        assert given.agent_card_url == f"http://tables/tables/2{CARD}"
        assert given.table_id == "t1"


async def test_a_lobby_that_is_not_there_yet_is_found_when_it_comes() -> None:
    """And one that was started anew hears of them as well."""
    async with running() as hall:
        start = hall.clock.time
        while hall.clock.time < start + 20:  # it has tried a few times
            await asyncio.sleep(0)
        hall.open_lobby()
        assert (await hall.heard.get()).agent_card_url.startswith("http://tables/")
        del hall.town.transport.apps["http://lobby"]
        gone = hall.clock.time
        while hall.clock.time < gone + 20:
            await asyncio.sleep(0)
        while not hall.heard.empty():
            hall.heard.get_nowait()
        hall.open_lobby()
        assert (await hall.heard.get()).agent_card_url.startswith("http://tables/")


async def test_a_table_that_is_about_to_end_offers_itself_no_more() -> None:
    """No room comes to it any more."""
    async with running() as hall:
        hall.open_lobby()
        await hall.heard.get()
        await hall.tables.finish()
        while not hall.heard.empty():
            hall.heard.get_nowait()
        for _ in range(50):
            await asyncio.sleep(0)
        assert hall.heard.empty()
