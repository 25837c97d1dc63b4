"""A table process announces its tables to a lobby."""

from datetime import timedelta
from itertools import pairwise

from casino_contracts import TableSummary
from support.table.leased_process import LEASE_S, WITHIN_S, LeasedProcess
from support.table.table_side import SOON, calling, configuring

CARD = "/.well-known/agent-card.json"


async def test_every_table_announces_itself_periodically() -> None:
    """With the address of the process, and the table that it serves."""
    process = LeasedProcess(count=2)
    async with process.running():
        await process.clock.pass_time(10)
        urls = [f"http://tables/tables/{number}{CARD}" for number in (1, 2)]
        assert {said.agent_card_url for _at, said in process.lobby.announcements} == set(urls)
        table = await process.network.client().resolve(urls[1], timeout=SOON)
        await table.call("configureTable", configuring(), TableSummary, timeout=SOON)
        await process.clock.pass_time(10)
        last = {said.agent_card_url: said.table_id for _at, said in process.lobby.announcements}
        assert last == {urls[0]: None, urls[1]: "t1"}


async def test_a_lobby_that_starts_later_gets_announcements() -> None:
    process = LeasedProcess()
    async with process.running():
        for _ in range(2):
            lobby = process.transport.apps.pop("http://lobby")
            await process.clock.pass_time(20)  # several attempts
            heard = len(process.lobby.announcements)
            process.transport.apps["http://lobby"] = lobby
            await process.clock.pass_time(10)
            assert len(process.lobby.announcements) > heard


async def test_a_table_announces_itself_as_often_as_the_lobby_wants() -> None:
    """Though its own setting is longer, and its lobby answers slowly."""
    process = LeasedProcess(announce_every=timedelta(seconds=60))
    async with process.running():
        await process.clock.pass_time(20)
        times = [at for at, _announcement in process.lobby.announcements]
        assert len(times) > 20 / WITHIN_S
        assert max(later - earlier for earlier, later in pairwise(times)) <= WITHIN_S + 0.1


async def test_a_table_that_gets_no_answer_stops_no_other() -> None:
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
