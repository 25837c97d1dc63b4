"""REST handlers of the server-sent event streams."""

from typing import get_args

from casino_contracts import (
    MAX_SAFE,
    HandRecord,
    Lagged,
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    StreamedWaits,
)
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.access.operator import Operator, bearer_token
from casino_lobby.lobby_metrics import StreamFeed
from casino_lobby.problem import ProblemType as P
from casino_lobby.rest.operation import EVENT_STREAM, READS, Operation
from casino_lobby.rest.request_reading import (
    ChoiceParameter,
    WholeParameter,
    invalid,
    path_parameter,
    whole_number,
)
from casino_lobby.service.use_cases import UseCases
from casino_lobby.stream_endpoint import Streams

_LAST_EVENT_ID = "Last-Event-ID"

_AFTER = WholeParameter(
    "after",
    "Resume after this cursor. The header `Last-Event-ID` takes precedence.",
    at_least=0,
    at_most=MAX_SAFE,
)
_FEED = ChoiceParameter(
    "feed",
    "`commentator` is delayed by one hand and shows every card. It requires the operator's key.",
    choices=get_args(StreamFeed),
    default="public",
)


class StreamHandlers:
    """Handles the stream operations; `operator` may follow the commentator feed."""

    def __init__(self, lobby: UseCases, streams: Streams, operator: Operator) -> None:
        self._lobby = lobby
        self._streams = streams
        self._operator = operator

    @Operation(
        "streamRoom",
        "GET /v1/rooms/{roomId}/stream",
        tag="streams",
        who="reader",
        problems={P.OPERATOR_ONLY, P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(_FEED, _AFTER),
        media_type=EVENT_STREAM,
        events={
            "snapshot": RoomStreamSnapshot,
            "table_event": StreamedEvent,
            "hand_record": HandRecord,
            "room_waits": StreamedWaits,
            "room_closed": StreamedRoom,
            "lagged": Lagged,
        },
    )
    async def stream_room(self, request: Request) -> Response:
        """Stream a room.

        Sends server-sent events. The stream starts with `snapshot`, or resumes after the given
        cursor if the lobby still has it. `table_event` follows for each event of the table,
        `room_waits` when the room begins to wait or goes on, and `room_closed` when it closes.
        A client that reads too slowly gets `lagged` and is disconnected. The `commentator` feed
        adds `hand_record` (or `hand_record_missing`) before the events of each hand. Comments are
        heartbeats.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        feed: StreamFeed = "public"
        if _FEED.read(request) == "commentator":
            self._operator.admit_to_all_cards(bearer_token(request.headers.get("authorization")))
            feed = "commentator"
        return self._streams.open(request, room, _after(request), feed)

    @Operation(
        "streamLobby",
        "GET /v1/stream",
        tag="streams",
        who="reader",
        problems=READS | {P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(_AFTER,),
        media_type=EVENT_STREAM,
        events={
            "snapshot": LobbyStreamSnapshot,
            "table_event": StreamedEvent,
            "room_opened": StreamedRoom,
            "room_closed": StreamedRoom,
            "lagged": Lagged,
        },
    )
    async def stream_lobby(self, request: Request) -> Response:
        """Stream all rooms.

        Sends server-sent events. The stream starts with `snapshot`, or resumes after the given
        cursor if the lobby still has it. `room_opened`, `room_closed` and `table_event` of every
        room follow. A client that reads too slowly gets `lagged` and is disconnected. Comments
        are heartbeats.
        """
        return self._streams.open(request, None, _after(request))


def _after(request: Request) -> int | None:
    """Return the cursor to resume after, None for a new stream; raises Problem.

    `Last-Event-ID` wins: a browser that reconnects sends it with the original URL.
    """
    last = request.headers.get(_LAST_EVENT_ID)
    if not last:
        return _AFTER.find(request)
    cursor = whole_number(last, 0, MAX_SAFE)
    if cursor is None:
        raise invalid(_LAST_EVENT_ID, "must be the id of a stream event, a whole number")
    return cursor
