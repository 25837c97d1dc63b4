"""The use cases of the lobby as its interfaces see them, of one lobby or of a group; queries.

The services beside a lobby use them within their scope and share.
"""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Sequence
from itertools import chain
from typing import Any, Final

from casino_agentkit import CommandRefused, caller
from casino_agentkit.bounded_state import LruDict
from casino_contracts import (
    HOLDEM,
    Career,
    CareerLine,
    CareerList,
    ContributeInput,
    ContributeOutput,
    HandRecord,
    ListedTable,
    LobbyInfo,
    Reason,
    RecordGameEventOutput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    TableEvent,
    TableList,
    Waiting,
)
from casino_contracts.lobby_messages import Service
from typing_extensions import override

from casino_lobby.access.operator import Operator
from casino_lobby.domain.fleet import Fleet, base_url
from casino_lobby.domain.player_careers import RoomCareer, career_of, careers_in, ranking
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import AWAY, WAITING, RoomWaits
from casino_lobby.domain.room_limits import SCOPES
from casino_lobby.domain.room_views import CareerIds, room_summary, unit_of
from casino_lobby.errors import NotAdmitted
from casino_lobby.service.command_replies import CommandType, OutputT, RequestT
from casino_lobby.store import Store

KEPT = 256
"""Maximum number of cached records, of about 10 kB each."""

_Key = tuple[str, str]

_IN_PROGRESS: Final = {"commands": 16, "commands that open a room": 4}
"""How many a service may have in progress; each of the latter may start a process."""


class HandRecordCache:
    """Cache of hand records; `ask` fetches one from a room's table and raises CommandRefused."""

    def __init__(self, ask: Callable[[Room, str], Coroutine[Any, Any, HandRecord]]) -> None:
        self._fetch = ask
        self._cached = LruDict[_Key, HandRecord](KEPT)
        self._requests: dict[_Key, asyncio.Task[HandRecord]] = {}

    async def record(self, room: Room, hand_id: str) -> HandRecord:
        """Return a completed hand's record; raises CommandRefused, also ROOM_CLOSED."""
        key = (room.room_id, hand_id)
        cached = self._cached.get(key)
        if cached is not None:
            return cached
        if room.archived_at is not None:
            raise CommandRefused(
                Reason.ROOM_CLOSED,
                f"Room {room.room_id} is archived: its table cannot be asked for records.",
            )
        task = self._requests.get(key)
        if task is None:
            task = asyncio.create_task(self._fetch(room, hand_id))
            self._requests[key] = task
            task.add_done_callback(lambda done: self._store_result(key, done))
        return await asyncio.shield(task)  # a cancelled caller must not cancel the others' request

    def _store_result(self, key: _Key, task: asyncio.Task[HandRecord]) -> None:
        del self._requests[key]
        if not task.cancelled() and task.exception() is None:
            self._cached.put(key, task.result())


class RoomUseCases(ABC):
    """Executes the commands about rooms, which have an owner."""

    @abstractmethod
    async def run(self, command: CommandType[RequestT, OutputT], request: RequestT) -> OutputT:
        """Execute one of `ROOM_COMMANDS`; raises CommandRefused, as its method says."""


class UseCases(RoomUseCases, ABC):
    """All commands and queries."""

    records: HandRecordCache
    """Records of completed hands, including cards that were not shown."""

    @abstractmethod
    async def list_rooms(self) -> RoomList:
        """Return every room, in a group those of all lobbies."""

    @abstractmethod
    async def find_room(self, room_id: str) -> Room:
        """Return a room, also an archived one. Raises ROOM_NOT_FOUND, and in a group STANDBY."""

    @abstractmethod
    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return a room's events after a sequence, by default of its current epoch."""

    async def hand_record(
        self, room: Room, hand_id: str, *, with_questions: bool = False
    ) -> HandRecord:
        """Return the full record of a completed hand; for operators only.

        One with the questions is larger, and not kept.
        Raises CommandRefused: UNSUPPORTED, HAND_RUNNING, UNKNOWN_HAND, TABLE_AWAY, AGENT_….
        """
        if with_questions:
            return await self._hand_record(room, hand_id, with_questions=True)
        return await self.records.record(room, hand_id)

    @abstractmethod
    async def _hand_record(
        self, room: Room, hand_id: str, *, with_questions: bool = False
    ) -> HandRecord:
        """Ask the room's table; raises as `hand_record`."""

    @abstractmethod
    async def register_table(self, request: RegisterTableInput) -> RegisterTableOutput:
        """Register a table in the fleet; rooms that are created without a table may get it.

        Raises CommandRefused: TOO_MANY_TABLES, STALE_EPOCH; in a group also STANDBY while the
        owner of the table's room cannot be asked: the table gets no lease, and tries again.
        """

    @abstractmethod
    async def record(
        self, events: Sequence[ReportedEvent], waits: Sequence[Waiting] | None = None
    ) -> RecordGameEventOutput:
        """Record a table's events exactly once and in order, and why it waits, unless None.

        Raises CommandRefused: UNKNOWN_TABLE, ROOM_CLOSED, STALE_EPOCH, SEQUENCE_MISSING,
        SEQUENCE_CONFLICT, SEQUENCE_GAP, EVENT_UNREADABLE, EVENT_TOO_LARGE; and StoreFailed.
        """

    @abstractmethod
    async def contribute(self, request: ContributeInput) -> ContributeOutput:
        """Give the lobby's part in a room's deal to its table, from what is recorded by now.

        Raises CommandRefused: UNKNOWN_TABLE, ROOM_CLOSED, DEAL_REFUSED; and StoreFailed.
        """


