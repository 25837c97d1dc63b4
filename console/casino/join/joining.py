"""Join a room with a bot, follow it, and leave: `casino join`."""

import asyncio
import secrets
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from casino_contracts import PlayerFault, RegisteredPlayer, RoomSnapshot, TableEvent, view_key
from casino_contracts.events.content import StatusChanged, content_of
from casino_contracts.lobby_messages import RoomStreamSnapshot, StreamedEvent, StreamedRoom
from casino_lobby_client.errors import CallFailed, LobbyAway
from casino_lobby_client.lobby_stream import Interruption, follow

from casino.errors import DialFailed
from casino.join.bot_seating import ByCard, ByDialling, DialOut, SeatingMethod, no_room, until_left
from casino.join.joined_player import BotAddress, BotLog, Invitation, JoinedPlayer, served
from casino.lobby_api import LobbyApi
from casino.operator_key import CONSOLE_KEY, OperatorKey
from casino.output import chips, cost_words, counted, signed
from casino.up.session_score import PlayerScore, Score


def own_link(lobby: str, room_id: str, player_id: str, seat_token: str) -> str | None:
    """Return the link, None without a token. Its key reads the bot's hands, and no more."""
    if not seat_token:
        return None
    place = f"{quote(room_id, safe='')}/{quote(player_id, safe='')}"
    return f"{lobby.rstrip('/')}/#/me/{place}?key={view_key(seat_token)}"


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
        async for item in follow(self._api, self._room_id):
            if isinstance(item, Interruption):
                if not self._is_quiet:
                    self._say(f"{item.why}; connecting again")
                continue
            match item.message:
                case RoomStreamSnapshot(room=room):
                    for past in sorted(room.events, key=_position):
                        await self._take(past)
                case StreamedEvent(event=event):
                    await self._take(event)
                case StreamedRoom():
                    self._say(f"room {self._room_id} was closed")
                    self.is_over = True
            if self.is_over:
                return

    @property
    def own(self) -> PlayerScore | None:
        return self._score.players.get(self._player_id)

    def result(self) -> str:
        own = self.own
        if own is None:
            return "no hand was played"
        failed = ", ".join(
            f"{count} {outcome.replace('_', ' ')}"
            for outcome, count in own.outcomes.items()
            if outcome != "ok"
        )
        decided = own.outcomes["ok"] + own.outcomes["retried"]
        faults = f"{decided} its own, {failed}" if failed else "no fault"
        decisions = f"{counted(own.outcomes.total(), 'decision')}, {faults}"
        hands = counted(own.rate.hands, "hand")
        costs = own.decision_costs
        spent = f"; {cost_words(costs)}" if costs else ""
        return f"net {signed(own.net)} after {hands}; {decisions}{spent}"

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
        is_said = fault.outcome in {"retried", "defaulted", "away"}  # when it was answered
        if not self._is_quiet and not is_said:
            outcome = fault.outcome.replace("_", " ")
            reason = fault.reason or "no reason was reported"
            self._say(f"hand {fault.hand_number}: {outcome}, {reason}")


def last_position(room: RoomSnapshot) -> tuple[int, int]:
    """Return the position of a room's newest event, before which nothing concerns the bot."""
    return max(map(_position, room.events), default=(0, 0))


def _position(event: TableEvent) -> tuple[int, int]:
    return event.epoch or 0, event.sequence or 0


@dataclass(frozen=True)
class BotJoinOrder:
    """Where a bot sits down, and how its table reaches it."""

    room_id: str
    lobby: str
    seat: int | None = None
    address: BotAddress = field(default_factory=BotAddress)
    through: str | None = None
    """The gateway to dial; None serves an agent on a port."""
    is_debugging: bool = False
    clock_ms: int | None = None
    """The time for a decision that the bot asks for; None takes the room's."""


