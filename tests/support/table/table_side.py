"""A clock, players, a lobby and a network for tests of a table."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from casino_agentkit import (
    ANYONE,
    Agent,
    AgentClient,
    CommandRefused,
    HttpReply,
    LargeBody,
    Service,
    TimedOut,
)
from casino_agentkit.protocol import BODY_LIMIT
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    ConfigureTableInput,
    DeliveryOutcome,
    DeliveryRefused,
    RecordGameEventInput,
    RecordGameEventOutput,
    RecordTableEventsInput,
    RecordTableEventsOutput,
    SeatPlayerInput,
    SignupInvitation,
    SignupResponse,
    TableConfig,
    TableDelivery,
    TableEvent,
    TableEventBatch,
)

from support.in_process import InProcessTransport

CONFIG = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 10,
    "maxSeats": 6,
    "seed": "seven",
}

SOON = timedelta(seconds=10)


def config(**changes: Any) -> TableConfig:
    return TableConfig.model_validate({**CONFIG, **changes})


def passive(request: ActionRequest) -> ActionResponse:
    return ActionResponse(action="check" if "check" in request.legal_actions else "fold")


def calling(request: ActionRequest) -> ActionResponse:
    return ActionResponse(action="check" if "check" in request.legal_actions else "call")


def shoving(request: ActionRequest) -> ActionResponse:
    action = "all-in" if "all-in" in request.legal_actions else "call"
    return ActionResponse.model_validate({"action": action})


Decide = Callable[[ActionRequest], ActionResponse | Awaitable[ActionResponse]]


class Player:
    """A player agent in this process, which records its requests."""

    def __init__(self, name: str, decide: Decide = calling, **signup: Any) -> None:
        self.name = name
        self.decide = decide
        self.asked: list[ActionRequest] = []
        self.invited: list[SignupInvitation] = []
        self._signup = signup

    def agent(self) -> Agent:
        agent = Agent(self.name, "A player in a test.", infers_skill=True)

        @agent.entrypoint("signup", who=ANYONE)
        async def signup(invitation: SignupInvitation) -> SignupResponse:
            """Sign up."""
            self.invited.append(invitation)
            return SignupResponse.model_validate({"displayName": self.name, **self._signup})

        @agent.entrypoint("act", who=ANYONE)
        async def act(request: ActionRequest) -> ActionResponse:
            """Act."""
            self.asked.append(request)
            answer = self.decide(request)
            return await answer if isinstance(answer, Awaitable) else answer

        return agent


class LobbyStub:
    """A lobby that only takes events; the next replies can be errors.

    `takes_tables`: it takes those of several tables in one call.
    """

    def __init__(self, events: Iterable[TableEvent] = (), *, takes_tables: bool = False) -> None:
        self.batches: list[tuple[TableEvent, ...]] = []
        """The events of each table in each call."""
        self.calls: list[RecordTableEventsInput] = []
        """The calls with events, of one table or several, where it takes those of several."""
        self.trouble: list[Exception] = []
        """What is replied to the next batches of a table."""
        self.call_trouble: list[Exception] = []
        """What is replied to the next calls with events of several tables."""
        self.may_reply = asyncio.Event()
        """Cleared while calls with events of several tables get no reply."""
        self.may_reply.set()
        self.takes_large = True
        self._takes_tables = takes_tables
        self._known = {self._place(event): event for event in events}

    @property
    def events(self) -> list[TableEvent]:
        """All events, each once, in the order of their arrival."""
        return list(self._known.values())

    def lose_after(self, count: int) -> None:
        """Lose all events but the first ones, as a lobby that was restored does."""
        self._known = dict(list(self._known.items())[:count])

    def _place(self, event: TableEvent) -> tuple[str, int, int]:
        """Return what numbers an event; the events of a single table may change its id."""
        table = event.table_id if self._takes_tables else ""
        return table, event.epoch or 1, event.sequence or 0

    def _last(self, event: TableEvent) -> int:
        """Return the sequence of the last event of the table and epoch of an event."""
        table, epoch, _ = self._place(event)
        newest_first = (known[2] for known in reversed(self._known) if known[:2] == (table, epoch))
        return next(newest_first, 0)

    def _take(self, event: TableEvent) -> None:
        table, epoch, sequence = self._place(event)
        last = self._last(event)
        if sequence > last + 1:
            raise CommandRefused("SEQUENCE_GAP", "too early", details={"wanted": str(last + 1)})
        if self._known.setdefault((table, epoch, sequence), event) != event:
            raise CommandRefused("SEQUENCE_CONFLICT", "held with other content")

    def _take_batch(self, events: Sequence[TableEvent]) -> int | None:
        self.batches.append(tuple(events))
        for event in events:
            self._take(event)
        return self._last(events[-1])

    def _outcome(self, events: Sequence[TableEvent]) -> DeliveryOutcome:
        try:
            if self.trouble and isinstance(self.trouble[0], CommandRefused):
                raise self.trouble.pop(0)
            return DeliveryOutcome(sequence=self._take_batch(events))
        except CommandRefused as refusal:
            details = refusal.details or None
            refused = DeliveryRefused(
                reason=refusal.reason, message=refusal.message, details=details
            )
            return DeliveryOutcome(refused=refused)

    def agent(self) -> Agent:
        agent = Agent("Lobby", "Takes events.")
        large = LargeBody(BODY_LIMIT, lambda _sender: self.takes_large)

        @agent.entrypoint("recordGameEvent", who=ANYONE, large=large)
        async def record(given: RecordGameEventInput) -> RecordGameEventOutput:
            """Take events."""
            events = given.events if isinstance(given, TableEventBatch) else (given,)
            if self._takes_tables:
                self.calls.append(RecordTableEventsInput(tables=(TableDelivery(events=events),)))
                await self.may_reply.wait()
            if self.trouble:
                raise self.trouble.pop(0)
            return RecordGameEventOutput(sequence=self._take_batch(events))

        if self._takes_tables:

            @agent.entrypoint("recordTableEvents", who=ANYONE, large=large)
            async def record_tables(given: RecordTableEventsInput) -> RecordTableEventsOutput:
                """Take events of several tables."""
                self.calls.append(given)
                await self.may_reply.wait()
                if self.call_trouble:
                    raise self.call_trouble.pop(0)
                outcomes = [self._outcome(part.events) for part in given.tables]
                return RecordTableEventsOutput(tables=tuple(outcomes))

        return agent


class SlowTransport(InProcessTransport):
    """A network in one process whose calls take a time: on a virtual clock nothing else does.

    Without it a session ends before the first of its events is delivered. Requests may vanish, with
    no reply and no refusal either, and replies may come late.
    """

    def __init__(self, latency_s: float = 0.002) -> None:
        super().__init__()
        self._latency_s = latency_s
        self.vanishes: Callable[[str, bytes], bool] = lambda _url, _body: False
        self.delay_s: Callable[[str, bytes], float] = lambda _url, _body: 0.0

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        if self.vanishes(url, body):
            await asyncio.sleep(timeout_s)  # virtual: the loop passes it at once
            raise TimedOut(url, "no reply")
        if self._latency_s:
            await asyncio.sleep(self._latency_s)  # virtual: as above
        reply = await super().send(method, url, headers, body, timeout_s)
        if delay_s := self.delay_s(url, body):
            await asyncio.sleep(delay_s)  # virtual: as above
        return reply


class InProcessNetwork:
    """Agents in one process, each at its own origin."""

    def __init__(self, transport: InProcessTransport | None = None) -> None:
        self.transport = transport or InProcessTransport()

    def add(self, name: str, agent: Agent) -> str:
        """Serve an agent; returns its card URL."""
        origin = f"http://{name}"
        self.transport.apps[origin] = Service({"": agent}).asgi()
        return f"{origin}/.well-known/agent-card.json"

    def client(self) -> AgentClient:
        return AgentClient(self.transport)


def configuring(**changes: Any) -> ConfigureTableInput:
    """Return the input of configureTable from a lobby at http://lobby."""
    given = {
        "tableId": "t1",
        "casinoName": "Test casino",
        "config": CONFIG,
        "casinoCallback": {
            "agentCardUrl": "http://lobby/.well-known/agent-card.json",
            "eventSkill": "recordGameEvent",
        },
        **changes,
    }
    return ConfigureTableInput.model_validate(given)


def seating(number: int, card_url: str, **changes: Any) -> SeatPlayerInput:
    """Return the input of registerPlayer for player `p{number}`."""
    given = {
        "playerId": f"p{number}",
        "displayName": f"Player {number}",
        "agentCardUrl": card_url,
        "actionSkill": "act",
        "startingStack": 200,
        **changes,
    }
    return SeatPlayerInput.model_validate(given)
