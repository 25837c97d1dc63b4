"""Commands are stored before they are carried out."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from casino_lobby.store import Command, SqlStore, Store
from casino_lobby.store.sql_commands import SqlCommands
from casino_lobby.store.stored_commands import MemoryCommands, StoredCommands

CREATE = Command("createRoom/c1", "createRoom", "d1", '{"roomId": "r1"}')


class TestCommands:
    async def test_a_repeated_command_returns_the_stored_one(self, any_store: Store) -> None:
        assert await any_store.commands.intend(CREATE) is CREATE
        await any_store.commands.note(CREATE.key, {"playerId": "p1"})
        await any_store.commands.note(CREATE.key, {"epoch": "2"})
        noted = replace(CREATE, notes={"playerId": "p1", "epoch": "2"})
        assert await any_store.commands.intend(replace(CREATE, digest="d2")) == noted
        await any_store.commands.finish(CREATE.key, '{"ok": true}')
        assert await any_store.commands.intend(CREATE) == replace(noted, answer='{"ok": true}')

    async def test_a_dropped_command_can_be_sent_again(self, any_store: Store) -> None:
        await any_store.commands.intend(CREATE)
        await any_store.commands.drop(CREATE.key)
        again = replace(CREATE, digest="d2")
        assert await any_store.commands.intend(again) is again

    async def test_pending_commands_are_ordered_by_age(self, any_store: Store) -> None:
        some = [replace(CREATE, key=f"createRoom/{name}") for name in "cab"]
        for command in some:
            await any_store.commands.intend(command)
        await any_store.commands.finish(some[1].key, "{}")
        assert await any_store.commands.pending() == [some[0], some[2]]

    async def test_only_one_of_two_at_once_is_new(self, every_store: Store) -> None:
        other = replace(CREATE, digest="d2")
        first, second = await asyncio.gather(
            every_store.commands.intend(CREATE), every_store.commands.intend(other)
        )
        assert (first, second) == (CREATE, CREATE) or (first, second) == (other, other)

    async def test_pending_commands_survive_a_restart(
        self, store: SqlStore, open_store: Callable[[], Awaitable[SqlStore]]
    ) -> None:
        some = [replace(CREATE, key=f"createRoom/{name}") for name in "ba"]
        for command in some:
            await store.commands.intend(command)
        await store.commands.note(some[0].key, {"epoch": "1"})
        await store.close()
        again = await open_store()
        assert await again.commands.pending() == [replace(some[0], notes={"epoch": "1"}), some[1]]

    @pytest.mark.parametrize("key", ["a" * 2_000, "ü/ 'quoted'"])
    async def test_keys_may_have_any_characters(self, every_store: Store, key: str) -> None:
        await every_store.commands.intend(replace(CREATE, key=key))
        assert [command.key for command in await every_store.commands.pending()] == [key]


class Calendar:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 22, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


async def finished(commands: StoredCommands, name: str) -> Command:
    command = replace(CREATE, key=f"createRoom/{name}")
    await commands.intend(command)
    await commands.finish(command.key, "{}")
    return command


async def is_known(commands: StoredCommands, command: Command) -> bool:
    return await commands.intend(replace(command, digest="d2")) == replace(command, answer="{}")


class TestForgetting:
    """Finished commands are deleted after a time, so that they do not fill the store."""

    @pytest.fixture
    def calendar(self) -> Calendar:
        return Calendar()

    @pytest.fixture(params=["memory", "sql"])
    def commands(
        self, request: pytest.FixtureRequest, store: SqlStore, calendar: Calendar
    ) -> StoredCommands:
        """Return the commands of either store, with the test's clock."""
        if request.param == "memory":
            return MemoryCommands(calendar)
        return SqlCommands(store.database, store.writer, store.unreadable, now=calendar)

    async def test_a_finished_command_is_kept_for_a_week(
        self, commands: StoredCommands, calendar: Calendar
    ) -> None:
        done = await finished(commands, "done")
        under_way = replace(CREATE, key="createRoom/under-way")
        await commands.intend(under_way)
        calendar.now += timedelta(days=6, hours=23)
        assert await is_known(commands, done)
        calendar.now += timedelta(hours=2)
        await commands.intend(replace(CREATE, key="createRoom/new"))
        assert not await is_known(commands, done)
        assert under_way in await commands.pending()

    async def test_the_database_keeps_a_limited_number_of_commands(
        self, store: SqlStore, calendar: Calendar
    ) -> None:
        commands = SqlCommands(store.database, store.writer, store.unreadable, now=calendar, most=5)
        some = [await finished(commands, str(number)) for number in range(10)]
        calendar.now += timedelta(hours=1)
        await finished(commands, "new")
        assert [await is_known(commands, one) for one in (some[0], some[4], some[9])] == [
            False,
            False,
            True,
        ]
