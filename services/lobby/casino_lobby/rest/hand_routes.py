"""REST handlers of events and completed hands: lists, summaries, events, records, standings."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from casino_agentkit import CommandRefused, Violation
from casino_contracts import (
    MAX_SAFE,
    EventPage,
    HandDetail,
    HandKind,
    HandPage,
    HandProof,
    HandRecord,
    HighlightList,
    NetSeries,
    Reason,
    SessionResults,
    Standings,
)
from starlette.requests import Request

from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import CareerIds, public, series_of, standings_of
from casino_lobby.problem import Problem, ProblemType
from casino_lobby.problem import ProblemType as P
from casino_lobby.rest.operation import READS, TABLE, Operation
from casino_lobby.rest.request_reading import (
    ChoiceParameter,
    TextParameter,
    WholeParameter,
    path_number,
    path_parameter,
)
from casino_lobby.service.completed_hands import Hands
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import HandFilter, HandKey, Rank, RankedKey, StoredHand

_NUMBER = "[0-9]{1,16}"
_AFTER = TextParameter(
    "after",
    "Return only hands after this position: the `next` of the previous page.",
    at_most=60,
    pattern=rf"^{_NUMBER}\.{_NUMBER}(\.{_NUMBER})?$",
)
HANDS_LIMIT = WholeParameter(
    "limit", "Maximum number of hands.", at_least=1, at_most=1_000, default=100
)
_ORDER = ChoiceParameter(
    "order",
    "Sort order of the hands, unless `sort` is set.",
    choices=("oldest", "newest"),
    default="oldest",
)
_SORT = ChoiceParameter(
    "sort",
    "Sort the newest first, or those with the highest score or pot. A hand without a"
    " pot (of a game that has none) is left out of the list that is sorted by it.",
    choices=("newest", "score", "pot"),
)
_PLAYER = TextParameter(
    "player", "Return only hands in which the player with this id was dealt in."
)
_KIND = ChoiceParameter("kind", "Return only hands of this kind.", choices=get_args(HandKind))
_SINCE = TextParameter(
    "since",
    "Return only hands from this one on: its epoch and number, such as `1.250`.",
    at_most=40,
    pattern=rf"^{_NUMBER}\.{_NUMBER}$",
)
_HIGHLIGHTS = WholeParameter("limit", "Maximum number of hands.", at_least=1, at_most=20, default=5)
PARAMETERS = (_AFTER, HANDS_LIMIT, _ORDER, _SORT, _PLAYER, _KIND, _SINCE)

_BY: dict[str, Rank] = {rank: rank for rank in get_args(Rank)}
_KINDS: dict[str, HandKind] = {kind: kind for kind in get_args(HandKind)}

EPOCH = WholeParameter(
    "epoch", "Epoch of the room's table. Defaults to the newest.", at_least=1, at_most=MAX_SAFE
)
_INCLUDE = ChoiceParameter(
    "include",
    "Include the question of each decision: the record is several times as large.",
    choices=("questions",),
)
_EVENTS_AFTER = WholeParameter(
    "after", "Return only events after this `sequence`.", at_least=0, at_most=MAX_SAFE, default=0
)
EVENTS_LIMIT = WholeParameter(
    "limit", "Maximum number of events.", at_least=1, at_most=5_000, default=500
)


@dataclass(frozen=True)
class HandChoice:
    """Which hands a request wants; `by` is None in the order of play."""

    by: Rank | None
    newest_first: bool
    after: HandKey | RankedKey | None
    limit: int
    among: HandFilter

    @classmethod
    def of(cls, request: Request) -> "HandChoice":
        """Read the parameters; raises Problem."""
        sort = _SORT.read(request)
        by = _BY.get(sort or "")
        after, since = _numbers(_AFTER.read(request)), hand_key(_SINCE.read(request))
        if after is not None and len(after) != (2 if by is None else 3):
            message = "must be the `next` of a page with the same sort"
            raise Problem(
                ProblemType.INVALID_REQUEST, f"after {message}.", (Violation("after", message),)
            )
        return cls(
            by,
            (sort or _ORDER.read(request)) == "newest",
            _place(after),
            HANDS_LIMIT.read(request),
            HandFilter(_PLAYER.read(request), _KINDS.get(_KIND.read(request) or ""), since),
        )

    def place_of(self, hand: StoredHand) -> str:
        """Return the position of a hand as `after` takes it."""
        place = hand.key if self.by is None else hand.ranked(self.by)
        return ".".join(map(str, place))


def hand_key(text: str | None) -> HandKey | None:
    """Return the hand that a parameter such as `1.250` names: its epoch and number."""
    return None if text is None else HandKey(*map(int, text.split(".")))


def _numbers(text: str | None) -> list[int] | None:
    return None if text is None else [int(number) for number in text.split(".")]


def _place(after: list[int] | None) -> HandKey | RankedKey | None:
    if after is None:
        return None
    return RankedKey(*after) if len(after) == 3 else HandKey(*after)  # noqa: PLR2004


class HandHandlers:
    """Handles the operations of events and hands.

    Summaries and public events come from the lobby's store, full records from the table.
    """

    def __init__(
        self,
        lobby: UseCases,
        hands: Hands,
        careers: CareerIds,
        now: Callable[[], datetime],
        results: Callable[[Room], SessionResults],
    ) -> None:
        self._lobby = lobby
        self._hands = hands
        self._careers = careers
        self._now = now
        self._results = results

    @Operation(
        "listHighlights",
        "GET /v1/highlights",
        tag="hands",
        who="reader",
        problems=READS,
        parameters=(_HIGHLIGHTS,),
    )
    async def list_highlights(self, request: Request) -> HighlightList:
        """List the best hands of the last hour.

        Returns of each room, closed ones included, the hand with the highest score that was
        completed in the last hour, the best first: so the first one is the hand of the hour.
        """
        now = self._now().timestamp()
        return HighlightList(
            highlights=await self._hands.best_of_hour(_HIGHLIGHTS.read(request), now)
        )

    @Operation(
        "readEvents",
        "GET /v1/rooms/{roomId}/events",
        tag="hands",
        who="reader",
        parameters=(_EVENTS_AFTER, EVENTS_LIMIT, EPOCH),
    )
    async def read_events(self, request: Request) -> EventPage:
        """List events.

        Returns the room's events in order of `sequence`. Cards that were not shown are omitted.
        If old events are deleted, `keptFrom` is the place of the oldest stored one.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        after = _EVENTS_AFTER.read(request)
        limit = EVENTS_LIMIT.read(request)
        epoch = EPOCH.find(request) or room.epoch
        events = await self._lobby.events(room, after, limit, epoch)
        last = events[-1].sequence if events else None
        return EventPage(
            events=tuple(map(public, events)),
            last_sequence=min(after, room.last_sequence) if last is None else last,
            epoch=epoch,
            kept_from=await self._hands.kept_from(room),
        )

    @Operation(
        "listHands",
        "GET /v1/rooms/{roomId}/hands",
        tag="hands",
        who="reader",
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
                return await self._hands.stored.best(room, after, limit, by=by, among=choice.among)
            case ((HandKey() | None as after), None):
                newest_first = choice.newest_first
                return await self._hands.stored.page(
                    room, after, limit, newest_first=newest_first, among=choice.among
                )
        raise AssertionError(choice)

    @Operation("readStandings", "GET /v1/rooms/{roomId}/standings", tag="hands", who="reader")
    async def read_standings(self, request: Request) -> Standings:
        """Get the standings.

        Returns the results of the room's players in its completed hands, the best first: net,
        rate with its 95 % interval, faults, statistics of play, latency. Those who left stay
        listed, also when the room is closed. Deleted hands count; cancelled ones do not.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        return standings_of(room, self._careers)

    @Operation("readResults", "GET /v1/rooms/{roomId}/results", tag="hands", who="reader")
    async def read_results(self, request: Request) -> SessionResults:
        """Get the signed results.

        Returns the results of the room's sessions that have ended, the newest first, at most 20:
        each with a hash chain over all its public events, deleted ones included, and signed with
        the key of the lobby's card. Without a key `unsigned` says why there is none.
        """
        return self._results(await self._lobby.find_room(path_parameter(request, "roomId")))

    @Operation("readSeries", "GET /v1/rooms/{roomId}/series", tag="hands", who="reader")
    async def read_series(self, request: Request) -> NetSeries:
        """Get the course of the nets.

        Returns the net of each player over all completed hands, deleted ones included, in at most
        200 steps of equal length: of each step the lowest and the highest net, in the order in
        which they occurred.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        return series_of(room)

    @Operation(
        "readHand",
        "GET /v1/rooms/{roomId}/hands/{handNumber}",
        tag="hands",
        who="reader",
        problems={P.HAND_NOT_FOUND},
        parameters=(EPOCH,),
    )
    async def read_hand(self, request: Request) -> HandDetail:
        """Get a completed hand.

        Returns the summary and all public events of a hand.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        number = path_number(request, "handNumber")
        hand = await self._hands.find(room, number, EPOCH.find(request))
        return await self._hands.detail(room, hand)

    @Operation(
        "readHandProof",
        "GET /v1/rooms/{roomId}/hands/{handNumber}/proof",
        tag="hands",
        who="reader",
        problems={P.HAND_NOT_FOUND, P.NO_PROOF},
        parameters=(EPOCH,),
    )
    async def read_hand_proof(self, request: Request) -> HandProof:
        """Get what the deal of a completed hand is checked with.

        Returns what the table committed to before anybody's contribution, the contributions, and
        the public events of the hand, whose last one has the opening.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        number = path_number(request, "handNumber")
        return await self._hands.proof(
            room, await self._hands.find(room, number, EPOCH.find(request))
        )

    @Operation(
        "readHandRecord",
        "GET /v1/rooms/{roomId}/hands/{handNumber}/record",
        tag="hands",
        who="operator",
        problems=TABLE | {P.HAND_NOT_FOUND, P.HAND_RUNNING, P.OPERATOR_ONLY},
        parameters=(EPOCH, _INCLUDE),
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
        epoch = EPOCH.find(request)
        if number == room.running_hand and epoch in {None, room.epoch}:
            raise CommandRefused(
                Reason.HAND_RUNNING,
                f"Hand {number} is still being played; try again when it is completed.",
            )
        hand = await self._hands.find(room, number, epoch)
        hand_id = hand.hand_id(room)
        with_questions = _INCLUDE.read(request) == "questions"
        return await self._lobby.hand_record(room, hand_id, with_questions=with_questions)