class ScopedUseCases(RoomUseCases):
    """Commands of services within their scope; entrypoints admit callers without such a key."""

    def __init__(self, use_cases: UseCases, operator: Operator) -> None:
        self._use_cases = use_cases
        self._operator = operator
        self._running = Counter[tuple[Service, str]]()

    @override
    async def run(self, command: CommandType[RequestT, OutputT], request: RequestT) -> OutputT:
        """Admit and count a command of a service.

        Raises CommandRefused: OPERATOR_ONLY, ROOM_NOT_FOUND, TOO_MANY_REQUESTS.
        """
        token = caller().token
        service = self._operator.service_of(token)
        if service is None:
            return await self._use_cases.run(command, request)
        self._operator.admit_command(token, command.name)
        room_id = command.room_id(request)
        if room_id is not None:
            room = await self._use_cases.find_room(room_id)
            if not _may(service, command.name, room, getattr(request, "player_id", None)):
                raise NotAdmitted(
                    Reason.OPERATOR_ONLY,
                    f"The {service} may not {command.name} in room {room.room_id}: it is not its"
                    " own"
                    + ("." if room.entry == "open" else ", and its seats are for the invited."),
                )
        kinds = [(service, "commands")]
        if command.opens_room:
            kinds.append((service, "commands that open a room"))
        for kind in kinds:
            if self._running[kind] >= _IN_PROGRESS[kind[1]]:
                raise NotAdmitted(
                    Reason.TOO_MANY_REQUESTS,
                    f"The {service} has {_IN_PROGRESS[kind[1]]} {kind[1]} in progress, its share of"
                    " this lobby; send it again a little later.",
                    details={"retryAfter": "1"},
                )
        self._running.update(kinds)
        try:
            order = command.order(_of_service(request, service), service)
            return await self._use_cases.run(command, order)
        finally:
            self._running.subtract(kinds)


def _may(service: Service, command: str, room: Room, player_id: str | None) -> bool:
    """Return whether a service may send a command of its scope about a room."""
    if room.owner == service:
        return True
    if room.entry != "open" or command not in SCOPES[service].open_rooms:
        return False
    agent = room.agents.get(player_id or "")
    return player_id is None or (agent is not None and agent.registrar == service)


def _of_service(request: RequestT, service: Service) -> RequestT:
    """Return a command whose request id is the service's own: no caller gets another's reply."""
    request_id = getattr(request, "request_id", None)
    if request_id is None:
        return request
    digest = hashlib.blake2b(request_id.encode(), digest_size=16).hexdigest()
    return request.model_copy(update={"request_id": f"{service}/{digest}"})


class LobbyQueries:
    """Lists rooms and tables; `info` describes the lobby itself."""

    def __init__(self, store: Store, fleet: Fleet, info: LobbyInfo) -> None:
        self._store = store
        self._fleet = fleet
        self.info = info

    def rooms(
        self,
        *,
        status: str | None = None,
        game_type: str | None = None,
        state: str | None = None,
        after: str | None = None,
        limit: int,
    ) -> RoomList:
        """Return a page of the matching rooms after the id `after`, the oldest first."""
        rooms = self._store.rooms()
        if after is not None:
            start = next((i for i, room in enumerate(rooms, 1) if room.room_id == after), 0)
            rooms = rooms[start:]
        matches = [
            room
            for room in rooms
            if status in {None, room.status}
            and game_type in {None, room.game_type}
            and state in {None, room.shown_state or room.phase}
        ]
        page = matches[:limit]
        return RoomList(
            rooms=tuple(room_summary(room) for room in page),
            next=page[-1].room_id if len(matches) > limit else None,
        )

    async def archived_rooms(self, *, after: str | None = None, limit: int) -> RoomList:
        """Return a page of the archived rooms after the id `after`, the last archived first.

        Raises StoreFailed.
        """
        rooms = await self._store.retention.archived_rooms(after, limit + 1)
        page = rooms[:limit]
        return RoomList(
            rooms=tuple(room_summary(room) for room in page),
            next=page[-1].room_id if len(rooms) > limit else None,
        )

    def tables(self, *, has_details: bool) -> TableList:
        """Return the announced tables, then tables that only a room refers to.

        `has_details`: with the folders, addresses and errors of what they wait for.
        """
        in_use = {
            base_url(room.table_card_url): room
            for room in self._store.rooms()
            if room.table_card_url and room.phase not in {"closed", "failed"}
        }
        lines = []
        for card_url, lives in self._fleet.announced():
            room = in_use.pop(base_url(card_url), None)
            lines.append(_line(card_url, room, has_details=has_details, lives=lives))
        lines += [
            _line(room.table_card_url, room, has_details=has_details) for room in in_use.values()
        ]
        return TableList(tables=tuple(lines))


