"""Questions, actions and results over the socket of A2G, with a real seat."""

import asyncio
from pathlib import Path
from typing import Any

from casino_contracts import Defaulted
from casino_gateway.a2g.a2g_codes import A2gLimits
from casino_seats.turns import Answer
from support.gateway.a2g_side import a2g_side, seated_client
from support.gateway.seat_side import KUHN, acted, advance, request
from support.processes import run_until

QUICK = A2gLimits(messages_per_second=1_000_000)
SWEEPS_S = 1.1
"""In this time the seats of clients that are gone are looked at twice."""


async def test_an_action_answers_the_table(tmp_path: Path) -> None:
    """A2G-05, A2G-06: asked with the time left, acknowledged, and seen by everybody."""
    async with a2g_side(tmp_path) as side:
        token = await side.seated()
        async with side.client() as client:
            signed_in = await client.sign_in(token)
            assert signed_in["payload"]["playerIds"] == ["ada"]
            asked_for, call = await side.asked(client)
            assert asked_for["gameType"] == KUHN
            assert asked_for["tableId"] == "room"
            assert asked_for["timeoutSeconds"] == 9.75
            assert asked_for["payload"] == {
                "public": {"pot": 1},
                "private": {"card": "K"},
                "availableActions": [
                    {"type": "CHECK"},
                    {"type": "BET", "minAmount": 1, "maxAmount": 9},
                ],
            }
            sent = await client.send(
                "submit_action", {"action": "bet", "amount": 7}, tableId="room", message="Ha!"
            )
            await client.until("ack", relatedMessageId=sent)
            answer = await call
            assert (answer.action, answer.message) == ({"action_type": "BET", "amount": 7}, "Ha!")
            details = {"action_type": "BET", "amount": 7}
            side.side.room.take(acted(1, "ada", details=details, state={"pot": 8}))
            seen = await client.until("player_action_broadcast")
            assert seen["payload"] == {"action": "BET", "amount": 7}
            assert (seen["playerId"], seen["outcome"]) == ("ada", "ok")
            sequences = [message["sequence"] for message in client.seen[1:]]
            assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))


async def test_a_client_says_that_its_action_is_a_default(tmp_path: Path) -> None:
    """Which is public at once; what cannot be read leaves the question open."""
    async with seated_client(tmp_path, QUICK) as (side, client):
        _, call = await side.asked(client)
        for wrong, fault in (
            (True, "defaulted: must be an object"),
            ({"reason": 5}, "defaulted.reason: must be a string"),
        ):
            sent = {"tableId": "room", "defaulted": wrong}
            await client.send("submit_action", {"action": "CHECK"}, **sent)
            refused = await client.until("error", code="INVALID_MESSAGE")
            assert fault in refused["payload"]["message"]
        why = {"reason": "model_failed", "detail": "401: no such key"}
        await client.send("submit_action", {"action": "CHECK"}, tableId="room", defaulted=why)
        answer = await call
        assert answer.defaulted == Defaulted.model_validate(why)
        taken = {"outcome": "defaulted", "defaulted": {"reason": "model_failed"}}
        side.side.room.take(acted(1, "ada", details={"action_type": "CHECK"}, **taken))
        seen = await client.until("player_action_broadcast")
        assert {name: seen[name] for name in taken} == taken


async def test_the_default_action_is_performed_by_its_name(tmp_path: Path) -> None:
    """That of the specification, which is not offered now."""
    async with seated_client(tmp_path, QUICK) as (side, client):
        _, call = await side.asked(client)
        sent = await client.send("submit_action", {"action": "FOLD"}, tableId="room")
        await client.until("ack", relatedMessageId=sent)
        answer = await call
        assert answer.action == {"action_type": "CHECK"}
        assert answer.defaulted == Defaulted(reason="default_action")


