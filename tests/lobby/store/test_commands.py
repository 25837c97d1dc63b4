"""A command is an intent before it is carried out."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from casino_lobby.store import Command, MemoryStore, SqlStore, Store, StoreFailed
from casino_lobby.store.commands import Commands

CREATE = Command("createRoom/c1", "createRoom", "d1", '{"roomId": "r1"}')


class TestCommands:
    """Intended, noted, finished or dropped."""

    async def test_a_new_command_is_kept_and_a_known_one_returned(self, any_store: Store) -> None:
        """By its key, with all that has become of it."""
        assert await any_store.intend(CREATE) is CREATE
        await any_store.note(CREATE.key, {"playerId": "p1"})
        await any_store.note(CREATE.key, {"epoch": "2"})
        noted = replace(CREATE, notes={"playerId": "p1", "epoch": "2"})
        assert await any_store.intend(replace(CREATE, digest="d2")) == noted
        await any_store.finish(CREATE.key, '{"ok": true}')
        assert await any_store.intend(CREATE) == replace(noted, answer='{"ok": true}')

    async def test_a_refused_command_may_be_sent_again(self, any_store: Store) -> None:
        """As if it had never been."""
        await any_store.intend(CREATE)
        await any_store.drop(CREATE.key)
        again = replace(CREATE, digest="d2")
        assert await any_store.intend(again) is again

    async def test_those_under_way_are_found_the_oldest_first(self, any_store: Store) -> None:
        """Not those with an answer."""
        some = [replace(CREATE, key=f"createRoom/{name}") for name in "cab"]
        for command in some:
            await any_store.intend(command)
        await any_store.finish(some[1].key, "{}")
        assert await any_store.pending() == [some[0], some[2]]

    async def test_only_one_of_two_at_once_is_new(self, any_store: Store) -> None:
        """The other gets the first one's."""
        other = replace(CREATE, digest="d2")
        first, second = await asyncio.gather(any_store.intend(CREATE), any_store.intend(other))
        assert (first, second) == (CREATE, CREATE) or (first, second) == (other, other)

    async def test_they_outlast_the_lobby(
        self, store: SqlStore, open_store: Callable[[], Awaitable[SqlStore]]
    ) -> None:
        """That is what they are for."""
        some = [replace(CREATE, key=f"createRoom/{name}") for name in "ba"]
        for command in some:
            await store.intend(command)
        await store.note(some[0].key, {"epoch": "1"})
        await store.close()
        again = await open_store()
        assert await again.pending() == [replace(some[0], notes={"epoch": "1"}), some[1]]

    async def test_there_is_nothing_to_note_of_an_unknown_one(self, store: SqlStore) -> None:
        """Its caller is mistaken."""
        with pytest.raises(StoreFailed, match="no command"):
            await store.note("createRoom/c2", {"epoch": "1"})

    @pytest.mark.parametrize("key", ["a" * 2_000, "ü/ 'quoted'"])
    async def test_any_caller_s_id_will_do(self, any_store: Store, key: str) -> None:
        """Keys are as their callers write them."""
        await any_store.intend(replace(CREATE, key=key))
        assert [command.key for command in await any_store.pending()] == [key]


class Calendar:
    """A wall clock that the test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 22, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return it."""
        return self.now


async def finished(store: Store | Commands, name: str) -> Command:
    """Have a command finished."""
    command = replace(CREATE, key=f"createRoom/{name}")
    await store.intend(command)
    await store.finish(command.key, "{}")
    return command


async def is_known(store: Store | Commands, command: Command) -> bool:
    """Tell whether a command is remembered."""
    return await store.intend(replace(command, digest="d2")) == replace(command, answer="{}")


class TestForgetting:
    """A stranger can send commands for ever; what they were is not kept for ever."""

    @pytest.fixture
    def calendar(self) -> Calendar:
        """Start on a day."""
        return Calendar()

    @pytest.fixture(params=["memory", "sql"])
    def commands(
        self, request: pytest.FixtureRequest, store: SqlStore, calendar: Calendar
    ) -> Store | Commands:
        """Return either store's commands, on our calendar."""
        if request.param == "memory":
            return MemoryStore(1_000, now=calendar)
        return Commands(store._database, store._writer, store.unreadable, now=calendar)

    async def test_a_finished_one_is_known_for_a_week(
        self, commands: Store | Commands, calendar: Calendar
    ) -> None:
        """One that is under way, for as long as it takes."""
        done = await finished(commands, "done")
        under_way = replace(CREATE, key="createRoom/under-way")
        await commands.intend(under_way)
        calendar.now += timedelta(days=6, hours=23)
        assert await is_known(commands, done)
        calendar.now += timedelta(hours=2)
        await commands.intend(replace(CREATE, key="createRoom/new"))
        assert not await is_known(commands, done)
        assert under_way in await commands.pending()

    async def test_many_are_not_all_kept_in_memory(self, calendar: Calendar) -> None:
        """The newest are."""
        store = MemoryStore(1_000, now=calendar)
        some = [await finished(store, str(number)) for number in range(10_100)]
        assert not await is_known(store, some[0])
        assert await is_known(store, some[-1])
        assert len(store._commands) <= 10_002

    async def test_many_are_not_all_kept_in_the_database(
        self, store: SqlStore, calendar: Calendar
    ) -> None:
        """They are forgotten an hour later at the latest."""
        commands = Commands(store._database, store._writer, store.unreadable, now=calendar, most=5)
        some = [await finished(commands, str(number)) for number in range(10)]
        calendar.now += timedelta(hours=1)
        await finished(commands, "new")
        assert [await is_known(commands, one) for one in (some[0], some[4], some[9])] == [
            False,
            False,
            True,
        ]
