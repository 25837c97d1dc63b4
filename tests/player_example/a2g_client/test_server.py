"""The REST part of an A2G server, which may answer anything."""

from datetime import timedelta
from json import dumps
from typing import Any

import httpx
import pytest
from casino_player_example.a2g_client.a2g_connection import A2GServer, ListedRoom
from casino_player_example.errors import A2GError, LoginRefused, NoSeat, ServerLost

ROOM = ListedRoom("r1", "dice", 20.0, has_free_seat=True)


def reply(status: int, *, json: Any = None, content: bytes = b"") -> httpx.Response:
    text = content if json is None else dumps(json).encode()
    return httpx.Response(status, stream=httpx.ByteStream(text))


class Side:
    """A server that answers with these replies in order, and the waits between requests."""

    def __init__(self, *replies: httpx.Response) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        http = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))
        self.server = A2GServer(
            http, "https://server/", timeout=timedelta(seconds=5), sleep=self._wait
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.replies.pop(0)

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)


async def test_a_guest_gets_a_token_that_every_request_carries() -> None:
    """In the header, never in the URL."""
    side = Side(reply(200, json={"token": "T"}), reply(200, json={}))
    side.server.log_in(await side.server.guest_token("Ann"))
    await side.server.rooms()
    assert side.requests[1].headers["authorization"] == "Bearer T"
    assert side.server.socket_url == "wss://server/ws"


async def test_rooms_that_cannot_be_read_are_skipped() -> None:
    """A seat is free unless the counts say otherwise."""
    listed: list[Any] = [
        {"id": "r1", "gameType": "dice", "minBuyin": 20, "playerCount": 1, "maxPlayers": 2},
        {"id": "r2", "gameType": "dice", "playerCount": 2, "maxPlayers": 2},
        {"id": 3, "gameType": "dice"},
        {"id": "r4"},
        "r5",
    ]
    side = Side(reply(200, json={"rooms": listed}))
    assert await side.server.rooms() == [ROOM, ListedRoom("r2", "dice", None, has_free_seat=False)]


async def test_a_seat_is_taken_for_the_smallest_buy_in() -> None:
    """What the server does not name is what was asked for."""
    side = Side(reply(200, json={"playerId": "p7"}))
    seat = await side.server.join(ROOM, "Ann")
    assert side.requests[0].read() == b'{"displayName":"Ann","buyIn":20}'
    assert (seat.table_id, seat.game_type, seat.player_id) == ("r1", "dice", "p7")


async def test_only_temporary_failures_are_repeated() -> None:
    """With growing delays; the fifth is the last."""
    busy = [reply(429), reply(500), reply(503)]
    side = Side(*busy, reply(200, json={"rooms": []}))
    assert await side.server.rooms() == []
    assert side.waits == [0.5, 1.0, 2.0]
    side = Side(*(reply(503) for _ in range(9)))
    with pytest.raises(ServerLost, match="/api/lobby: HTTP 503"):
        await side.server.rooms()
    assert len(side.requests) == 5


@pytest.mark.parametrize(
    ("refusal", "kind", "message"),
    [
        (reply(401, json={"code": "AUTH_INVALID"}), LoginRefused, "AUTH_INVALID"),
        (
            reply(409, json={"error": {"code": "TABLE_FULL", "message": "no\x07 seat"}}),
            NoSeat,
            "TABLE_FULL: no seat",
        ),
        (reply(404, content=b"<html>"), NoSeat, "HTTP 404: no explanation"),
    ],
)
async def test_a_refusal_says_why(
    refusal: httpx.Response, kind: type[A2GError], message: str
) -> None:
    """In the server's words, without what cannot be printed; nothing is repeated."""
    side = Side(refusal)
    with pytest.raises(kind, match=message):
        await side.server.join(ROOM, "Ann")
    assert side.waits == []


async def test_a_reply_without_end_is_refused() -> None:
    """Memory is bounded."""
    side = Side(reply(200, content=b" " * 2_000_000))
    with pytest.raises(ServerLost, match="larger than"):
        await side.server.rooms()


async def test_a_login_without_a_token_is_a_fault() -> None:
    """Not an empty header."""
    side = Side(reply(200, json={"token": 7}))
    with pytest.raises(ServerLost, match="no token"):
        await side.server.guest_token("Ann")