def _line(
    card_url: str, room: Room | None, *, has_details: bool, lives: bool | None = None
) -> ListedTable:
    """Return a table's entry; `lives` is None for a table that was not announced."""
    is_away = room is not None and room.state in {AWAY, WAITING}
    is_launched = room is not None and room.is_launched
    waits = room.waits if room else RoomWaits()
    return ListedTable(
        agent_card_url=card_url,
        source="launched" if is_launched else "named" if lives is None else "announced",
        health="away" if is_away else "silent" if lives is False else "ready",
        room_id=room.room_id if room else None,
        table_id=room.table_id if room else None,
        waits=(waits.items or None) if has_details else waits.published(),
    )


ARCHIVED_COUNTED: Final = 1_000
"""Of how many archived rooms, the newest, the results count in the players' careers."""
_FRESH_S: Final = 5.0
"""How long results that were merged over all rooms are served again."""
_ROOMS_READ: Final = 10
"""How many archived rooms are read at a time, while which no other request goes on."""
_GAMES_KEPT: Final = 16


class CareerQueries:
    """What players did over all rooms in memory and the newest archived ones; `clock` in s."""

    def __init__(self, store: Store, clock: Callable[[], float], ids: CareerIds) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._merging = asyncio.Lock()
        self._merged_at: float | None = None
        self._archived: dict[str, tuple[RoomCareer, ...]] = {}
        """By room id, the last archived first."""
        self._parts: dict[str, list[RoomCareer]] = {}
        """By player, in the order in which the rooms were opened."""
        self._rankings = LruDict[str, list[CareerLine]](_GAMES_KEPT)

    async def ranking(self, game_type: str, after: str | None, limit: int) -> CareerList:
        """Return a page of the players of a game after the player `after`; raises StoreFailed."""
        await self._merge()
        lines = self._ranked(game_type)
        start = next((place for place, line in enumerate(lines, 1) if line.id == after), 0)
        page = lines[start : start + limit]
        return CareerList(
            game_type=game_type,
            unit=unit_of(game_type),
            players=tuple(page),
            next=page[-1].id if start + limit < len(lines) else None,
            archived_rooms=len(self._archived),
        )

    async def career(self, career_id: str) -> Career:
        """May raise CommandRefused: UNKNOWN_PLAYER; StoreFailed."""
        await self._merge()
        parts = self._parts.get(career_id)
        if parts is None:
            raise CommandRefused(
                Reason.UNKNOWN_PLAYER, f"No room of this casino has a player {career_id}."
            )
        return career_of(
            parts, {line.id: line.rank for line in self._ranked(HOLDEM)}.get(career_id)
        )

    def _ranked(self, game_type: str) -> list[CareerLine]:
        ranked = self._rankings.get(game_type)
        if ranked is None:
            ranked = ranking(chain.from_iterable(self._parts.values()), game_type)
            self._rankings.put(game_type, ranked)
        return ranked

    async def _merge(self) -> None:
        async with self._merging:
            now = self._clock()
            if self._merged_at is not None and now < self._merged_at + _FRESH_S:
                return
            await self._read_archived()
            rooms = self._store.rooms()
            open_ids = {room.room_id for room in rooms}
            parts = defaultdict[str, list[RoomCareer]](list)
            for room_id, archived in reversed(self._archived.items()):
                for part in archived if room_id not in open_ids else ():
                    parts[part.career_id].append(part)
            for part in chain.from_iterable(careers_in(room, self._ids) for room in rooms):
                parts[part.career_id].append(part)
            self._parts, self._merged_at = dict(parts), now
            self._rankings = LruDict(_GAMES_KEPT)

    async def _read_archived(self) -> None:
        retention = self._store.retention
        room_ids = await retention.archived_ids(ARCHIVED_COUNTED)
        missing = [room_id for room_id in room_ids if room_id not in self._archived]
        read = dict[str, tuple[RoomCareer, ...]](dict.fromkeys(missing, ()))  # unreadable ones
        for start in range(0, len(missing), _ROOMS_READ):
            for room in await retention.archived_among(missing[start : start + _ROOMS_READ]):
                read[room.room_id] = tuple(careers_in(room, self._ids))
        known = self._archived | read
        self._archived = {room_id: known[room_id] for room_id in room_ids}
