"""Lobbies of a group in one process, without sockets: stores in memory that see each other."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
from casino_contracts import RegisterTableInput, RegisterTableOutput
from casino_lobby.app import build_app as build_lobby
from casino_lobby.domain.lobby_events import RoomsTaken
from casino_lobby.domain.room import Room
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Command, MemoryStore, StoreFailed
from casino_lobby.store.lobby_store import LobbyGroup, Member, NameOwners
from casino_lobby.store.stored_commands import MemoryCommands
from casino_table.app import build_app as build_tables
from casino_table.settings import TableSettings
from pydantic import SecretStr
from typing_extensions import override

from support.table.table_side import CONFIG, SOON, InProcessNetwork, Player, calling
from support.table.virtual_clock import VirtualClock

PEER_KEY = "the key that lobbies share"
DATABASE = "postgresql+asyncpg://casino@database/casino"
"""Never connected to: the stores are in memory."""
WATCH_S = 0.5
"""The pause between two looks of a lobby for lost tables."""


class MemberGroup(LobbyGroup):
    """What a member sees of the others."""

    def __init__(self, store: "MemberStore") -> None:
        self._store = store

    @override
    def owns(self, room: Room) -> bool:
        return any(own.room_id == room.room_id for own in self._store.recorded())

    @override
    def owner_of(self, room: Room) -> Member | None:
        others = self._store.other_stores()
        return next((other.member for other in others if other.group.owns(room)), None)

    @override
    def others(self) -> Sequence[Member]:
        return [other.member for other in self._store.other_stores() if not other.is_lost]

    @override
    async def find(self, room_id: str) -> Room | None:
        self._store.follows = True
        return self._store.room(room_id)

    @override
    async def reach(self, cursor: int) -> None:
        pass

    @override
    async def command_owner(self, key: str) -> Member | None:
        others = self._store.other_stores()
        return next((other.member for other in others if other.has_pending(key)), None)


class MemberNames(NameOwners):
    """Owners of names that all members share."""

    def __init__(self, owners: dict[str, str]) -> None:
        self._owners = owners

    @override
    async def all(self) -> Mapping[str, str]:
        return dict(self._owners)

    @override
    async def own(self, name_key: str, signer: str) -> None:
        if self._owners.setdefault(name_key, signer) != signer:
            raise StoreFailed("another lobby was first")


class MemberCommands(MemoryCommands):
    """Commands of a member; one that another member has is not new."""

    def __init__(self, store: "MemberStore") -> None:
        super().__init__()
        self._store = store

    def unanswered(self) -> list[Command]:
        return [command for command in self._commands.values() if command.answer is None]

    def take(self, other: "MemberCommands") -> None:
        self._commands.update(other._commands)

    @override
    async def intend(self, command: Command) -> Command:
        for other in self._store.other_stores():
            if command.key in other.commands._commands:
                return other.commands._commands[command.key]
        return await super().intend(command)

    @override
    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes, once commands are executed."""
        await self._store.executes.wait()
        await super().note(key, notes)


class MemberStore(MemoryStore):
    """A member's own rooms in memory; those of the `members` are seen, at once or after `find`."""

    def __init__(
        self, number: int, members: list["MemberStore"], name_owners: dict[str, str]
    ) -> None:
        super().__init__(20_000)
        self.group = MemberGroup(self)
        self.names = MemberNames(name_owners)
        self.commands: MemberCommands = MemberCommands(self)
        self.member = Member(number, f"http://lobby-{number}")
        self.follows = True
        self.is_lost = False
        self.executes = asyncio.Event()
        """Cleared, commands stop after they are stored."""
        self.executes.set()
        self._members = members

    def other_stores(self) -> list["MemberStore"]:
        return [store for store in self._members if store is not self]

    def room(self, room_id: str) -> Room | None:
        """Return a room of any member, if it is followed."""
        return next((room for room in self.rooms() if room.room_id == room_id), None)

    def room_of_table(self, table_id: str) -> Room | None:
        """Return the room of a table of any member, if it is followed."""
        return next((room for room in self.rooms() if room.table_id == table_id), None)

    def rooms(self) -> list[Room]:
        others = self.other_stores() if self.follows else []
        return [*self.recorded(), *(room for other in others for room in other.recorded())]

    def recorded(self) -> list[Room]:
        """Return its own rooms, the oldest first."""
        return list(self._rooms.values())

    def has_pending(self, key: str) -> bool:
        return any(command.key == key for command in self.commands.unanswered())

    def take(self, other: "MemberStore") -> None:
        """Take the rooms and commands of a lost member."""
        other.is_lost = True
        rooms = other.recorded()
        self.commands.take(other.commands)
        for name in ("_rooms", "_by_table", "_logs"):
            taken: dict[str, Any] = getattr(other, name)
            getattr(self, name).update(taken)
            taken.clear()
        self.bus.publish(RoomsTaken(rooms))