class JoinedRoom:
    """One stay at a room. `say` gets lines for the bot's author."""

    def __init__(
        self,
        order: BotJoinOrder,
        api: LobbyApi,
        player: JoinedPlayer,
        log: BotLog,
        say: Callable[[str], None],
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._order = order
        self._api = api
        self._player = player
        self._log = log
        self._say = say
        self._trusted = trusted
        self._stops = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._ending = asyncio.Event()

    def stop(self) -> None:
        """Leave the room; called again, end at once. May be called in any thread."""
        self._stops += 1
        event = self._stopping if self._stops == 1 else self._ending
        if self._loop is not None:
            self._loop.call_soon_threadsafe(event.set)

    async def run(self) -> None:
        """Stay until the seat is gone, or `stop`. Raises CallFailed, DialFailed."""
        self._loop = asyncio.get_running_loop()
        order = self._order
        room = await self._room()
        async with self._way() as (way, line):
            self._player.is_joining = True
            try:
                joining = asyncio.ensure_future(way.join(order.room_id, order.seat))
                await self._first(joining, line)
                seat = joining.result()
            finally:
                self._player.is_joining = False
            await self._stay(way, line, seat, room)

    async def _room(self) -> RoomSnapshot | None:
        """Return the room, None if the bot dials out and the lobby cannot be read from here."""
        order = self._order
        try:
            return await self._api.room(order.room_id)
        except LobbyAway:
            if order.through is None:
                raise
            self._say(
                f"no lobby answers at {order.lobby}: faults and net are not shown;"
                " --lobby URL names the lobby of the room"
            )
            return None
        except CallFailed as error:
            raise await no_room(self._api, order.room_id, order.lobby, error) from error

    @asynccontextmanager
    async def _way(self) -> AsyncIterator[tuple[SeatingMethod, "asyncio.Task[None] | None"]]:
        order = self._order
        async with AsyncExitStack() as stack:
            if order.through is None:
                card_url = await stack.enter_async_context(served(self._player, order.address))
                self._say(f"bot      {card_url}")
                yield ByCard(self._api, card_url), None
                return
            dial = DialOut(order.through, self._player, self._say, self._trusted)
            line = asyncio.create_task(dial.run())
            try:
                yield ByDialling(dial, secrets.token_hex(16)), line
            finally:
                line.cancel()
                await asyncio.gather(line, return_exceptions=True)

    async def _stay(
        self,
        way: SeatingMethod,
        line: "asyncio.Task[None] | None",
        seat: RegisteredPlayer,
        room: RoomSnapshot | None,
    ) -> None:
        order, player_id = self._order, seat.player_id
        self._log.joined(order.room_id, player_id, seat.display_name)
        self._say(
            f"seat {seat.seat_number}   {seat.display_name} with {chips(seat.stack)}"
            f" in room {order.room_id} ({player_id}); Ctrl-C leaves"
        )
        invitation = self._player.invited(player_id)
        if room is not None:
            self._say_rules(room)
            if link := own_link(order.lobby, order.room_id, player_id, _token(invitation)):
                self._say(f"hands    {link}")
        following = Following(
            self._api,
            order.room_id,
            player_id,
            _token(invitation),
            self._log,
            self._say,
            before=last_position(room) if room else (0, 0),
        )
        task = asyncio.create_task(self._follow(following, has_lobby=room is not None))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            waits = {stopping, *([line] if line else []), *([task] if room else [])}
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if line is not None and line.done():
                line.result()
            if stopping.done():
                await self._leave(way, player_id, following, task)
        finally:
            stopping.cancel()
            task.cancel()
            await asyncio.gather(task, stopping, return_exceptions=True)
            if room is not None:
                self._say(following.result())

    async def _follow(self, following: Following, *, has_lobby: bool) -> None:
        if has_lobby:
            await following.run()

    def _say_rules(self, room: RoomSnapshot) -> None:
        config = room.config
        clock_ms = config.action_timeout_ms
        if self._order.is_debugging:
            clock_ms = max(clock_ms, config.max_action_timeout_ms or 0)
            self._say(
                f"--debug: this room's clock is {clock_ms / 1000:g} s at most; a debugger that"
                " waits longer loses the turn (--up has a clock of 10 minutes)"
            )
        players = len(room.summary.players) + 1 if room.summary else 1
        is_waiting = room.summary is None or room.summary.status in {"waiting", "idle"}
        if is_waiting and players < config.max_seats:
            self._say(
                f"{players} of {config.max_seats} seats are taken; the room starts when it is"
                f" full, or by: casino room start {room.room_id} --lobby {self._order.lobby}"
            )

    async def _leave(
        self, way: SeatingMethod, player_id: str, following: Following, task: "asyncio.Task[None]"
    ) -> None:
        self._say("leaving after the running hand; Ctrl-C again ends at once")
        with suppress(CallFailed, DialFailed):
            await way.leave(self._order.room_id, player_id)
        left = asyncio.ensure_future(until_left(lambda: following.is_over, task))
        await self._first(left, asyncio.ensure_future(self._ending.wait()))
        left.cancel()

    async def _first(
        self, work: "asyncio.Future[Any]", other: "asyncio.Future[Any] | None"
    ) -> None:
        """Wait for work, unless the other one ends first, with its error."""
        await asyncio.wait({work, *([other] if other else [])}, return_when="FIRST_COMPLETED")
        if other is not None and other.done() and not work.done():
            work.cancel()
            other.result()


def _token(invitation: Invitation | None) -> str:
    return invitation.seat_token if invitation else ""
