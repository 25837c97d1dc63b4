"""Authorization rules of the lobby's A2A entrypoints, and who may send large bodies."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from casino_agentkit import ANYONE, Caller, CommandRefused, KeyRule, KitReason, Rule, Scheme
from casino_agentkit.authority import is_token, refusal_of
from casino_agentkit.bounded_state import LruDict
from casino_contracts import ContributeInput, Reason

from casino_lobby.access.operator import Operator
from casino_lobby.access.request_budget import ANNOUNCEMENT, COMMAND, RequestBudget
from casino_lobby.domain.deal_book import epoch_of
from casino_lobby.domain.lobby_events import EventsRefused
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room

_REMEMBERED: Final = 4_096
OPERATOR = Scheme("operatorKey", "the operator key of this lobby")
FLEET = Scheme("fleetKey", "the fleet key, which a lobby and its tables share")
EVENTS = Scheme("roomKey", "the `events` right of the room's key, which only its table has")


class CountedRule:
    """Wraps a rule and charges `weight` per call, refused ones included, unless it `is_free`."""

    def __init__(
        self, rule: Rule, budget: RequestBudget, weight: float, is_free: Callable[[Caller], bool]
    ) -> None:
        self._rule = rule
        self._budget = budget
        self._weight = weight
        self._is_free = is_free

    @property
    def scheme(self) -> Scheme | None:
        return self._rule.scheme

    def admit(self, caller: Caller, message: Any) -> None:
        """May raise CommandRefused: TOO_MANY_REQUESTS, and refusal reasons of the rule."""
        if not self._is_free(caller):
            self._budget.take(caller.address, self._weight)
        self._rule.admit(caller, message)


class TableTokens:
    """Recognises the tokens with which tables report the events of their rooms.

    The first large body of a token costs its address as much as a command: it is looked for among
    all `rooms`.
    """

    def __init__(self, rooms: Callable[[], Iterable[Room]], budget: RequestBudget) -> None:
        self._rooms = rooms
        self._budget = budget
        self._recognised = LruDict[str, bool](_REMEMBERED)

    def has(self, caller: Caller) -> bool:
        if not caller.token:
            return False
        if self._recognised.get(caller.token):
            return True
        try:
            self._budget.take(caller.address)
        except CommandRefused:
            return False
        is_known = any(is_token(caller.token, room.key().events) for room in self._rooms())
        if is_known:
            self._recognised.put(caller.token, True)
        return is_known


class LobbyRules:
    """The rules of the lobby's entrypoints.

    Without an operator key every caller may command (the lobby then listens on loopback only), and
    without a fleet key any table may announce itself. With an operator key alone, no table may: it
    would get the seeds and the players of the rooms that it is given. `room_of_table` returns a
    room by its table's id. Calls without a key are charged to the `budget` of their address.
    `report` is called with each refusal of events.
    """

    def __init__(
        self,
        operator: Operator,
        fleet_key: str | None,
        room_of_table: Callable[[str], Room | None],
        *,
        budget: RequestBudget,
        report: Callable[[EventsRefused], None] = lambda _refused: None,
    ) -> None:
        def is_free(caller: Caller) -> bool:
            return operator.knows(caller.token)

        def is_of_fleet(caller: Caller) -> bool:
            return fleet_key is not None and is_token(caller.token, fleet_key)

        commanding = _Commanding(operator)
        reading: Rule = commanding if operator.guards_reading else ANYONE
        announcing: Rule = KeyRule(FLEET, lambda _announcement: fleet_key, "CASINO_LOBBY_FLEET_KEY")
        if operator.is_known and fleet_key is None:
            announcing = _NoFleet()
        self.commanding: Rule = CountedRule(commanding, budget, COMMAND, is_free)
        self.reading: Rule = CountedRule(reading, budget, COMMAND, is_free)
        self.announcing: Rule = CountedRule(announcing, budget, ANNOUNCEMENT, is_of_fleet)
        self.recording: Rule = _Recording(operator, room_of_table, budget, report)
        self.contributing: Rule = _Contributing(room_of_table, budget)
        self.delivering: Rule = ANYONE
        """Of a delivery of several tables: each part of it needs the right of `recording`."""


class _Commanding:
    """Admits the operator and the services; what a service may do is its scope's."""

    scheme = OPERATOR

    def __init__(self, operator: Operator) -> None:
        self._operator = operator

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  of every rule
        """May raise CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        if self._operator.service_of(caller.token) is None:
            try:
                self._operator.admit(caller.token)
            except CommandRefused as refused:
                if not self._operator.is_known:
                    raise
                raise refusal_of(caller, OPERATOR) from refused


class _NoFleet:
    """Admits no table: this lobby has an operator key, and no fleet key to tell tables by."""

    scheme = FLEET

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  of every rule
        """May raise CommandRefused: FORBIDDEN."""
        raise CommandRefused(
            KitReason.FORBIDDEN,
            "This lobby takes no announcements: set CASINO_LOBBY_FLEET_KEY, and the tables'"
            " CASINO_TABLE_FLEET_KEY, to one key of `casino key`.",
        )


class _Recording:
    """Admits events of a room only from its table.

    A lobby without operator key takes commands from everybody on its machine, and so the events of
    a table that declares no room key: its client may be unable to send the token of its callback.
    """

    scheme = EVENTS

    def __init__(
        self,
        operator: Operator,
        room_of_table: Callable[[str], Room | None],
        budget: RequestBudget,
        report: Callable[[EventsRefused], None],
    ) -> None:
        self._operator = operator
        self._room_of_table = room_of_table
        self._budget = budget
        self._report = report

    def admit(self, caller: Caller, message: Sequence[ReportedEvent]) -> None:
        """Compare the caller's token with the `events` token of the room and epoch.

        Events of an unknown table are admitted: the use case then refuses them, so that the table
        stops sending. Raises CommandRefused: UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS.
        """
        first = message[0]
        room = self._room_of_table(first.table_id)
        if room is not None and is_token(caller.token, room.key(first.epoch).events):
            return
        if room is not None and not room.is_keyed and self._is_local(caller):
            return
        try:
            self._budget.take(caller.address)
            if room is not None:
                raise refusal_of(caller, EVENTS)
        except CommandRefused as refusal:
            self._report(EventsRefused(room, refusal.reason, is_proved=False))
            raise

    def _is_local(self, caller: Caller) -> bool:
        """Return whether a caller without a token may command."""
        return not (self._operator.is_known or caller.token or caller.is_forwarded)


class _Contributing:
    """Admits the table of a room, with its token also where everybody may send its events."""

    scheme = EVENTS

    def __init__(self, room_of_table: Callable[[str], Room | None], budget: RequestBudget) -> None:
        self._room_of_table = room_of_table
        self._budget = budget

    def admit(self, caller: Caller, message: ContributeInput) -> None:
        """Compare the caller's token with that of the block's epoch, which the use case judges.

        In a group, this lobby may not know yet that the room has a new epoch.
        Raises CommandRefused: UNKNOWN_TABLE, UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS.
        """
        room = self._room_of_table(message.table_id)
        if room is not None and is_token(caller.token, room.key(epoch_of(message.block)).events):
            return
        self._budget.take(caller.address)
        if room is None:
            raise CommandRefused(
                Reason.UNKNOWN_TABLE, "tableId: no table of this lobby has this id."
            )
        raise refusal_of(caller, EVENTS)