class GroupHarness(InProcessNetwork):
    """Lobbies 1 to `lobbies` at `http://lobby-N`, a process of tables and players."""

    def __init__(self, lobbies: int = 2, tables: int = 3, **settings: Any) -> None:
        super().__init__(None)
        self.stores: list[MemberStore] = []
        names: dict[str, str] = {}
        self.services = []
        for number in range(1, lobbies + 1):
            store = MemberStore(number, self.stores, names)
            self.stores.append(store)
            values: Mapping[str, Any] = {
                "launch_tables": False,
                "database": DATABASE,
                "peer_url": store.member.url,
                "peer_key": SecretStr(PEER_KEY),
                **settings,
            }
            service = build_lobby(
                LobbySettings.model_validate(values),
                "http://lobby-1",  # the tables' lobby: that of the address that the lobbies share
                transport=self.transport,
                clock=VirtualClock().now,
                store=store,
            )
            self.transport.apps[store.member.url] = service.asgi()
            self.services.append(service)
        self.tables = build_tables(
            TableSettings(count=tables),
            "http://tables",
            transport=self.transport,
            clock=VirtualClock(),
        )
        self.transport.apps["http://tables"] = self.tables.asgi()
        self.players: dict[str, Player] = {}
        key: SecretStr | None = settings.get("fleet_key")
        self.fleet_key = key.get_secret_value() if key else None

    def http(self, number: int = 1, key: str | None = None) -> httpx.AsyncClient:
        url = self.stores[number - 1].member.url
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.transport.apps[url], raise_app_exceptions=False),
            base_url=url,
            headers={"authorization": f"Bearer {key}"} if key else {},
        )

    def player(self, name: str, **signup: Any) -> str:
        """Add a player agent; return its card URL."""
        self.players[name] = Player(name, calling, **signup)
        return self.add(name, self.players[name].agent())

    def table_card(self, number: int) -> str:
        return f"http://tables/tables/{number}/.well-known/agent-card.json"

    async def announce(self, *numbers: int, at: int = 1, **more: Any) -> RegisterTableOutput:
        """Announce tables at a lobby; return the last answer."""
        lobby = await self.client().resolve(self.stores[at - 1].member.url, timeout=SOON)
        for number in numbers:
            request = RegisterTableInput(agent_card_url=self.table_card(number), **more)
            output = await lobby.call(
                "registerTable", request, RegisterTableOutput, timeout=SOON, token=self.fleet_key
            )
        return output

    async def open(self, room_id: str, at: int = 1, **more: Any) -> httpx.Response:
        """Create a room at a lobby."""
        return await self.http(at).post(
            "/v1/rooms", json={"roomId": room_id, "config": CONFIG, **more}
        )

    def room(self, room_id: str = "r1", at: int = 1) -> Room:
        """Return a room as a lobby has it."""
        room = self.stores[at - 1].room(room_id)
        assert room is not None, room_id
        return room

    def lose(self, number: int) -> None:
        """Let a lobby answer nobody any more; its rooms stay its own until they are taken."""
        store = self.stores[number - 1]
        store.is_lost = True
        del self.transport.apps[store.member.url]

    def freeze(self, number: int) -> asyncio.Event:
        """Let a lobby take requests and answer none; return what is set once it has one."""
        has_request = asyncio.Event()

        async def hang(_scope: object, _receive: object, _send: object) -> None:
            has_request.set()
            await asyncio.Event().wait()

        self.transport.apps[self.stores[number - 1].member.url] = hang
        return has_request

    def pend(self, number: int, command: Command) -> None:
        """Let a lobby have begun a command."""
        self.stores[number - 1].commands._commands[command.key] = replace(command)


@asynccontextmanager
async def group_harness(
    lobbies: int = 2, tables: int = 3, **more: Any
) -> AsyncIterator[GroupHarness]:
    """Run a group, and end it; `more` are settings of every lobby."""
    group = GroupHarness(lobbies, tables, **more)
    async with AsyncExitStack() as stack:
        for service in (group.tables, *group.services):
            await stack.enter_async_context(service.running())
        yield group
