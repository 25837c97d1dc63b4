"""A2A interface of the lobby: entrypoints that call the use cases, and delivered events."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Annotated, Any, Final, NamedTuple, TypeVar

import msgspec
import structlog
from casino_agentkit import Agent, Caller, CommandRefused, LargeBody, Rule, Violation
from casino_agentkit.authority import caller, set_caller
from casino_agentkit.server.call_execution import (
    CallFailure,
    failed_entrypoint,
    invalid_input,
    refused_command,
)
from casino_agentkit.violations import violations_of
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    CreateRoomInput,
    DeliveryOutcome,
    DeliveryRefused,
    LeaveRoomInput,
    NoInput,
    RecordGameEventInput,
    RecordGameEventOutput,
    RecordTableEventsInput,
    RecordTableEventsOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableDelivery,
    TableEvent,
    TableEventBatch,
    TableSummary,
    Waiting,
)
from casino_contracts.events.table_event import BATCH_BYTES, DELIVERY_TABLES
from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.domain.reported_event import DecodedEvent, ReportedEvent
from casino_lobby.errors import StoreFailed
from casino_lobby.service.room_lifecycle import RoomCommands
from casino_lobby.service.use_cases import RoomUseCases, UseCases
from casino_lobby.table_messages import EVENT_SKILL

Events = Annotated[list[DecodedEvent], msgspec.Meta(min_length=1)]


class _Batch(msgspec.Struct, forbid_unknown_fields=True):
    events: Events


_BATCHES: Final = msgspec.json.Decoder(_Batch)


def json_of(events: Sequence[DecodedEvent]) -> bytes:
    """Return the JSON of events, separated by commas.

    Raises ValueError if the model would change an event, or refuse all of them.
    """
    contents = []
    for event in events:
        if not event.message.isprintable():  # the model drops hidden characters
            raise ValueError("a message has to be cleaned")
        contents.append(event.content)
    if sum(map(len, contents)) > BATCH_BYTES:
        raise ValueError("a batch is too large")
    return b",".join(contents)


class EventBatchInput:
    """Reads a batch of events that is written as our own tables write it.

    Then the JSON of an event that was decoded is, byte for byte, what was sent.
    """

    model: Any = RecordGameEventInput

    def read(self, data: bytes) -> Sequence[ReportedEvent]:
        """Return the events of a batch. Raises ValueError: the model has to read it."""
        events = _BATCHES.decode(data).events
        if b'{"events":[%b]}' % json_of(events) != data:
            raise ValueError("no JSON of our own tables")
        return events

    def of_model(self, message: TableEvent | TableEventBatch) -> Sequence[ReportedEvent]:
        """Return the events that the model has read."""
        return message.events if isinstance(message, TableEventBatch) else (message,)


class DeliveredPart(NamedTuple):
    """The events of one table; none, but `violations`, if the part is invalid."""

    room_token: str | None
    events: Sequence[ReportedEvent]
    violations: tuple[Violation, ...] = ()
    waits: Sequence[Waiting] | None = None


class _InvalidDelivery(TableDelivery):
    """A part that its model refuses; it has no events."""

    violations: tuple[Violation, ...]


def _judged(part: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(part)
    except ValidationError as error:
        violations = violations_of(error, data=part)
        return _InvalidDelivery.model_construct(events=(), waits=None, violations=violations)


class JudgedInput(RecordTableEventsInput):
    """Events of several tables, of which each part is valid or not."""

    tables: Annotated[
        tuple[Annotated[TableDelivery, WrapValidator(_judged)], ...],
        Field(min_length=1, max_length=DELIVERY_TABLES),
    ]


class _Part(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    room_token: Annotated[
        str, msgspec.Meta(min_length=16, max_length=512, pattern=r"^[\x21-\x7e]+\Z")
    ]
    events: Events


class _Delivery(msgspec.Struct, forbid_unknown_fields=True):
    tables: Annotated[list[_Part], msgspec.Meta(min_length=1, max_length=DELIVERY_TABLES)]


_DELIVERIES: Final = msgspec.json.Decoder(_Delivery)
_ENCODE_TOKEN: Final = msgspec.json.Encoder().encode


class DeliveryInput:
    """Reads a delivery that is written as our own tables write it, with a token in each part."""

    model: Any = JudgedInput

    def read(self, data: bytes) -> Sequence[DeliveredPart]:
        """Return the parts of a delivery. Raises ValueError: the model has to read it."""
        tables = _DELIVERIES.decode(data).tables
        written = [
            b'{"roomToken":%b,"events":[%b]}'
            % (_ENCODE_TOKEN(part.room_token), json_of(part.events))
            for part in tables
        ]
        if b'{"tables":[%b]}' % b",".join(written) != data:
            raise ValueError("no JSON of our own tables")
        return [DeliveredPart(part.room_token, part.events) for part in tables]

    def of_model(self, message: RecordTableEventsInput) -> Sequence[DeliveredPart]:
        """Return the parts that the model has read, or refused."""
        return [
            DeliveredPart(
                part.room_token,
                part.events,
                part.violations if isinstance(part, _InvalidDelivery) else (),
                part.waits,
            )
            for part in message.tables
        ]


logger = structlog.get_logger(__name__)


class Deliveries:
    """Records each part as a call of `recordGameEvent` with its token would be.

    The parts are recorded at the same time, so that they share a commit; those of one table in
    their order. `recording` decides who may report the events of a table.
    """

    def __init__(self, lobby: UseCases, recording: Rule) -> None:
        self._lobby = lobby
        self._recording = recording

    async def record(self, parts: Sequence[DeliveredPart]) -> RecordTableEventsOutput:
        """Record what is valid and admitted; the outcome of each part says what became of it."""
        sender = caller()
        outcomes = await asyncio.gather(*(self._outcome(part, sender) for part in parts))
        return RecordTableEventsOutput(tables=tuple(outcomes))

    async def _outcome(self, part: DeliveredPart, sender: Caller) -> DeliveryOutcome:
        """Record a part in an asyncio task of its own, which has its own caller."""
        try:
            if part.violations:
                return _refused(invalid_input(part.violations))
            if part.room_token is not None:
                set_caller(Caller(part.room_token, sender.address))
            self._recording.admit(caller(), part.events)
            recorded = await self._lobby.record(part.events, part.waits)
        except StoreFailed as failed:
            return _refused(refused_command(failed.refusal()))
        except CommandRefused as refusal:
            return _refused(refused_command(refusal))
        except Exception:
            # A fault of the lobby costs the other parts nothing; the details go to the log only.
            logger.exception("delivery_failed")
            return _refused(failed_entrypoint())
        return DeliveryOutcome(sequence=recorded.sequence)


def _refused(failure: CallFailure) -> DeliveryOutcome:
    """Return what the table gets instead of the failure of a call of its own."""
    values = dict(failure.metadata or {})
    values.pop("errors", None)  # they are in the message
    reason = values.pop("reason", failure.kind.value[1])
    return DeliveryOutcome(
        refused=DeliveryRefused(reason=reason, message=failure.message, details=values or None)
    )


RequestT = TypeVar("RequestT")
OutputT = TypeVar("OutputT")
UseCase = Callable[[RequestT], Awaitable[OutputT]]


def _refusing_if_store_fails(use_case: UseCase[RequestT, OutputT]) -> UseCase[RequestT, OutputT]:
    """Wrap an entrypoint: its caller gets a failure of the store as a refusal."""

    @wraps(use_case)
    async def refusing(request: RequestT) -> OutputT:
        try:
            return await use_case(request)
        except StoreFailed as failed:
            raise failed.refusal() from failed

    return refusing


def lobby_agent(
    commands: RoomUseCases,
    lobby: UseCases,
    name: str,
    version: str,
    rules: LobbyRules,
    events: LargeBody,
) -> Agent:
    """Return the lobby as an agent; `events` says who may send more of them than a call has."""
    agent = Agent(
        name,
        "A casino lobby: opens rooms, invites players, starts sessions, records what is played.",
        version=version,
        tags=("casino", "lobby"),
    )

    @agent.entrypoint("createRoom", who=rules.commanding)
    @_refusing_if_store_fails
    async def create_room(request: CreateRoomInput) -> RoomSnapshot:
        """Open a room on a table."""
        return await commands.run(RoomCommands.create, request)

    @agent.entrypoint("registerPlayer", who=rules.commanding)
    @_refusing_if_store_fails
    async def register_player(request: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent into a room and seat it."""
        return await commands.run(RoomCommands.register_player, request)

    @agent.entrypoint("leaveRoom", who=rules.commanding)
    @_refusing_if_store_fails
    async def leave_room(request: LeaveRoomInput) -> TableSummary:
        """Release a seat: at once between hands, otherwise after the running hand."""
        return await commands.run(RoomCommands.leave, request)

    @agent.entrypoint("startRoom", who=rules.commanding)
    @_refusing_if_store_fails
    async def start_room(request: StartRoomInput) -> TableSummary:
        """Start a session in a room; returns without waiting for its end."""
        return await commands.run(RoomCommands.start, request)

    @agent.entrypoint("listRooms", who=rules.reading)
    @_refusing_if_store_fails
    async def list_rooms(_input: NoInput) -> RoomList:
        """List every room."""
        return await lobby.list_rooms()

    @agent.entrypoint("registerTable", who=rules.announcing)
    @_refusing_if_store_fails
    async def register_table(request: RegisterTableInput) -> RegisterTableOutput:
        """Announce a table agent to the lobby; repeat periodically while it is running."""
        return await lobby.register_table(request)

    @agent.entrypoint(
        EVENT_SKILL, who=rules.recording, hot=EventBatchInput(), large=events, token_in_name=True
    )
    @_refusing_if_store_fails
    async def record_game_event(events: Sequence[ReportedEvent]) -> RecordGameEventOutput:
        """Record a table's events exactly once and in order."""
        return await lobby.record(events)

    @agent.entrypoint("contribute", who=rules.contributing)
    @_refusing_if_store_fails
    async def contribute(request: ContributeInput) -> ContributeOutput:
        """Have a part in a table's deal: commit to 32 bytes of a block, then give them."""
        return await lobby.contribute(request)

    deliveries = Deliveries(lobby, rules.recording)

    @agent.entrypoint("recordTableEvents", who=rules.delivering, hot=DeliveryInput(), large=events)
    async def record_table_events(parts: Sequence[DeliveredPart]) -> RecordTableEventsOutput:
        """Record events of several tables, each table's part as `recordGameEvent` would."""
        return await deliveries.record(parts)

    return agent
