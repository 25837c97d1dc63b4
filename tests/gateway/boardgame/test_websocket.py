"""The socket: many messages, pushes in order, and refusals before it opens."""

import asyncio
from collections.abc import Sequence

import orjson
import pytest
from casino_gateway.seats.seat_parts import QUEUE_LIMIT
from support.gateway.boardgame_side import BoardgameSide, core, served
from support.gateway.seat_side import TOKEN, Json, acted, asked, request
from support.processes import run_until
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

GET_STATE = core("get_state")


def client(
    port: int, token: str | None = TOKEN, subprotocols: Sequence[str] = (), *, query: str = ""
) -> connect:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    names = [Subprotocol(name) for name in subprotocols] or None
    url = f"ws://127.0.0.1:{port}/bgp/ws{query}"
    return connect(url, additional_headers=headers, subprotocols=names, proxy=None)


async def received(socket: ClientConnection) -> Json:
    message: Json = orjson.loads(await socket.recv())
    return message


async def sent(socket: ClientConnection, message: Json | str) -> Json:
    """Send a message and return what comes next."""
    await socket.send(message if isinstance(message, str) else orjson.dumps(message).decode())
    return await received(socket)


async def test_many_messages_good_and_bad() -> None:
    """BGP-03: after an error the next request is answered; binary frames are read, too."""
    async with served(side := BoardgameSide()) as port, client(port) as socket:
        assert (await sent(socket, "{"))["error"]["data"]["code"] == "INVALID_JSON"
        assert (await sent(socket, GET_STATE))["type"] == "get_state_response"
        await socket.send(orjson.dumps(GET_STATE))
        assert (await received(socket))["type"] == "get_state_response"
        other = await sent(socket, core("get_state", agent_id="bob"))
        assert other["error"]["data"]["code"] == "UNAUTHORIZED"
        assert side.seat.connections == 1
    await run_until(lambda: not side.seat.connections)


@pytest.mark.parametrize(("token", "status"), [(None, 401), ("x", 403)])
async def test_without_the_token_of_a_seat_it_does_not_open(token: str | None, status: int) -> None:
    async with served(BoardgameSide()) as port:
        with pytest.raises(InvalidStatus) as refusal:
            await client(port, token)
    assert refusal.value.response.status_code == status
    reply = orjson.loads(refusal.value.response.body or b"")
    assert reply["error"]["message"] == "Unauthorized action"


async def test_browsers_send_the_token_as_a_subprotocol() -> None:
    """One subprotocol is selected, as browsers want; not the token if there is another."""
    async with served(BoardgameSide()) as port:
        for names, chosen in (
            ([f"bearer.{TOKEN}"], f"bearer.{TOKEN}"),
            (["bgp", f"bearer.{TOKEN}"], "bgp"),
            ([f"bearer.{TOKEN}", "bgp.schemas-1.0.0"], "bgp.schemas-1.0.0"),
        ):
            async with client(port, None, names) as socket:
                assert socket.subprotocol == chosen
                reply = await sent(socket, GET_STATE)
                assert ("agent_id" in reply) == (chosen != "bgp.schemas-1.0.0")


async def test_the_push_of_ones_own_action_comes_after_its_response() -> None:
    """BGP-23: even if the table's event is there before the answer is stored."""
    async with served(side := BoardgameSide()) as port, client(port) as socket:
        asking = await asked(side.side)
        requested = await received(socket)
        assert requested["message_response"]["data"] == {
            "event": "action_requested",
            "payload": {
                "turn": 1,
                "available_actions": list(request(1).available_actions),
                "deadline_ms": 9750,
                "hand_number": 1,
            },
        }
        side.side.store.gate.clear()
        action = {"type": "CHECK", "data": {"turn": 1}}
        await socket.send(orjson.dumps(core("perform_action", action=action)).decode())
        await run_until(lambda: side.seat.question is None)
        side.side.room.take(acted(1, "ada"))
        for _ in range(20):
            await asyncio.sleep(0)
        side.side.store.gate.set()
        assert (await received(socket))["type"] == "perform_action_response"
        assert (await received(socket))["message_response"]["data"]["sequence"] == 1
        await asking


async def test_pushes_resume_after_a_sequence() -> None:
    """BGP-24: without a gap or double; the open question comes again."""
    async with served(side := BoardgameSide()) as port:
        for number in range(1, 6):
            side.side.room.take(acted(number))
        asking = await asked(side.side)
        async with client(port, query="?after=2") as socket:
            pushes = [await received(socket) for _ in range(4)]
            data = [push["message_response"]["data"] for push in pushes]
            assert [one.get("sequence") for one in data] == [3, 4, 5, None]
            assert data[-1]["event"] == "action_requested"
            side.side.room.take(acted(6))
            assert (await received(socket))["message_response"]["data"]["sequence"] == 6
            await side.act("CHECK")
            await asking
        with pytest.raises(InvalidStatus) as refusal:
            await client(port, query="?after=now")
        assert refusal.value.response.status_code == 400


async def test_a_reader_that_is_too_slow_is_disconnected() -> None:
    async with served(side := BoardgameSide()) as port, client(port) as socket:
        await sent(socket, GET_STATE)
        for number in range(1, QUEUE_LIMIT + 2):
            side.side.room.take(acted(number))
        assert (await received(socket))["error"]["data"]["code"] == "LAGGED"
        with pytest.raises(ConnectionClosed) as closed:
            await received(socket)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013


async def test_a_seat_that_is_given_back_still_answers() -> None:
    async with served(side := BoardgameSide()) as port, client(port) as socket:
        await sent(socket, GET_STATE)
        side.seat.close("room_closed")
        push = await received(socket)
        assert push["message_response"]["data"]["event"] == "seat_closed"
        assert (await sent(socket, GET_STATE))["status"] == "abandoned"
