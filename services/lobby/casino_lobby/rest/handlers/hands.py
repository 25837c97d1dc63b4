"""REST handlers of a room's events and completed hands."""

from casino_agentkit import CommandRefused
from casino_contracts import (
    MAX_SAFE,
    EventPage,
    HandDetail,
    HandPage,
    HandRecord,
    NetSeries,
    Reason,
    Standings,
)
from starlette.requests import Request

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public, series_of, standings_of
from casino_lobby.problem_types import ProblemType as P
from casino_lobby.rest.handlers.hand_choice import PARAMETERS, HandChoice
from casino_lobby.rest.operation import ALWAYS, READS, ROOM, TABLE, Operation
from casino_lobby.rest.parameters import ChoiceParameter, WholeParameter
from casino_lobby.rest.requests import path_number, path_parameter
from casino_lobby.service.hands import Hands
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import HandKey, RankedKey, StoredHand

_EPOCH = WholeParameter(
    name="epoch",
    description="Epoch of the room's table. Defaults to the newest.",
    at_least=1,
    at_most=MAX_SAFE,
)
_INCLUDE = ChoiceParameter(
    name="include",
    description="Include the question of each decision: the record is several times as large.",
    choices=("questions",),
)
_EVENTS_AFTER = WholeParameter(
    name="after",
    description="Return only events after this `sequence`.",
    at_least=0,
    at_most=MAX_SAFE,
    default=0,
)
EVENTS_LIMIT = WholeParameter(
    name="limit", description="Maximum number of events.", at_least=1, at_most=5_000, default=500
)


class HandHandlers:
    """Handles the operations of events and hands.

    Summaries and public events come from the lobby's store, full records from the table.
    """

    def __init__(self, lobby: UseCases, hands: Hands) -> None:
        self._lobby = lobby
        self._hands = hands

    @Operation(
        operation_id="readEvents",
        method="GET",
        path="/v1/rooms/{roomId}/events",
        tag="hands",
        who="reader",
        problems=ALWAYS | ROOM | READS,
        parameters=(_EVENTS_AFTER, EVENTS_LIMIT, _EPOCH),
    )
    async def read_events(self, request: Request) -> EventPage:
        """List events.

        Returns the room's events in order of `sequence`. Cards that were not shown are omitted.
        If old events are deleted, `keptFrom` is the place of the oldest stored one.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        after = _EVENTS_AFTER.read(request)
        limit = EVENTS_LIMIT.read(request)
        epoch = _EPOCH.find(request) or room.epoch
        events = await self._lobby.events(room, after, limit, epoch)
        last = events[-1].sequence if events else None
        return EventPage(
            events=tuple(map(public, events)),
            last_sequence=min(after, room.last_sequence) if last is None else last,
            epoch=epoch,
            kept_from=await self._hands.kept_from(room),
        )

    @Operation(
        operation_id="listHands",
        method="GET",
        path="/v1/rooms/{roomId}/hands",
        tag="hands",
        who="reader",
        problems=ALWAYS | ROOM | READS,
        parameters=PARAMETERS,
    )
    async def list_hands(self, request: Request) -> HandPage:
        """List completed hands.

        Returns completed hands in the order of play, the newest first, or the best first, by score
        or pot. If the response has `next`, pass it as `after` to get the next page: no hand is
        listed twice, and none that was completed before the first page is left out. If old hands
        are deleted, `keptFrom` is the place of the oldest stored event.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        choice = HandChoice.of(request)
        # One more than the limit shows whether there is another page.
        hands = await self._read(room, choice, choice.limit + 1)
        page = hands[: choice.limit]
        return HandPage(
            hands=tuple(self._hands.summary(room, hand) for hand in page),
            next=choice.place_of(page[-1]) if len(hands) > choice.limit else None,
            kept_from=await self._hands.kept_from(room),
        )

    async def _read(self, room: Room, choice: HandChoice, limit: int) -> list[StoredHand]:
        match choice.after, choice.by:
            case ((RankedKey() | None as after), "score" | "pot" as by):
                return await self._hands.best(room, after, limit, by=by, among=choice.among)
            case ((HandKey() | None as after), None):
                newest_first = choice.newest_first
                return await self._hands.in_order(
                    room, after, limit, newest_first=newest_first, among=choice.among
                )
        raise AssertionError(choice)

    @Operation(
        operation_id="readStandings",
        method="GET",
        path="/v1/rooms/{roomId}/standings",
        tag="hands",
        who="reader",
        problems=ALWAYS | ROOM | READS,
    )
    async def read_standings(self, request: Request) -> Standings:
        """Get the standings.

        Returns the results of the room's players in its completed hands, the best first: net,
        rate with its 95 % interval, faults, statistics of play, latency. Those who left stay
        listed, also when the room is closed. Deleted hands count; cancelled ones do not.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        return standings_of(room)

    @Operation(
        operation_id="readSeries",
        method="GET",
        path="/v1/rooms/{roomId}/series",
        tag="hands",
        who="reader",
        problems=ALWAYS | ROOM | READS,
    )
    async def read_series(self, request: Request) -> NetSeries:
        """Get the course of the nets.

        Returns the net of each player over all completed hands, deleted ones included, in at most
        200 steps of equal length: of each step the lowest and the highest net, in the order in
        which they occurred.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        return series_of(room)

    @Operation(
        operation_id="readHand",
        method="GET",
        path="/v1/rooms/{roomId}/hands/{handNumber}",
        tag="hands",
        who="reader",
        problems=ALWAYS | ROOM | READS | {P.HAND_NOT_FOUND},
        parameters=(_EPOCH,),
    )
    async def read_hand(self, request: Request) -> HandDetail:
        """Get a completed hand.

        Returns the summary and all public events of a hand.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        number = path_number(request, "handNumber")
        hand = await self._hands.find(room, number, _EPOCH.find(request))
        return HandDetail(
            room_id=room.room_id,
            hand=self._hands.summary(room, hand),
            events=tuple(await self._hands.events(room, hand)),
        )

    @Operation(
        operation_id="readHandRecord",
        method="GET",
        path="/v1/rooms/{roomId}/hands/{handNumber}/record",
        tag="hands",
        who="operator",
        problems=ALWAYS | READS | TABLE | {P.HAND_NOT_FOUND, P.HAND_RUNNING, P.OPERATOR_ONLY},
        parameters=(_EPOCH, _INCLUDE),
        is_private=True,
    )
    async def read_hand_record(self, request: Request) -> HandRecord:
        """Get the full record of a completed hand.

        Returns all cards, the deck, the decisions with the players' reasoning, and the odds by
        street. With `include=questions`, each decision has the question that the player was asked.
        Always requires the operator's key.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        number = path_number(request, "handNumber")
        epoch = _EPOCH.find(request)
        if number == room.running_hand and epoch in {None, room.epoch}:
            raise CommandRefused(
                Reason.HAND_RUNNING,
                f"Hand {number} is still being played; try again when it is completed.",
            )
        hand = await self._hands.find(room, number, epoch)
        hand_id = self._hands.summary(room, hand).hand_id
        with_questions = _INCLUDE.read(request) == "questions"
        return await self._lobby.hand_record(room, hand_id, with_questions=with_questions)
