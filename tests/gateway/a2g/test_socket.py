"""The socket of A2G: sign-in, what cannot be read, floods, and the end of a login."""

import json
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
import websockets
from casino_gateway.a2g.a2g_codes import A2gLimits
from support.gateway.a2g_side import a2g_side, seated_client
from support.gateway.seat_side import KUHN

QUICK = A2gLimits(messages_per_second=1_000_000)


async def test_hello_is_first_and_names_the_games(tmp_path: Path) -> None:
    """A2G-02: with a random id, the version and the time."""
    async with a2g_side(tmp_path) as side, side.client() as client:
        hello = await client.next()
        assert UUID(hello["messageId"]).version == 4
        assert abs(hello["timestamp"] / 1000 - side.wall().timestamp()) < 60
        assert {key: hello[key] for key in ("type", "protocolVersion", "payload")} == {
            "type": "hello",
            "protocolVersion": "1.0",
            "payload": {
                "protocolVersion": "1.0",
                "serverId": "a2a-casino",
                "supportedGames": [KUHN],
                "capabilities": {"provablyFair": False, "multiTable": True},
            },
        }


async def test_a_socket_without_a_login_is_closed(tmp_path: Path) -> None:
    """A2G-03: with AUTH_REQUIRED, though it sent other things meanwhile."""
    async with a2g_side(tmp_path, A2gLimits(authentication=0.3)) as side, side.client() as client:
        await client.until("hello")
        await client.send("balance_query")
        await client.until("error", code="AUTH_REQUIRED")
        assert await client.closed() == 1008
        assert client.seen[-1]["payload"]["code"] == "AUTH_REQUIRED"


async def test_wrong_logins_are_refused(tmp_path: Path) -> None:
    """A2G-04: by code, related to the message; the right one still counts after them."""
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        async with side.client() as client:
            await client.until("hello")
            sent = await client.send("authenticate", {"token": "x", "protocolVersion": "1.0"})
            await client.until("error", code="AUTH_INVALID", relatedMessageId=sent)
            await client.send("authenticate", {"token": token, "protocolVersion": "2.0"})
            await client.until("error", code="VERSION_UNSUPPORTED")
            await client.send("authenticate", {"protocolVersion": "1.0"})
            await client.until("error", code="AUTH_INVALID")
            await client.send("authenticate", {"token": token, "protocolVersion": "1.0"})
            answer = await client.until("authenticated")
        assert answer["payload"]["walletAddress"] is None
        assert answer["payload"]["balance"] == {"available": 0, "locked": 0, "currency": "play"}
        assert len(answer["payload"]["sessionId"]) == 43
        async with side.client() as client:
            for _ in range(5):
                await client.send("authenticate", {"token": "x"})
            assert await client.closed() == 1008


async def test_a_token_in_the_url_is_refused(tmp_path: Path) -> None:
    """A2G-04: even a valid one, because logs keep URLs."""
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with side.client(f"/ws?token={token}"):
                pass
        assert refused.value.response.status_code == 400
        assert b"must not be in a URL" in (refused.value.response.body or b"")


async def test_what_is_unknown_is_ignored(tmp_path: Path) -> None:
    """A2G-13: types and fields, before and after the login."""
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        async with side.client() as client:
            await client.send("sing", {"song": 1})
            await client.sign_in(token)
            await client.send("sing", {"song": 2}, verse=3)
            await client.send("ack", {"relatedMessageId": "x"})
            sent = await client.send("heartbeat", {"direction": "ping", "mood": "good"})
            await client.until("heartbeat", direction="pong", relatedMessageId=sent)
            assert [message["type"] for message in client.seen] == [
                "hello",
                "authenticated",
                "heartbeat",
            ]


UNREADABLE = [
    ("no JSON", "the frame"),
    ("[1]", "the frame"),
    ('{"type": 7}', "type"),
    ('{"type": "submit_action", "payload": []}', "payload"),
    ('{"type": "submit_action", "messageId": 7}', "messageId"),
    ('{"type": "submit_action"}', "messageId"),
    ('{"a":' * 50 + "1" + "}" * 50, "the frame"),
    ('{"type": "\\ud800"}', "the frame"),
    ('{"type": "submit_action", "messageId": "1", "turn": "2"}', "turn"),
    ('{"type": "submit_action", "messageId": "2", "message": 2}', "message"),
    ('{"type": "submit_action", "messageId": "3", "gameType": "chess"}', "gameType"),
]


async def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    async with seated_client(tmp_path) as (_, client):
        for frame, field in UNREADABLE:
            await client.socket.send(frame)
            error = await client.until("error", code="INVALID_MESSAGE")
            assert error["payload"]["message"].startswith(f"{field}: "), frame
        await client.send("balance_query")
        await client.until("balance_response")


async def test_a_frame_that_is_too_large_closes_only_its_socket(tmp_path: Path) -> None:
    """64 KiB are the most; the login and its question are kept."""
    async with a2g_side(tmp_path) as side:
        token = await side.seated()
        async with side.client() as client:
            await client.sign_in(token)
            _, call = await side.asked(client)
            await client.socket.send(json.dumps({"type": "x", "pad": "y" * 65 * 1024}))
            assert await client.closed() == 1009
        async with side.client() as client:
            await client.sign_in(token)
            await client.until("game_action_request")
            await client.send("submit_action", {"action": "CHECK"})
            assert (await call).action == {"action_type": "CHECK"}


async def test_a_flood_is_stopped(tmp_path: Path) -> None:
    """Each message beyond the limit is refused by its id; in the end the socket is closed."""
    async with a2g_side(tmp_path, A2gLimits(messages_per_second=2)) as side:
        token = await side.guest()
        async with side.client() as client:
            await client.sign_in(token)
            sent = [await client.send("heartbeat", {"direction": "pong"}) for _ in range(250)]
            assert await client.closed() == 1008
        errors = [m["payload"] for m in client.seen if m["type"] == "error"]
        assert {error["code"] for error in errors} == {"RATE_LIMITED"}
        # Ten at once, of which one was the sign-in; the socket is closed with the 200th refusal.
        assert [error["relatedMessageId"] for error in errors] == sent[9:208]


async def test_a_login_has_one_socket(tmp_path: Path) -> None:
    """A new one takes the place of the old, which is closed with a code of its own."""
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        async with side.client() as old, side.client() as new:
            await old.sign_in(token)
            await new.sign_in(token)
            assert await old.closed() == 4001
            await new.send("balance_query")
            await new.until("balance_response")


async def test_a_login_is_extended_warned_and_ended(tmp_path: Path) -> None:
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        async with side.client() as client:
            signed_in = await client.sign_in(token)
            side.ahead = timedelta(minutes=20)
            await client.send("session_extend")
            extended = await client.until("session_extended")
            later = extended["payload"]["expiresAt"] - signed_in["payload"]["expiresAt"]
            assert 19 * 60_000 < later < 21 * 60_000
            side.ahead = timedelta(minutes=46)  # 26 of them idle
            await client.until("session_expiring")
            side.ahead = timedelta(minutes=51)
            await client.until("error", code="AUTH_EXPIRED")
            assert await client.closed() == 1008
        async with side.client() as client:
            await client.send("authenticate", {"token": token})
            await client.until("error", code="AUTH_EXPIRED")
