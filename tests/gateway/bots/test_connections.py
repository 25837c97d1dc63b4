"""The connection of a bot: its first frame, its requests, and what is no frame."""

import json
from contextlib import suppress

import httpx
import pytest
import websockets
from casino_gateway.bots.dialled_bot import BotLimits
from support.gateway.bots_side import Json, bots_side
from support.gateway.seat_side import advance

JOIN = {"roomId": "green", "requestId": "my-seat"}


async def test_the_gateway_seats_the_bot_at_its_lobby() -> None:
    """With the same key for the same request, and one of its own for each bot."""
    async with bots_side() as side, side.connected() as line, side.connected() as other:
        welcome = await line.hello()
        seat = (await line.ask("join", {**JOIN, "preferredSeat": 2}))["data"]
        assert (seat["playerId"], seat["seatNumber"]) == ("player-1", 2)
        await line.ask("join", JOIN)
        await other.hello()
        await other.ask("join", JOIN)
        first, second, third = side.asked
        assert first.url.path == "/v1/rooms/green/players"
        assert json.loads(first.content) == {
            "agentCardUrl": welcome["agentCardUrl"],
            "preferredSeat": 2,
        }
        assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
        assert first.headers["idempotency-key"] != third.headers["idempotency-key"]


async def test_a_bot_leaves_its_own_seat_and_no_other() -> None:
    """A restarted gateway finds out whose seat it is by the registration's own key."""
    async with bots_side() as side, side.connected() as line:
        await line.hello()
        await line.ask("join", JOIN)
        assert await line.ask("leave", JOIN) == {"data": {"ok": True}}
        assert [(one.method, one.url.path) for one in side.asked[1:]] == [
            ("DELETE", "/v1/rooms/green/players/player-1")
        ]
        side.asked.clear()
        assert await line.ask("leave", JOIN) == {"data": {"ok": True}}
        assert [one.method for one in side.asked] == ["POST", "DELETE"]


async def test_the_reason_of_the_lobby_is_passed_on() -> None:
    problem: Json = {"type": "about:blank", "title": "Conflict", "detail": "All seats are taken."}
    async with bots_side() as side, side.connected() as line:
        await line.hello()
        side.reply = lambda _: httpx.Response(409, json={**problem, "reason": "ROOM_FULL"})
        error = (await line.ask("join", JOIN))["error"]
        assert error == {"reason": "ROOM_FULL", "message": "All seats are taken."}
        missing = {"type": "https://x/room-not-found", "detail": "no such room"}
        side.reply = lambda _: httpx.Response(404, json=missing)
        error = (await line.ask("join", JOIN))["error"]
        assert error["reason"] == "UNKNOWN_ROOM"
        assert "There is no room green" in error["message"]


async def test_a_bot_has_a_limited_number_of_seats() -> None:
    async with bots_side() as side, side.connected() as line:
        await line.hello()
        for number in range(8):
            assert "data" in await line.ask("join", {"roomId": "green", "requestId": str(number)})
        error = (await line.ask("join", {"roomId": "green", "requestId": "8"}))["error"]
        assert error["reason"] == "TOO_MANY_SEATS"
        assert len(side.asked) == 8


@pytest.mark.parametrize(
    ("skill", "data", "message"),
    [
        ("join", {}, "roomId: is required; requestId: is required"),
        ("join", {**JOIN, "preferredSeat": -1}, "preferredSeat: "),
        ("dance", {}, "The gateway has hello (once, first), join, leave."),
    ],
)
async def test_a_wrong_request_names_the_field(skill: str, data: Json, message: str) -> None:
    async with bots_side() as side, side.connected() as line:
        await line.hello()
        assert message in (await line.ask(skill, data))["error"]["message"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ("{", "a frame is a JSON object; NaN and Infinity are no JSON"),
        ('{"id": 1, "data": NaN}', "a frame is a JSON object; NaN and Infinity are no JSON"),
        ("[]", "a frame is a JSON object"),
        (b"\xff", "a frame is a JSON object"),
        ({"id": True, "data": {}}, "id: a text or a whole number"),
        ({"id": "x" * 129, "data": {}}, "id: at most 128 characters"),
        ({"id": 1}, "an answer has data, or error; a request has skill and data"),
        ({"id": 1, "skill": "join", "data": []}, "data: a JSON object"),
        ({"id": 1, "skill": 7}, "skill: a text"),
        ('{"id": 1, "data": ' + "[" * 40 + "]" * 40 + "}", "a frame has at most 32 levels"),
    ],
)
async def test_what_is_no_frame_is_named_and_costs_nothing(
    frame: Json | str | bytes, message: str
) -> None:
    async with bots_side() as side, side.connected() as line:
        await line.hello()
        await line.send(frame)
        reply = await line.next()
        assert reply["id"] is None
        assert reply["error"]["reason"] == "BAD_FRAME"
        assert message in reply["error"]["message"]
        assert "data" in await line.ask("join", JOIN)


async def test_the_first_frame_is_hello() -> None:
    """Another one, or a wrong one, is answered with what it must be."""
    async with bots_side() as side, side.connected() as line:
        await line.send({"id": 1, "skill": "join", "data": JOIN})
        reply = await line.next()
        assert reply["error"]["message"] == "the first frame is {id, skill: hello, data}"
        error = (await line.ask("hello", {"token": "guessed"}))["error"]
        assert error["reason"] == "INVALID_INPUT"
        assert error["message"].startswith("token: ")
        assert side.asked == []
        assert (await line.hello())["token"]


@pytest.mark.parametrize(
    ("limits", "code"), [(BotLimits(hello=0.05), 1008), (BotLimits(frames_per_second=1), 4008)]
)
async def test_a_silent_and_a_flooding_connection_are_closed(limits: BotLimits, code: int) -> None:
    async with bots_side(limits) as side, side.connected() as line:
        if code == 4008:
            for _ in range(3):
                await line.send({"id": 1, "data": {}})
        await line.socket.wait_closed()
        assert line.socket.close_code == code


async def test_unreadable_frames_without_end_close_the_connection() -> None:
    async with bots_side() as side, side.connected() as line:
        for _ in range(21):
            await line.send("{")
        with suppress(websockets.ConnectionClosedError):
            while True:  # refusals that nobody reads would hold up the close
                await line.socket.recv()
        assert line.socket.close_code == 1008


async def test_connections_are_limited_by_number_and_by_address() -> None:
    for limits in (BotLimits(connections=1), BotLimits(per_address=1)):
        async with bots_side(limits) as side:
            async with side.connected() as line:
                await line.hello()
                with pytest.raises(websockets.InvalidStatus) as refusal:
                    async with side.connected():
                        pass
                assert refusal.value.response.status_code == 429
                assert b"TOO_MANY_BOTS" in refusal.value.response.body
            await side.until_gone()
            async with side.connected() as line:
                await line.hello()


async def test_attempts_are_limited_by_address() -> None:
    async with bots_side(BotLimits(connections_per_minute=2)) as side:
        for _ in range(2):
            async with side.connected() as line:
                await line.hello()
        with pytest.raises(websockets.InvalidStatus) as refusal:
            async with side.connected():
                pass
        assert b"retry in 30 s" in refusal.value.response.body
        await advance(30)
        async with side.connected() as line:
            await line.hello()


async def test_a_large_frame_closes_the_connection() -> None:
    async with bots_side() as side, side.connected() as line:
        await line.hello()
        await line.send(json.dumps({"id": 1, "data": "x" * 70_000}))
        await line.socket.wait_closed()
        assert line.socket.close_code == 1009
