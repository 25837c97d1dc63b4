"""The agent of a table: its entrypoints, who may call them, and the games that it offers.

Commands of a room with a key admit only the room's lobby. `configureTable` of a free table, and
commands of a room without a key, admit callers with the fleet key. A process without a fleet key
admits all callers there whom no proxy passes on, so it listens on loopback only.
"""

from functools import cache
from typing import Any, Protocol

import structlog
from casino_agentkit import (
    ANYONE,
    Agent,
    Caller,
    CommandRefused,
    IdempotencyCache,
    KitReason,
    Rule,
    Scheme,
    caller,
)
from casino_agentkit.authority import is_token, refusal_of, refuse_forwarded
from casino_agentkit.network import is_loopback
from casino_contracts import (
    ConfigureTableInput,
    HandRecord,
    HandRecordInput,
    LeaveTableInput,
    NoInput,
    PlayerSeat,
    RoomKey,
    SeatPlayerInput,
    StartGameInput,
    TableSummary,
)
from casino_contracts.table_commands import Visitors
from casino_games import GameError, game_types
from casino_games.hosting.generated_specification import document_of, specification_of
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from casino_table.service import TableService
from casino_table.time_limit import REHEARSAL_LIMIT, TimeLimit

FLEET = Scheme("fleetKey", "the fleet key, which a lobby and its tables share")
ROOM = Scheme("roomKey", "the `table` right of the room's key, which only its lobby can derive")
_PATH = "/games/{game_type}/spec"

logger = structlog.get_logger(__name__)


class Occupied(Protocol):
    """The state of a table agent that the rules depend on."""

    @property
    def room_key(self) -> RoomKey | None: ...

    @property
    def visitors(self) -> Visitors | None: ...

    @property
    def is_free(self) -> bool: ...

    @property
    def is_quiet(self) -> bool: ...

    def record_key(self, hand_id: str) -> RoomKey | None: ...


class TableRules:
    """The rules of one table agent's entrypoints."""

    def __init__(self, table: Occupied, fleet_key: str | None) -> None:
        self._table = table
        self.configuring: Rule = _Configuring(table, fleet_key)
        self.playing: Rule = _Playing(table, fleet_key)
        self.seating: Rule = _Seating(table, fleet_key)
        self.recording: Rule = _RecordReading(table)

    def owns(self, caller: Caller) -> bool:
        """Return whether a caller has the room's `table` token, or the room has no key."""
        key = self._table.room_key
        return is_token(caller.token, key.table) if key else not self._table.is_free

    def shown(self, summary: TableSummary, caller: Caller) -> TableSummary:
        """Return what a caller gets of a summary: whoever may play, all of it."""
        try:
            self.playing.admit(caller, None)
        except CommandRefused:
            return summary.published() if self._table.visitors else summary.outline()
        return summary


class _Playing:
    """Seat, start, leave, close: for the room's lobby."""

    scheme = ROOM

    def __init__(self, table: Occupied, fleet_key: str | None) -> None:
        self._table = table
        self._fleet_key = fleet_key

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  only the token matters
        key = self._table.room_key
        if key is None:
            _admit_fleet(caller, self._fleet_key)
        elif not is_token(caller.token, key.table):
            raise refusal_of(caller, ROOM)


class _Seating(_Playing):
    """Seat: for the room's lobby; where it lets visitors sit, for callers on this machine."""

    def admit(self, caller: Caller, message: Any) -> None:
        is_here = is_loopback(caller.address) and not caller.is_forwarded
        if self._table.visitors != "sit" or not is_here:
            super().admit(caller, message)


class _Configuring(_Playing):
    """Configure: for the room's lobby; on a free or quiet table for callers with the fleet key.

    A quiet table refuses another lobby as long as its own one answers (`TableService.configure`).
    """

    def admit(self, caller: Caller, message: Any) -> None:
        key = self._table.room_key
        is_owner = key is not None and is_token(caller.token, key.table)
        if not is_owner and (self._table.is_free or self._table.is_quiet):
            _admit_fleet(caller, self._fleet_key)
        else:
            super().admit(caller, message)


