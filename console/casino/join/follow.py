"""What becomes of a joined bot: its hands, its faults with their reasons, its net."""

from collections.abc import Callable

from casino_contracts import PlayerFault, RoomSnapshot, TableEvent
from casino_contracts.events.content import StatusChanged, content_of
from casino_contracts.lobby_messages import RoomStreamSnapshot, StreamedEvent

from casino.formatting import counted, signed
from casino.join.log import BotLog
from casino.lobby_api import LobbyApi
from casino.operator_key import CONSOLE_KEY, OperatorKey
from casino.up.score import PlayerScore, Score
from casino.watch.follow import Interruption, follow


class Following:
    """Follows a room's events for one of its players. `say` gets lines for the bot's author.

    A quiet one only logs, and has the result: something else writes the room's lines.
    """

    def __init__(
        self,
        api: LobbyApi,
        room_id: str,
        player_id: str,
        seat_token: str,
        log: BotLog,
        say: Callable[[str], None],
        *,
        before: tuple[int, int] = (0, 0),
        is_quiet: bool = False,
    ) -> None:
        self.is_over = False
        """Whether the seat is gone, or the room closed."""
        self._api = api
        self._room_id = room_id
        self._player_id = player_id
        self._key = OperatorKey(CONSOLE_KEY, seat_token or None)
        self._log = log
        self._say = say
        self._seen = before
        self._is_quiet = is_quiet
        self._score = Score()
        self._failed = 0
        self._last_fault = (0, 0)

    async def run(self) -> None:
        """Follow until the seat is gone or the room is closed. Raises CallFailed."""
        async for event in follow(self._api, self._room_id):
            if isinstance(event, Interruption):
                if not self._is_quiet:
                    self._say(f"{event.why}; connecting again")
                continue
            match event.name:
                case "snapshot":
                    room = RoomStreamSnapshot.model_validate_json(event.data).room
                    for past in sorted(room.events, key=_position):
                        await self._take(past)
                case "table_event":
                    await self._take(StreamedEvent.model_validate_json(event.data).event)
                case "room_closed":
                    self._say(f"room {self._room_id} was closed")
                    self.is_over = True
            if self.is_over:
                return

    @property
    def own(self) -> PlayerScore | None:
        """The player's results; None before its registration was seen."""
        return self._score.players.get(self._player_id)

    def result(self) -> str:
        """Return the result in one line."""
        own = self.own
        if own is None:
            return "no hand was played"
        failed = ", ".join(
            f"{count} {outcome.replace('_', ' ')}"
            for outcome, count in own.outcomes.items()
            if outcome != "ok"
        )
        decisions = f"{counted(own.outcomes.total(), 'decision')}, {failed or 'no fault'}"
        hands = counted(own.rate.hands, "hand")
        return f"net {signed(own.net)} after {hands}; {decisions}"

    async def _take(self, event: TableEvent) -> None:
        if _position(event) <= self._seen:
            return
        self._seen = _position(event)
        self._score.add(event)
        content = content_of(event)
        if event.event_type == "hand_completed":
            await self._read_faults()
        elif isinstance(content, StatusChanged):
            self._on_status(content)

    def _on_status(self, content: StatusChanged) -> None:
        is_own = content.player_id == self._player_id
        if self._is_quiet:
            self.is_over = self.is_over or (content.kind == "left" and is_own)
            return
        match content.kind:
            case "started":
                self._say("a session begins")
            case "finished":
                self._say(f"the session is over: {self.result()}; Ctrl-C leaves the room")
            case "sat_out" if is_own:
                self._say("the bot sits out after failures in a row, and is tried again later")
            case "returned" if is_own:
                self._say("the bot plays again")
            case "left" if is_own:
                self.is_over = True

    async def _read_faults(self) -> None:
        own = self.own
        if own is None or own.failed_answers == self._failed:
            return
        self._failed = own.failed_answers
        reply = await self._api.faults(self._room_id, self._player_id, self._key)
        for fault in reversed(reply.faults or ()):
            position = (fault.epoch, fault.sequence)
            if position > self._last_fault:
                self._last_fault = position
                self._on_fault(fault)

    def _on_fault(self, fault: PlayerFault) -> None:
        self._log.fault(fault.model_dump(mode="json"))
        if not self._is_quiet and fault.outcome != "retried":  # that was said when it was rejected
            outcome = fault.outcome.replace("_", " ")
            reason = fault.reason or "no reason was reported"
            self._say(f"hand {fault.hand_number}: {outcome}, {reason}")


def last_position(room: RoomSnapshot) -> tuple[int, int]:
    """Return the position of a room's newest event, before which nothing concerns the bot."""
    return max(map(_position, room.events), default=(0, 0))


def _position(event: TableEvent) -> tuple[int, int]:
    return event.epoch or 0, event.sequence or 0
