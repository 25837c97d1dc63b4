"""Declares the operations of the server-sent event streams."""

from casino_lobby.problems.types import ProblemType as P
from casino_lobby.rest import queries
from casino_lobby.rest.operation import ALWAYS, EVENT_STREAM, READS, ROOM, Operation

STREAMS = (
    Operation(
        "streamRoom",
        "GET",
        "/v1/rooms/{roomId}/stream",
        "streams",
        "Stream a room",
        "Sends server-sent events. The stream starts with `snapshot`, or resumes after the given"
        " cursor if the lobby still has it. `table_event` follows for each event of the table and"
        " `room_closed` when the room closes. A client that reads too slowly gets `lagged` and is"
        " disconnected. The `commentator` feed adds `hand_record` (or `hand_record_missing`)"
        " before the events of each hand. Comments are heartbeats.",
        ALWAYS | ROOM | READS | {P.OPERATOR_ONLY, P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(queries.STREAM_FEED, queries.STREAM_AFTER),
        media_type=EVENT_STREAM,
        who="reader",
    ),
    Operation(
        "streamLobby",
        "GET",
        "/v1/stream",
        "streams",
        "Stream all rooms",
        "Sends server-sent events. The stream starts with `snapshot`, or resumes after the given"
        " cursor if the lobby still has it. `room_opened`, `room_closed` and `table_event` of"
        " every room follow. A client that reads too slowly gets `lagged` and is disconnected."
        " Comments are heartbeats.",
        ALWAYS | READS | {P.TOO_MANY_STREAMS, P.DRAINING},
        parameters=(queries.STREAM_AFTER,),
        media_type=EVENT_STREAM,
        who="reader",
    ),
)
