"""The lobby's database: one lobby at a time, its URL, its file, its connections."""

import asyncio
import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from casino_lobby.domain.lobby_events import LobbyEvent, StoreHealth
from casino_lobby.store import SqlStore, StoreFailed
from support.casino.postgres import Postgres
from support.casino.store_side import EventFactory, OpenStore, new_room, rows
from support.processes import PATIENCE_S


class TestOneLobby:
    async def test_a_second_lobby_is_refused_until_the_first_has_ended(
        self, store: SqlStore, open_store: OpenStore, url: str
    ) -> None:
        with pytest.raises(StoreFailed, match="another lobby holds"):
            await SqlStore(url).open()
        await store.add(new_room())
        await store.close()
        assert len((await open_store()).rooms()) == 1

    async def test_no_thread_outlives_a_store(self, url: str) -> None:
        before = set(threading.enumerate())
        store, second = SqlStore(url), SqlStore(url)
        await store.open()
        with pytest.raises(StoreFailed):
            await second.open()
        await store.add(new_room())
        await asyncio.gather(*(store.names.all() for _ in range(4)))
        await store.close()
        for thread in set(threading.enumerate()) - before:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


class TestRefusals:
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ("casino.db", "cannot be read"),
            ("mysql://user:geheim@host/db", "no store speaks mysql"),
            ("sqlite:///casino.db", "no store speaks sqlite;"),
            ("sqlite+aiosqlite://", "needs the path of a file"),
            ("sqlite+aiosqlite:///:memory:", "needs the path of a file"),
            ("sqlite+aiosqlite:///file:casino.db?uri=true", "needs the path of a file"),
            ("sqlite+aiosqlite:////dev/null/casino.db", "cannot be opened"),
            pytest.param(
                "postgresql+asyncpg://user:geheim@127.0.0.1:1/db",
                "127.0.0.1",
                marks=pytest.mark.full,
            ),
        ],
    )
    async def test_a_wrong_url_is_named(self, wrong: str, message: str) -> None:
        with pytest.raises(StoreFailed, match=message) as refused:
            await SqlStore(wrong).open()
        assert "geheim" not in str(refused.value)

    async def test_a_file_that_is_no_database_is_left_unchanged(self, tmp_path: Path) -> None:
        path = tmp_path / "casino.db"
        path.write_text("Dear diary, this is no database. " * 100)
        with pytest.raises(StoreFailed, match="not a database"):
            await SqlStore(f"sqlite+aiosqlite:///{path}").open()
        assert path.read_text().startswith("Dear diary")


class TestSqlite:
    async def test_only_the_owner_may_read_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "new" / "casino.db"
        store = SqlStore(f"sqlite+aiosqlite:///{path}")
        await store.open()
        await store.add(new_room())
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
        assert set(modes) == {"casino.db", "casino.db-wal", "casino.db-shm", "casino.db.lock"}
        assert set(modes.values()) == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        await store.close()
        assert {one.name for one in path.parent.iterdir()} == {"casino.db", "casino.db.lock"}

    @pytest.mark.parametrize(("synchronous", "number"), [("normal", 1), ("full", 2)])
    async def test_synchronous_is_set_on_every_connection(
        self, tmp_path: Path, synchronous: str, number: int
    ) -> None:
        store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db", synchronous=synchronous)
        await store.open()
        assert await rows(store, "PRAGMA synchronous") == [(number,)]
        assert await rows(store, "PRAGMA journal_mode") == [("wal",)]
        await store.close()

    async def test_a_full_disk_refuses_batches_as_a_whole(self, tmp_path: Path) -> None:
        store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
        await store.open()
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        await store.record(room, factory.some(1))
        told: list[LobbyEvent] = []
        store.bus.subscribe(StoreHealth, told.append)

        async def limited(pages: int) -> None:
            def limit(connection: sqlite3.Connection) -> None:
                connection.execute(f"PRAGMA max_page_count = {pages}")

            assert store.writer.rows_thread is not None
            await store.writer.rows_thread.transact(limit)

        [(used,)] = await rows(store, "PRAGMA page_count")
        await limited(used)
        many = factory.some(300)
        with pytest.raises(StoreFailed, match="database or disk is full"):
            await store.record(room, many)
        assert room.last_sequence == 1
        assert await rows(store, "SELECT COUNT(*) FROM event") == [(1,)]
        assert told == [StoreHealth("the database failed: database or disk is full")]
        await limited(1_000_000)
        await store.record(room, many)
        assert told[1:] == [StoreHealth(None)]
        assert room.last_sequence == 301
        assert await rows(store, "SELECT COUNT(*) FROM event") == [(301,)]
        await store.close()


@pytest.mark.postgres
class TestPostgresql:
    async def test_a_lost_connection_costs_one_batch_and_no_event(
        self, postgres_server: Postgres
    ) -> None:
        store = SqlStore(postgres_server.new_url())
        await store.open()
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        await store.record(room, [factory.registered("p0")])
        postgres_server.end_sessions()
        second = [factory.registered("p1")]
        with pytest.raises(StoreFailed):
            await store.record(room, second)
        assert list(room.seats) == ["p0"]
        await store.record(room, second)
        assert list(room.seats) == ["p0", "p1"]
        assert room.ledger.balances["cashier"] == -400
        await store.close()
