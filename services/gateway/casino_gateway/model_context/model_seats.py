"""What the tools do: a language model takes a seat of the gateway, waits for its turn, acts."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Final

from casino_agentkit.authority import caller
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.network import network_of
from casino_contracts import HOLDEM, TableEvent
from casino_contracts.base import displayed
from casino_lobby_client.errors import CallFailed, CallRefused, UnknownRoom
from casino_seats.errors import ActionRefused
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from casino_gateway.domain.updates import MODEL_OWNER, Asked, RoomEvent, SeatClosed, Update
from casino_gateway.errors import GatewayError, ListenerLagged
from casino_gateway.model_context.mcp_messages import (
    Absent,
    Acted,
    HandView,
    Json,
    OfferedRoom,
    OfferedRooms,
    RoomStandings,
    SeatArgument,
    SeatLeft,
    SeatTaken,
    StandingRow,
    TurnReport,
    optional,
    rules_uri,
)
from casino_gateway.model_context.model_caller import ModelLimits, count, hides_names, owner_of
from casino_gateway.model_context.practice_rooms import PracticeRooms
from casino_gateway.model_context.turn_report import (
    ToldPlayers,
    refusal_in_words,
    report,
    status_of,
)
from casino_gateway.seats.listed_games import ListedGames
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService, WantedSeat

SLICE_S: Final = 25.0
"""The longest wait of one call: hosts cut calls after 10 to 60 seconds."""
_PROGRESS_S: Final = 5.0
_MARKS: Final = 10_000
_WEIGHT_OF_LOBBY: Final = 5.0
"""Price of a call that makes the gateway call the lobby."""


@dataclass(slots=True)
class _Mark:
    """Up to which event of the table a model was told what happened."""

    epoch: int
    decided: int
    """Before its last decision."""
    told: int
    """By the newest report."""


@dataclass
class ModelSeats:
    """What the tools do. `now` returns the seconds of the questions' clock."""

    seats: SeatService
    games: ListedGames
    practice: PracticeRooms
    limits: ModelLimits
    now: Callable[[], float]
    marks: LruDict[str, _Mark] = field(default_factory=lambda: LruDict(_MARKS))

    async def list_rooms(self) -> OfferedRooms:
        """List the open rooms: game, stakes, free seats."""
        with self.calling_lobby("Call list_rooms again in a moment."):
            rooms = [OfferedRoom.of(room) for room in await self.games.rooms()]
        is_free = any(room.seats_free for room in rooms)
        none = "No seat is free: call list_rooms again later, or start_practice."
        return OfferedRooms(rooms=rooms, next="Call sit_down with a room." if is_free else none)

    async def specification(self, game: str) -> str:
        """Return the rules of a game, with the schemas of states and actions, as Markdown."""
        with self.calling_lobby("list_rooms names the games."):
            specification = await self.seats.specification(game)
            if specification is None:
                offered = ", ".join(listed.game_type for listed in await self.games.offered())
                raise ToolError(f"UNKNOWN_GAME: there is no game {game}. There are: {offered}.")
        return specification[0]

    async def sit_down(
        self,
        context: Context,
        room: Annotated[str, Field(description="As list_rooms names it.")],
        name: Annotated[str, Field(description="Your name at the table, 1 to 64 characters.")],
        buy_in: Annotated[
            Annotated[float, Field(ge=0)] | Absent,
            optional("Chips; left out: the room's starting stack."),
        ] = None,
    ) -> SeatTaken:
        """Take a free seat in a room. In a room where you sit, return the seat you have."""
        with self.calling_lobby("Call list_rooms, and sit_down in a room with a free seat."):
            return self._taken(*await self._sit(owner_of(context), room, name, buy_in))

    async def start_practice(
        self,
        context: Context,
        opponents: Annotated[
            str, Field(description='Sample players by name, such as "tight,caller", or how many.')
        ],
        name: Annotated[str, Field(description="Your name at the table, 1 to 64 characters.")],
        game: Annotated[str, Field(description="As list_rooms names it.")] = HOLDEM,
        hands: Annotated[int, Field(description="How many to play.", ge=1, le=1000)] = 50,
    ) -> SeatTaken:
        """Open a room of your own against sample players, sit down there, and begin to play.

        `leave` closes it.
        """
        owner = owner_of(context)
        _check_name(name)
        with self.calling_lobby("Call start_practice otherwise, or list_rooms."):
            bots = await self.practice.opponents(opponents)
            room = await self.practice.open(game, hands, len(bots))
            try:
                live, seat = await self._sit(owner, room, name)
                self.practice.owned(room, live.identity.seat_id)
                await self.practice.seat(room, bots)
            except BaseException:
                await self.practice.close(room)
                raise
        return self._taken(live, seat)

    async def wait_for_turn(
        self,
        context: Context,
        seat: SeatArgument = None,
        seconds: Annotated[
            float, Field(description="How long to wait at most.", ge=0, le=SLICE_S)
        ] = SLICE_S,
    ) -> TurnReport:
        """Wait until you are to act, at most 25 seconds; then call it again.

        Returns the question with what happened since your last decision. Calling it again while a
        question is open returns the same question.
        """
        live = self._seat(context, seat)
        mark = self._mark(live)
        live.touch()
        events: list[TableEvent] = []
        try:
            with live.connected(), live.listen(after=mark.decided) as updates:
                reading = asyncio.create_task(_until_asked(live, mark.decided, updates, events))
                try:
                    await self._wait(context, reading, seconds)
                finally:
                    reading.cancel()
        except (ListenerLagged, CallFailed):
            events.clear()  # they are too many, or the lobby is away: the state tells the rest
        mark.told = max(mark.told, live.match.sequence)
        others, waits = _others(context, live), self.seats.waits()
        return report(live, events, others, self.now(), waits)

    async def act(
        self,
        context: Context,
        turn: Annotated[int, Field(description="The turn of the question that you answer.")],
        action: Annotated[
            str | SkipJsonSchema[Json],
            Field(
                description="The action_type of one of legal_actions; or that whole action as JSON,"
                " where several offers have the same type."
            ),
        ],
        amount: Annotated[
            int | Absent, optional("Where the offer has min and max: the total.")
        ] = None,
        say: Annotated[
            str | Absent, optional("Table talk, which everybody reads.", max_length=500)
        ] = None,
        seat: SeatArgument = None,
    ) -> Acted:
        """Answer the open question. An answer to an earlier turn is refused."""
        live = self._seat(context, seat)
        live.touch()
        others = _others(context, live)
        chosen = others.meant({"action_type": action} if isinstance(action, str) else dict(action))
        if amount is not None:
            chosen["amount"] = amount
        if say is not None and seat is not None and seat in say:
            raise ToolError("SECRET: `say` has your seat in it, which is secret. Leave it out.")
        mark = self._mark(live)
        told = mark.told
        try:
            answer = await live.act(chosen, turn=turn, message=say)
        except ActionRefused as refused:
            raise ToolError(refusal_in_words(live, refused, others)) from refused
        except GatewayError as error:
            raise ToolError(f"NOT_STORED: {error}. Nothing was done: call act again.") from error
        mark.decided = told
        return Acted(
            turn=answer.turn,
            action=others.told(answer.action),
            by_default=answer.defaulted.text if answer.defaulted else None,
            next="Call wait_for_turn.",
        )

    async def leave(self, context: Context, seat: SeatArgument = None) -> SeatLeft:
        """Give your seat back: at once between hands, else after the running hand."""
        live = self._seat(context, seat)
        with self.calling_lobby("Call leave again."):
            await self.seats.leave(live)
            await self.practice.left(live.identity.room_id, live.identity.seat_id)
        if live.closed is None:
            live.sit_out()
        return SeatLeft(
            room=live.identity.room_id,
            is_closed=live.closed is not None,
            next="standings has the results; list_rooms has other rooms.",
        )

    async def standings(self, context: Context, room: str) -> RoomStandings:
        """Show what the players of a room have won or lost so far, the best first."""
        with self.calling_lobby("list_rooms names the open rooms."):
            found = await self.seats.standings(room)
        is_hidden = hides_names(context)
        return RoomStandings(
            room=room,
            hands=found.hands,
            players=[
                StandingRow(
                    player=f"rank-{rank}" if is_hidden else standing.player_id,
                    name=None if is_hidden else standing.display_name,
                    hands=standing.hands,
                    net=standing.net,
                    per_100_hands=standing.bb_per_100,
                    interval_95=standing.half_interval_95,
                    missed=sum(standing.faults.values()),
                )
                for rank, standing in enumerate(found.players, 1)
            ],
            next="A result within its interval of 0 is not yet more than luck.",
        )

    async def hand(self, context: Context, number: int, seat: SeatArgument = None) -> HandView:
        """Show a completed hand of your table as you saw it: events, and your own cards."""
        live = self._seat(context, seat)
        with self.calling_lobby("The newest completed hands are kept; name one of these."):
            detail = await self.seats.hand(live.identity.room_id, number)
        others, record = _others(context, live), live.records.get(number)
        missing = "Your cards of hands before the gateway's start, and of old hands, are not kept."
        return HandView(
            room=live.identity.room_id,
            hand_number=number,
            events=[others.happened(event) for event in detail.events],
            private=others.told(record.private) if record else None,
            decisions=[
                others.told(decision.model_dump(mode="json", exclude_none=True))
                for decision in (record.decisions if record else ())
            ],
            net=record.net if record else None,
            note=None if record else missing,
        )

    # Within.

    async def _sit(
        self, owner: str | None, room: str, name: str, buy_in: float | None = None
    ) -> tuple[LiveSeat, str]:
        """Return the seat, and what names it in later calls."""
        _check_name(name)
        named = owner or f"{MODEL_OWNER}{secrets.token_urlsafe(16)}"
        async with self.seats.joining(named):
            held = self.seats.held(named, room)
            if held is not None:
                return held, held.identity.seat_id
            taken = await self.seats.take(
                WantedSeat(
                    room_id=room,
                    display_name=displayed(name),
                    kind="ai",
                    buy_in=buy_in,
                    owner=named,
                    address=caller().address,
                )
            )
        return taken.seat, taken.seat.identity.seat_id if owner else taken.token

    async def _wait(self, context: Context, reading: "asyncio.Task[None]", seconds: float) -> None:
        waited = 0.0
        while True:
            pause = min(_PROGRESS_S, seconds - waited)
            done, _ = await asyncio.wait({reading}, timeout=max(pause, 0.05))
            waited += pause
            if done:
                return reading.result()
            if waited >= seconds:
                return None
            await context.report_progress(waited, seconds, "Waiting for the others.")

    def _taken(self, live: LiveSeat, seat: str) -> SeatTaken:
        identity = live.identity
        self._mark(live)
        is_over = status_of(live) == "over"
        return SeatTaken(
            seat=seat,
            room=identity.room_id,
            game=identity.game_type,
            rules=rules_uri(identity.game_type),
            player=identity.player_id,
            seat_number=identity.seat_number,
            name=identity.display_name,
            next="This room's session is over: call leave, then start_practice, or sit elsewhere."
            if is_over
            else "Call rules if you do not know the game, then wait_for_turn.",
        )

    def _mark(self, live: LiveSeat) -> _Mark:
        """Return how much of its table a model knows: nothing of another epoch's events."""
        match = live.match
        mark = self.marks.get(live.identity.seat_id)
        if mark is None:
            mark = _Mark(match.epoch, match.sequence, match.sequence)
        elif mark.epoch != match.epoch:
            mark = _Mark(match.epoch, 0, 0)
        self.marks.put(live.identity.seat_id, mark)
        return mark

    def _seat(self, context: Context, seat: str | None) -> LiveSeat:
        """Return the caller's seat; raises ToolError."""
        owner = owner_of(context)
        owned = self.seats.of_owner(owner) if owner else []
        live = next((held for held in owned if held.identity.seat_id == seat), None)
        if live is None and seat:
            live = self.seats.by_token(seat)
        if live is None and seat is None and len(owned) == 1:
            live = owned[0]
        if live is not None:
            count(self.limits.of_seat, live.identity.seat_id)
            return live
        count(self.limits.of_network, network_of(caller().address))
        if seat is not None:
            raise ToolError("UNKNOWN_SEAT: nobody has that seat any more. Call sit_down again.")
        if owned:
            seats = ", ".join(
                f"{held.identity.seat_id} in {held.identity.room_id}" for held in owned
            )
            raise ToolError(f"WHICH_SEAT: name one of your seats: {seats}.")
        raise ToolError("NO_SEAT: call sit_down first, then give its `seat` with every call.")

    @contextmanager
    def calling_lobby(self, then: str) -> Iterator[None]:
        """Count a call that asks the lobby, and word its refusals; `then` is the next step."""
        count(self.limits.of_network, network_of(caller().address), _WEIGHT_OF_LOBBY)
        try:
            yield
        except UnknownRoom as error:
            raise ToolError(f"UNKNOWN_ROOM: {error} {then}") from error
        except CallRefused as refusal:
            raise ToolError(f"{refusal.reason}: {refusal.message} {then}") from refusal
        except CallFailed as error:
            raise ToolError(f"TRY_AGAIN: {error}. Try again in a few seconds.") from error


async def _until_asked(
    live: LiveSeat, after: int, updates: AsyncIterator[Update], events: list[TableEvent]
) -> None:
    """Collect the events after a sequence until the seat is asked, or nothing more can come.

    Raises ListenerLagged, LobbyAway.
    """
    while status_of(live) != "over" or after < live.match.sequence:
        match await anext(updates):
            case RoomEvent(event=event):
                events.append(event)
                after = event.sequence or after
            case Asked() | SeatClosed():
                return


def _check_name(name: str) -> None:
    if not displayed(name):
        raise ToolError("INVALID_NAME: name must have 1 to 64 visible characters.")


def _others(context: Context, live: LiveSeat) -> ToldPlayers:
    return ToldPlayers(live, are_hidden=hides_names(context))
