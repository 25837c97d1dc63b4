"""One lobby, one database; and what the lobby says when it cannot have it."""

import asyncio
import stat
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from casino_lobby.store import SqlStore, StoreFailed
from sqlalchemy.ext.asyncio import AsyncConnection
from support.casino.postgres import DATABASE, Postgres
from support.casino.store_side import EventFactory, new_room, rows

OpenStore = Callable[[], Awaitable[SqlStore]]


class TestOneLobby:
    """A second one would fold its own picture of the same rooms."""

    async def test_a_second_lobby_is_refused_until_the_first_has_ended(
        self, store: SqlStore, open_store: OpenStore, url: str
    ) -> None:
        """Not so much as a migration is begun."""
        with pytest.raises(StoreFailed, match="another lobby holds"):
            await SqlStore(url).open()
        await store.add(new_room())
        await store.close()
        assert len((await open_store()).rooms()) == 1

    async def test_nothing_is_left_behind(self, url: str) -> None:
        """No thread, after an opening that succeeded or one that did not."""
        before = set(threading.enumerate())
        store, second = SqlStore(url), SqlStore(url)
        await store.open()
        with pytest.raises(StoreFailed):
            await second.open()
        await store.add(new_room())
        await asyncio.gather(*(store.balances("r1") for _ in range(4)))
        await store.close()
        for thread in set(threading.enumerate()) - before:
            thread.join(5)
            assert not thread.is_alive()


class TestRefusals:
    """What an operator may have got wrong."""

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ("casino.db", "cannot be read"),
            ("mysql://user:geheim@host/db", "no store speaks mysql"),
            ("sqlite:///casino.db", "no store speaks sqlite;"),
            ("sqlite+aiosqlite://", "needs the path of a file"),
            ("sqlite+aiosqlite:///:memory:", "needs the path of a file"),
            ("sqlite+aiosqlite:///file:casino.db?uri=true", "needs the path of a file"),
            ("sqlite+aiosqlite:////dev/null/casino.db", "cannot be opened"),
            ("postgresql+asyncpg://user:geheim@127.0.0.1:1/db", "127.0.0.1"),
        ],
    )
    async def test_a_wrong_url_is_named(self, wrong: str, told: str) -> None:
        """Without the password."""
        with pytest.raises(StoreFailed, match=told) as refused:
            await SqlStore(wrong).open()
        assert "geheim" not in str(refused.value)

    async def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        """It is left as it is."""
        path = tmp_path / "casino.db"
        path.write_text("Dear diary, this is no database. " * 100)
        with pytest.raises(StoreFailed, match="not a database"):
            await SqlStore(f"sqlite+aiosqlite:///{path}").open()
        assert path.read_text().startswith("Dear diary")


class TestSqlite:
    """One file."""

    async def test_nobody_else_may_read_it(self, tmp_path: Path) -> None:
        """There are seeds in it; its folder is made as well."""
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
    async def test_how_sure_a_commit_is_may_be_chosen(
        self, tmp_path: Path, synchronous: str, number: int
    ) -> None:
        """For every connection."""
        store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db", synchronous=synchronous)
        await store.open()
        assert await rows(store, "PRAGMA synchronous") == [(number,)]
        assert await rows(store, "PRAGMA journal_mode") == [("wal",)]
        await store.close()

    async def test_a_full_disk_takes_nothing_until_there_is_room_again(
        self, tmp_path: Path
    ) -> None:
        """What was refused is not half there."""
        store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
        await store.open()
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        await store.record(room, teller.some(1))

        async def limited(pages: int) -> None:
            async def limit(connection: AsyncConnection) -> None:
                await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

            await store._writer.write(limit)

        [(used,)] = await rows(store, "PRAGMA page_count")
        await limited(used)
        many = teller.some(300)
        with pytest.raises(StoreFailed, match="database or disk is full"):
            await store.record(room, many)
        assert room.last_sequence == 1
        assert await rows(store, "SELECT COUNT(*) FROM event") == [(1,)]
        await limited(1_000_000)
        await store.record(room, many)
        assert room.last_sequence == 301
        assert await rows(store, "SELECT COUNT(*) FROM event") == [(301,)]
        await store.close()


class TestPostgresql:
    """A server that may go and come back."""

    async def test_a_lost_connection_costs_one_batch_and_no_event(
        self, postgres_server: Postgres
    ) -> None:
        """The table sends it again."""
        store = SqlStore(postgres_server.empty_url())
        await store.open()
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        await store.record(room, [teller.registered("p0")])
        cut_off(postgres_server)
        second = [teller.registered("p1")]
        with pytest.raises(StoreFailed):
            await store.record(room, second)
        assert list(room.seats) == ["p0"]
        await store.record(room, second)
        assert list(room.seats) == ["p0", "p1"]
        assert (await store.balances("r1"))["cashier"] == -400
        await store.close()

    async def test_who_lost_the_lock_with_the_connection_writes_no_more(
        self, postgres_server: Postgres
    ) -> None:
        """Another lobby has the rooms now."""
        url = postgres_server.empty_url()
        first, second = SqlStore(url), SqlStore(url)
        await first.open()
        room = new_room()
        await first.add(room)
        cut_off(postgres_server)
        await second.open()
        for told in ("the database failed", "another lobby holds", "another lobby holds"):
            with pytest.raises(StoreFailed, match=told):
                await first.record(room, EventFactory(room).some(1))
        await second.record(second.rooms()[0], EventFactory(room).some(1))
        await first.close()
        await second.close()


def cut_off(server: Postgres) -> None:
    """End every connection to the database."""
    server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{DATABASE}' AND pid <> pg_backend_pid()"
    )
