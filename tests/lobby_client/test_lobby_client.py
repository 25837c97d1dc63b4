"""The client of the lobby: one that starts tables takes its time, one that stands by is away."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from casino_agentkit import Service, Waits
from casino_contracts import RoomSnapshot, TableConfig, TableSummary, WaitReason
from casino_lobby_client.errors import CallRefused, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.listening import listening
from support.table.table_side import CONFIG

USUAL_S = 10
"""The client's timeout of other calls."""
ROOM = RoomSnapshot(
    room_id="r1",
    config=TableConfig.model_validate(CONFIG),
    table_agent_card_url="http://table",
    events=(),
)


STARTED = TableSummary(table_id="r1", status="running", hand_count=0, players=())


async def answer_late(request: Request) -> Response:
    await asyncio.sleep(2 * USUAL_S)
    reply = STARTED if request.url.path.endswith("start") else ROOM
    return Response(reply.wire(), media_type="application/json")


LOBBY = Service(
    {},
    routes=[
        Route("/v1/rooms", answer_late, methods=["POST"]),
        Route("/v1/rooms/r1", answer_late),
        Route("/v1/rooms/r1/start", answer_late, methods=["POST"]),
    ],
)


async def test_a_room_may_take_longer_to_open_and_to_start() -> None:
    async with listening(LOBBY, None) as port:
        url = f"http://127.0.0.1:{port}"
        usual = httpx.AsyncClient(base_url=url, timeout=USUAL_S)  # virtual: the limit is the claim
        async with usual as http:
            lobby = LobbyClient(http, seating=timedelta(seconds=1))
            assert (await lobby.create_room({})).room_id == "r1"
            await lobby.start("r1")
            with pytest.raises(LobbyAway, match="ReadTimeout"):
                await lobby.room("r1")


def problem(status: int, kind: str, **fields: object) -> httpx.Response:
    body = {"type": f"/problems/{kind}", "title": "x", "status": status, "detail": "why", **fields}
    return httpx.Response(status, json=body)


def client(reply: httpx.Response | httpx.HTTPError) -> LobbyClient:
    """Return a client of a lobby that gives the same reply to everything."""

    def answer(_request: httpx.Request) -> httpx.Response:
        if isinstance(reply, httpx.HTTPError):
            raise reply
        return reply

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://lobby")
    return LobbyClient(http, seating=timedelta(seconds=1))


@pytest.mark.parametrize(
    ("reply", "error", "text"),
    [
        (problem(404, "room-not-found"), UnknownRoom, "why"),
        (problem(409, "room-full"), CallRefused, "why"),
        (problem(401, "unauthorized"), LobbyAway, "does not take this gateway's key"),
        (problem(500, "internal"), LobbyAway, "the lobby failed"),
        (problem(503, "standby", reason="STANDBY"), LobbyAway, "why"),
        (httpx.Response(200, text="{}"), LobbyAway, "no RoomSnapshot"),
        (httpx.Response(502, text="bad gateway"), LobbyAway, "HTTP 502"),
        (httpx.ReadTimeout("slow"), LobbyAway, "cannot be reached"),
    ],
)
async def test_what_the_lobby_refuses_is_distinguished(
    reply: httpx.Response | httpx.HTTPError, error: type[Exception], text: str
) -> None:
    """A standby refuses nothing: callers try again, as while the lobby cannot be reached."""
    with pytest.raises(error, match=text):
        await client(reply).room("room")


async def test_a_refusal_has_the_lobbys_reason_and_status() -> None:
    """The reason of the problem, else its type."""
    for fields, reason in (({"reason": "TABLE_AWAY"}, "TABLE_AWAY"), ({}, "ROOM_FULL")):
        with pytest.raises(CallRefused) as refusal:
            await client(problem(409, "room-full", **fields)).room("room")
        assert (refusal.value.reason, refusal.value.status) == (reason, 409)


@pytest.mark.parametrize("name", [".", "..", ""])
async def test_an_id_that_would_lead_elsewhere_is_sent_to_nobody(name: str) -> None:
    """The lobby's client has the key of its operator."""
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.path)
        return httpx.Response(200, json={})

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://lobby")
    lobby = LobbyClient(http, seating=timedelta(seconds=1))
    for call in (
        lobby.room(name),
        lobby.start(name),
        lobby.close_room(name),
        lobby.leave(name, "p"),
        lobby.leave("r", name),
        lobby.events_until(name, 0, 1),
    ):
        with pytest.raises(UnknownRoom, match="is no id"):
            await call
    assert sent == []


@pytest.mark.parametrize("failure", [httpx.ConnectError("refused"), problem(503, "standby")])
@pytest.mark.parametrize("answer", [problem(404, "room-not-found"), problem(401, "unauthorized")])
async def test_a_lobby_that_is_away_is_waited_for(
    failure: httpx.Response | httpx.HTTPError, answer: httpx.Response
) -> None:
    """From a failure of a call or a stream until any answer, also a refusal."""
    replies: list[httpx.Response | httpx.HTTPError] = [failure, failure, failure, answer, failure]

    def reply(_request: httpx.Request) -> httpx.Response:
        given = replies.pop(0)
        if isinstance(given, httpx.HTTPError):
            raise given
        return given

    waits = Waits()
    http = httpx.AsyncClient(transport=httpx.MockTransport(reply), base_url="http://lobby")
    lobby = LobbyClient(http, waits=waits)
    await lobby.look()  # nothing has failed: it does not call
    for _ in range(2):
        with pytest.raises(LobbyAway):
            await lobby.room("r1")
        assert [wait.reason for wait in waits.of("lobby")] == [WaitReason.LOBBY_AWAY]
        await lobby.look()
    assert waits.of("lobby") == []
    with pytest.raises(LobbyAway):
        await anext(lobby.stream("r1"))
    assert len(waits.of("lobby")) == 1