async def test_a_refused_action_leaves_the_question_open(tmp_path: Path) -> None:
    """A2G-09: by code, with what is offered; out of turn and between hands by other codes."""
    async with seated_client(tmp_path, QUICK) as (side, client):
        await client.send("submit_action", {"action": "CHECK"}, tableId="room")
        await client.until("game_error", code="ROUND_COMPLETE")
        _, call = await side.asked(client)
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"action": "RAISE"}, "INVALID_ACTION"),
            ({"action": ["BET"]}, "INVALID_ACTION"),
            ({}, "INVALID_ACTION"),
            ({"action": "BET"}, "INVALID_AMOUNT"),
            ({"action": "BET", "amount": 10}, "INVALID_AMOUNT"),
            ({"action": "BET", "amount": "7"}, "INVALID_AMOUNT"),
        ]
        for payload, code in wrong:
            sent = await client.send("submit_action", payload, tableId="room")
            error = await client.until("game_error", code=code, relatedMessageId=sent)
            assert error["payload"]["availableActions"][0] == {"type": "CHECK"}
        await client.send("submit_action", {"action": "CHECK"}, tableId="room", turn=99)
        await client.until("game_error")
        assert side.seat.question is not None
        await client.send("submit_action", {"action": "CHECK"}, tableId="room")
        assert (await call).action == {"action_type": "CHECK"}


async def test_a_message_counts_once(tmp_path: Path) -> None:
    """A2G-11: its repetition is a DUPLICATE_MESSAGE."""
    async with seated_client(tmp_path) as (side, client):
        _, call = await side.asked(client)
        await client.send("submit_action", {"action": "CHECK"}, messageId="m1")
        await client.until("ack", relatedMessageId="m1")
        _, second = await side.asked(client, 2)
        await client.send("submit_action", {"action": "CHECK"}, messageId="m1")
        await client.until("error", code="DUPLICATE_MESSAGE", relatedMessageId="m1")
        assert (await call).action == {"action_type": "CHECK"}
        assert side.seat.question is not None
        assert isinstance(side.side.store.answers["room/1:1"], Answer)
        assert len(side.side.store.answers) == 1
        second.cancel()


async def test_silence_is_the_tables_to_decide(tmp_path: Path) -> None:
    """A2G-10: TIMEOUT is sent, and a late action is refused."""
    async with seated_client(tmp_path) as (side, client):
        _, call = await side.asked(client)
        await advance(9.8)
        await client.until("game_error", code="TIMEOUT")
        side.seat.match.is_running = True
        await client.send("submit_action", {"action": "CHECK"})
        await client.until("game_error", code="NOT_YOUR_TURN")
        call.cancel()


async def test_what_was_missed_is_sent_once(tmp_path: Path) -> None:
    """A2G-12: in order, after the newest message that the client saw; the question stays open."""
    async with a2g_side(tmp_path) as side:
        token = await side.seated()
        async with side.client() as client:
            session = (await client.sign_in(token))["payload"]["sessionId"]
            first, call = await side.asked(client)
        await run_until(lambda: not side.seat.connections)
        for number in (1, 2):
            details = {"action_type": "CHECK"}
            side.side.room.take(acted(number, details=details, state={"pot": number}))
        await advance(2)
        for resume in (True, False):
            async with side.client() as client:
                payload = {"sessionId": session, "lastSeenMessageId": first["messageId"]}
                if resume:
                    await client.until("hello")
                    await client.send("reconnect", payload)
                    state = await client.until("reconnect_state")
                    again = await client.until("game_action_request")
                else:
                    await client.sign_in(token)
                    again = await client.until("game_action_request")
                    await client.send("reconnect", payload)
                    state = await client.until("reconnect_state")
            missed = state["payload"]["missedMessages"]
            assert [message["type"] for message in missed] == ["player_action_broadcast"] * 2
            assert [message["eventSequence"] for message in missed] == [1, 2]
            assert state["payload"]["isComplete"] is True
            assert state["payload"]["currentState"] == first["payload"]
            assert again["messageId"] == first["messageId"]
            assert again["timeoutSeconds"] == 7.75
        async with side.client() as client:
            await client.send("reconnect", {"sessionId": session, "lastSeenMessageId": "gone"})
            state = await client.until("reconnect_state")
            assert state["payload"]["isComplete"] is False
            assert len(state["payload"]["missedMessages"]) >= 2
            await client.send("submit_action", {"action": "CHECK"})
            assert (await call).action == {"action_type": "CHECK"}