class _RecordReading:
    """Hand records: for the lobby of the room in which the hand was played."""

    scheme = ROOM

    def __init__(self, table: Occupied) -> None:
        self._table = table

    def admit(self, caller: Caller, message: HandRecordInput) -> None:
        key = self._table.record_key(message.hand_id)
        if key is None:
            raise CommandRefused(
                KitReason.FORBIDDEN, "Hand records cannot be read: configureTable set no room key."
            )
        if not is_token(caller.token, key.table):
            raise refusal_of(caller, ROOM)


def _admit_fleet(caller: Caller, fleet_key: str | None) -> None:
    if fleet_key is None:
        refuse_forwarded(caller, "CASINO_TABLE_FLEET_KEY")
    elif not is_token(caller.token, fleet_key):
        raise refusal_of(caller, FLEET)


def offered_games() -> list[dict[str, Any]]:
    """Return summaries with specifications' paths, without packages that cannot be loaded."""
    games = []
    for game_type in game_types():
        try:
            games.append(
                {
                    **specification_of(game_type, TimeLimit(total=REHEARSAL_LIMIT)).front_matter(),
                    "specification": _PATH.format(game_type=game_type),
                }
            )
        except GameError as error:
            logger.warning("game_left_out", game=game_type, error=str(error))
    return games


def document(game_type: str) -> str:
    """Return a game's specification as Markdown; raises GameError."""
    return document_of(game_type, TimeLimit(total=REHEARSAL_LIMIT))


def spec_routes() -> list[Route]:
    cached_document = cache(document)

    async def serve(request: Request) -> Response:
        try:
            content = cached_document(request.path_params["game_type"])
        except GameError as error:
            return JSONResponse({"detail": str(error)}, status_code=404)
        return Response(content, media_type="text/markdown")

    return [Route(_PATH, serve, methods=["GET"])]


def table_agent(service: TableService, name: str, version: str, rules: TableRules) -> Agent:
    """`rules` authorizes the callers; a `requestId` that comes again gets the first reply."""
    agent = Agent(
        name,
        "A table: deals hands, asks players for decisions, publishes events. Plays No-Limit Hold'em"
        " and the other games listed in the params of the card's extension.",
        version=version,
        tags=("casino", "table"),
        about=lambda: {"games": offered_games()},
    )

    @agent.entrypoint("configureTable", who=rules.configuring, memory=IdempotencyCache())
    async def configure_table(request: ConfigureTableInput) -> TableSummary:
        """Configure the table for a room: identity, rules, and where to publish events."""
        return await service.configure(request, is_owner=rules.owns(caller()))

    @agent.entrypoint("registerPlayer", who=rules.seating, memory=IdempotencyCache())
    async def register_player(player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; a seated player keeps the seat."""
        return await service.register(player)

    @agent.entrypoint("startGame", who=rules.playing, memory=IdempotencyCache())
    async def start_game(start: StartGameInput) -> TableSummary:
        """Begin a session; the reply does not wait for its end."""
        return await service.start(start)

    @agent.entrypoint("leaveTable", who=rules.playing, memory=IdempotencyCache())
    async def leave_table(request: LeaveTableInput) -> TableSummary:
        """Free a player's seat: at once between hands, else after the running hand."""
        return await service.leave(request)

    @agent.entrypoint("tableSummary", who=ANYONE)
    async def table_summary(_empty: NoInput) -> TableSummary:
        """Return status, players and latest message, which some rooms show to their lobby alone."""
        return rules.shown(await service.summary(), caller())

    @agent.entrypoint("handRecord", who=rules.recording)
    async def hand_record(request: HandRecordInput) -> HandRecord:
        """Return the full record of a completed hand, for the room's operator."""
        return await service.hand_record(request)

    @agent.entrypoint("closeTable", who=rules.playing)
    async def close_table(_empty: NoInput) -> TableSummary:
        """Close the table after the running hand; all players leave with their chips."""
        return await service.close()

    return agent
