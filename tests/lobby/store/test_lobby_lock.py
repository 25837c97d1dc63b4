"""The lock of PostgreSQL and the term of office: one lobby writes, and knows whether it may."""

import pytest
from casino_lobby.domain.lobby_events import StoreLost
from casino_lobby.store import SqlStore, StoreFailed
from casino_lobby.store.commit_order import GroupOrder
from casino_lobby.store.lock import HELD_S, SILENCE_S, LockValidity
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection
from support.casino.postgres import Postgres
from support.casino.store_side import EventFactory, new_room, rows
from support.processes import run_until

TERM = "SELECT term FROM lobby_member WHERE number = 0"


class TestTenure:
    """What is known of the lock, without a database."""

    def test_an_answer_counts_from_the_time_of_its_question(self) -> None:
        """For less time than it takes to lose the lock in silence."""
        assert HELD_S < SILENCE_S
        time = 100.0
        validity = LockValidity(lambda: True, clock=lambda: time)
        states = [validity.is_held]  # it has not begun
        validity.begin(1, validity.now())
        for pause_s in (0, HELD_S - 0.1, 0.1):
            time += pause_s
            states.append(validity.is_held)
        validity.confirm(time - 1)
        for pause_s in (0, HELD_S - 1):
            time += pause_s
            states.append(validity.is_held)
        assert states == [False, True, True, False, True, False]

    def test_a_lost_connection_counts_at_once(self) -> None:
        validity = LockValidity(lambda: True, clock=lambda: 100.0)
        validity.begin(1, 100.0)
        states = [validity.is_held]
        validity.lose()
        states.append(validity.is_held)
        validity.compare(1)
        validity.confirm(100.0)
        states.append(validity.is_held)
        assert states == [True, False, True]

    def test_another_term_ends_it_for_good(self) -> None:
        reported: list[int] = []
        validity = LockValidity(lambda: True, lambda: reported.append(validity.term), lambda: 100.0)
        validity.begin(3, 100.0)
        validity.check()
        with pytest.raises(StoreFailed, match="another lobby"):
            validity.compare(4)
        validity.confirm(100.0)
        assert not validity.is_held
        with pytest.raises(StoreFailed, match="another lobby"):
            validity.check()
        assert reported == [3]

    def test_a_lock_of_the_process_cannot_be_lost(self) -> None:
        assert LockValidity(lambda: False).is_held


@pytest.mark.postgres
class TestLock:
    async def test_a_database_is_claimed_by_one_store_after_the_other(
        self, postgres_server: Postgres
    ) -> None:
        url = postgres_server.new_url()
        first, second = SqlStore(url), SqlStore(url)
        assert await first.claim()
        assert not await second.claim()
        await first.open()
        assert first.is_held
        assert not await second.claim()
        await first.add(new_room())
        await first.close()
        assert await second.claim()
        await second.open()
        assert [room.room_id for room in second.rooms()] == ["r1"]
        assert await rows(second, TERM) == [(2,)]
        await second.close()

    async def test_a_claim_that_is_not_used_is_released(self, postgres_server: Postgres) -> None:
        url = postgres_server.empty_url()
        first, second = SqlStore(url), SqlStore(url)
        assert await first.claim()
        await first.close()
        assert await second.claim()
        postgres_server.run("CREATE TABLE room (in_the_way integer)")
        with pytest.raises(StoreFailed):
            await second.open()
        third = SqlStore(url)
        assert await third.claim()
        await third.close()

    async def test_a_store_whose_successor_has_ended_writes_nothing(
        self, postgres_server: Postgres
    ) -> None:
        """The lock is free again, but what the first one remembers is no longer what is stored."""
        url = postgres_server.new_url()
        first, second = SqlStore(url), SqlStore(url)
        lost: list[StoreLost] = []
        first.bus.subscribe(StoreLost, lost.append)
        await first.open()
        room = new_room()
        await first.add(room)
        await _cut_off(postgres_server, first)
        await second.open()
        await second.record(second.rooms()[0], EventFactory(room).some(2))
        await second.close()
        refusals: list[str] = []
        for _ in range(3):
            with pytest.raises(StoreFailed) as refused:
                await first.record(room, EventFactory(room).some(1))
            refusals.append(str(refused.value))
        assert "another lobby" in refusals[-1]  # the first one may be that of the connection
        assert not first.is_held
        assert [event.term for event in lost] == [1]
        await first.close()
        third = SqlStore(url)
        await third.open()
        assert third.rooms()[0].last_sequence == 2
        await third.close()

    async def test_a_lock_that_nobody_took_is_regained(self, postgres_server: Postgres) -> None:
        """Without a request: the store asks by itself, and its term goes on."""
        store = SqlStore(postgres_server.new_url())
        await store.open()
        await _cut_off(postgres_server, store)
        await run_until(lambda: store.is_held)
        assert await rows(store, TERM) == [(1,)]
        await store.close()

    @pytest.mark.parametrize(
        ("peer_url", "within"), [(None, f"{SILENCE_S}s"), ("http://lobby-1", "4s")]
    )
    async def test_a_store_that_says_nothing_loses_the_lock(
        self, postgres_server: Postgres, peer_url: str | None, within: str
    ) -> None:
        """PostgreSQL ends its session; a member's before the others, which wait for it, end."""
        assert GroupOrder.in_transaction_s < HELD_S < SILENCE_S
        store = SqlStore(postgres_server.new_url(), peer_url=peer_url)
        await store.open()
        limits: list[str] = []

        async def read(connection: AsyncConnection) -> None:
            limits.append(str(await connection.scalar(text("SHOW idle_session_timeout"))))
            limit = text("SHOW idle_in_transaction_session_timeout")
            limits.append(str(await connection.scalar(limit)))

        await store.writer.write(read)
        assert limits == [f"{SILENCE_S}s", within]
        await store.close()


async def _cut_off(server: Postgres, store: SqlStore) -> None:
    """End every session, and wait until the store has noticed, before the lock is regained."""
    server.end_sessions()
    await run_until(lambda: not store.is_held)