async def test_a_seat_of_a_client_that_is_gone_is_given_back(tmp_path: Path) -> None:
    """A2G-12: after the window, not before, and not while it is connected."""
    async with a2g_side(tmp_path) as side:
        token = await side.seated()
        async with side.client() as client:
            await client.sign_in(token)
            await advance(500)
            await asyncio.sleep(SWEEPS_S)
            assert not side.seats.left
        await run_until(lambda: not side.seat.connections)
        await advance(117)
        await asyncio.sleep(SWEEPS_S)
        assert not side.seats.left
        await advance(2)
        await run_until(lambda: side.seats.left)


async def test_a_newer_specification_is_named_in_the_next_message(tmp_path: Path) -> None:
    """A2G-14: so that a client reads it again."""
    async with seated_client(tmp_path) as (side, client):
        for number, version in enumerate(("1.0.0", "1.1.0"), start=1):
            call = asyncio.create_task(side.seat.ask(request(number, spec_version=version)))
            assert (await client.until("game_action_request"))["specVersion"] == version
            await client.send("submit_action", {"action": "CHECK"})
            await call


async def test_a_window_takes_one_bet(tmp_path: Path) -> None:
    """A2G-08: wrong ones before it do no harm; one after it is too late."""
    async with seated_client(tmp_path, game_model="phase_based") as (side, client):
        call = asyncio.create_task(side.seat.ask(request()))
        window = await client.until("betting_window_open")
        assert window["timeoutSeconds"] == 9.75
        await client.send("submit_action", {"action": "BET", "amount": 99})
        await client.until("game_error", code="INVALID_AMOUNT")
        await client.send("submit_action", {"action": "BET", "amount": 9})
        await client.until("betting_window_closed")
        await client.send("submit_action", {"action": "BET", "amount": 9})
        await client.until("game_error", code="BETTING_WINDOW_CLOSED")
        assert (await call).action["amount"] == 9


async def test_sitting_out_is_an_addition(tmp_path: Path) -> None:
    """The open question is answered by default; an action brings the player back."""
    async with seated_client(tmp_path) as (side, client):
        _, call = await side.asked(client)
        await client.send("sit_out", {"sittingOut": True}, tableId="room")
        assert (await call).away is True
        await client.send("heartbeat")
        await client.until("heartbeat")
        assert side.seat.is_sitting_out
        await client.send("sit_out", {"sittingOut": False}, tableId="room")
        await client.send("heartbeat")
        await client.until("heartbeat")
        assert not side.seat.is_sitting_out


async def test_a_lost_seat_is_reported(tmp_path: Path) -> None:
    async with seated_client(tmp_path) as (side, client):
        side.seat.close("busted")
        assert (await client.until("seat_closed"))["payload"] == {"reason": "busted"}
        await client.send("submit_action", {"action": "CHECK"}, tableId="room")
        await client.until("error", code="TABLE_NOT_FOUND")


async def test_answers_to_questions_are_not_counted(tmp_path: Path) -> None:
    """A client at many tables may be asked more often than it may talk."""
    async with seated_client(tmp_path, A2gLimits(messages_per_second=1)) as (side, client):
        for number in range(1, 21):
            _, call = await side.asked(client, number)
            sent = await client.send("submit_action", {"action": "CHECK"})
            await client.until("ack", relatedMessageId=sent)
            await call
