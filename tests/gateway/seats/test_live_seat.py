"""A seat gives each question one outcome: an answer, its clock's end, or absence."""

import asyncio
from dataclasses import replace

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import Defaulted
from casino_gateway.domain.updates import Answered, Asked, Expired
from casino_seats.errors import ActionRefused, RefusedAction
from support.gateway.seat_side import SeatSide, acted, advance, asked, collected, event, request
from support.loops.virtual_loop import loop

CHECK = {"action_type": "check"}


async def test_an_answer_from_outside_goes_to_the_table_once_it_is_stored() -> None:
    """Spelled as offered; nothing is said before it is durable."""
    side = SeatSide()
    asking = await asked(side)
    side.store.gate.clear()
    acting = asyncio.create_task(side.seat.act({"action_type": "bet", "amount": 3.0}, turn=1))
    while side.seat.question is not None:
        await asyncio.sleep(0)
    with pytest.raises(ActionRefused, match="answered or over"):
        await side.seat.act(CHECK, turn=1)
    assert not asking.done()
    assert not acting.done()
    side.store.gate.set()
    assert (await acting).turn == 1
    response = await asking
    assert response.action == {"action_type": "BET", "amount": 3}
    assert response.away is None
    assert side.store.answers["room/1:1"].action == response.action
    assert loop().timers == 0
    assert side.metric("casino_gateway_questions_total", outcome="answered") == 1
    assert side.metric("casino_gateway_open_questions") == 0


async def test_a_redelivered_question_joins_the_open_one_or_gets_the_stored_answer() -> None:
    side = SeatSide()
    first = await asked(side)
    second = asyncio.create_task(side.seat.ask(request(1, deadline_ms=9_000)))
    with side.seat.listen() as updates:
        await asyncio.sleep(0)
        await side.seat.act(CHECK)
        assert [type(update) for update in await collected(updates, 2)] == [Asked, Answered]
    assert await first == await second == await side.seat.ask(request(1))
    assert side.metric("casino_gateway_questions_total", outcome="answered") == 1


async def test_a_second_attempt_is_a_new_question_with_a_later_turn() -> None:
    """Its turn is a lock: an answer to the first one is stale."""
    side = SeatSide()
    first = await asked(side, 1)
    second = await asked(side, 2)
    with pytest.raises(CommandRefused):
        await first
    assert side.seat.turn == 2
    with pytest.raises(ActionRefused) as refusal:
        await side.seat.act(CHECK, turn=1)
    assert refusal.value.reason is RefusedAction.STALE_TURN
    await side.seat.act(CHECK, turn=2)
    await second


async def test_on_a_time_out_nothing_is_answered_before_the_table_decides() -> None:
    """The table's outcome is `timeout`, not a refusal of ours."""
    side = SeatSide()
    asking = await asked(side)
    with side.seat.listen() as updates:
        await advance(9.76)
        assert [type(update) for update in await collected(updates, 2)] == [Asked, Expired]
    with pytest.raises(ActionRefused) as refusal:
        await side.seat.act(CHECK, turn=1)
    assert refusal.value.reason is RefusedAction.STALE_TURN
    with pytest.raises(ActionRefused) as refusal:
        await side.seat.act(CHECK)
    assert refusal.value.reason is RefusedAction.NOT_YOUR_TURN
    await asyncio.sleep(0)
    assert not asking.done()
    await advance(0.25)
    with pytest.raises(CommandRefused):
        await asking
    assert side.metric("casino_gateway_questions_total", outcome="expired") == 1
    assert side.metric("casino_gateway_open_questions") == 0


async def test_nobody_there_answers_at_once_and_says_so() -> None:
    side = SeatSide()
    await advance(10)
    assert not side.seat.is_present
    response = await side.seat.ask(request(1))
    assert (response.away, response.defaulted) == (True, Defaulted(reason="away"))
    assert response.action == {"action_type": "CHECK"}
    assert await side.seat.ask(request(1)) == response
    assert side.metric("casino_gateway_questions_total", outcome="away") == 1
    side.seat.touch()
    await asked(side, 2)


async def test_a_default_from_outside_reaches_the_table_as_one() -> None:
    """Also again after a restart; it is no decision of which the time is measured."""
    side = SeatSide()
    why = Defaulted(reason="model_failed", detail="401: no such key")
    asking = await asked(side)
    await side.seat.act(CHECK, defaulted=why)
    response = await asking
    assert (response.away, response.defaulted) == (None, why)
    restarted = side.take("ada", 0)
    restarted.restore(side.store.turns, side.store.answers)
    assert await restarted.ask(request(1)) == response
    assert side.metric("casino_gateway_questions_total", outcome="defaulted") == 1
    assert side.metric("casino_gateway_decision_seconds_count") == 0


async def test_a_person_whose_connection_is_lost_is_waited_for_as_long_as_for_a_message() -> None:
    """Not to the end of its clock; who comes back in time decides itself."""
    side = SeatSide()
    with side.seat.connected():
        asking = await asked(side, 1, deadline_ms=30_000)
    await advance(9)
    with side.seat.connected():
        await advance(8)
        assert not asking.done()
    await advance(10)
    assert (await asking).away is True
    assert side.metric("casino_gateway_questions_total", outcome="away") == 1
    assert (await side.seat.ask(request(2))).away is True
    assert [side.seat.is_asleep] == [True], "before the table's event says that it sits out"
    with side.seat.connected():
        assert [side.seat.is_asleep] == [False]
        await asked(side, 3)
    side.seat.close("left")
    assert loop().timers == 0


async def test_the_time_of_presence_is_over_at_the_moment_that_its_timer_is_set_for() -> None:
    """Whichever fraction of a second it begins at: by another sum the moment may be before it."""
    for number in range(300):
        side = SeatSide()
        await asyncio.sleep(3 ** -(number % 30))
        with side.seat.connected():
            asking = await asked(side, 1, deadline_ms=30_000)
        assert (await asking).away is True
        assert loop().timers == 0


async def test_a_message_after_the_connection_keeps_the_question_open() -> None:
    """So a client may change from a socket to calls."""
    side = SeatSide()
    with side.seat.connected():
        asking = await asked(side, 1, deadline_ms=30_000)
    await advance(6)
    side.seat.touch()
    await advance(6)
    assert not asking.done()
    await advance(4)
    assert (await asking).away is True


@pytest.mark.parametrize("who", ["program", "caller"])
async def test_whoever_is_no_person_at_a_page_keeps_its_whole_clock(who: str) -> None:
    """A program that reconnects, and a client that never was connected."""
    side = SeatSide()
    if who == "program":
        side.seat.identity = replace(side.seat.identity, kind="ai")
        with side.seat.connected():
            asking = await asked(side, 1, deadline_ms=30_000)
    else:
        asking = await asked(side, 1, deadline_ms=30_000)
    await advance(29)
    assert not asking.done()
    await side.seat.act(CHECK)
    assert (await asking).away is None


async def test_a_person_who_is_gone_for_three_hands_gives_the_seat_back() -> None:
    """And again after three more, should the lobby have been away; not who came back."""
    given_back: list[int] = []
    side = SeatSide()
    side.parts = replace(side.parts, on_absent=lambda _seat: given_back.append(number))
    side.seat = side.take("ada", 0)
    number = 0

    def play(hands: int) -> None:
        nonlocal number
        for _ in range(hands):
            number += 1
            side.room.take(event(number, "hand_completed", {"handNumber": number}))

    with side.seat.connected():
        play(5)
    await advance(11)
    play(2)
    with side.seat.connected():
        play(1)
    await advance(9)
    play(5)
    await advance(2)
    assert given_back == []
    play(7)
    assert given_back == [16, 19]


async def test_a_connected_seat_is_present_however_long_it_is_silent() -> None:
    side = SeatSide()
    with side.seat.connected(), side.seat.connected():
        await advance(3_600)
        assert [side.seat.is_present] == [True]
    await advance(9.9)
    assert [side.seat.is_present] == [True]
    await advance(0.2)
    assert [side.seat.is_present] == [False]
    assert side.metric("casino_gateway_sockets") == 0


async def test_sitting_out_answers_the_open_question_and_lasts_until_a_message() -> None:
    side = SeatSide()
    with side.seat.connected():
        asking = await asked(side)
        side.seat.sit_out()
        assert (await asking).away is True
        assert [side.seat.is_sitting_out] == [True]
        assert [side.seat.is_asleep] == [True]
        assert (await side.seat.ask(request(2))).away is True
        side.seat.touch()
        assert [side.seat.is_sitting_out] == [False]
        await asked(side, 3)


async def test_the_table_may_sit_a_seat_out_and_absence_keeps_it_so() -> None:
    side = SeatSide()
    side.room.take(event(1, "table_status", {"kind": "sat_out", "playerId": "ada"}))
    assert [side.seat.is_sitting_out] == [True]
    assert [side.seat.is_asleep] == [False]
    await advance(11)
    assert [side.seat.is_asleep] == [True]
    side.seat.touch()
    assert [side.seat.is_asleep] == [False]
    side.room.take(event(2, "table_status", {"kind": "returned", "playerId": "ada"}))
    assert [side.seat.is_sitting_out] == [False]


async def test_the_turn_counts_the_decisions_of_the_match() -> None:
    """Its own newest question too, whose event may not have come yet."""
    side = SeatSide()
    assert side.seat.turn == 1
    side.room.take(acted(1))
    assert side.seat.turn == 2
    asking = await asked(side)
    assert side.seat.turn == 2
    await side.seat.act(CHECK)
    await asking
    assert side.seat.turn == 3
    side.room.take(acted(2, "ada"))
    assert side.seat.turn == 3


async def test_two_seats_of_a_room_have_no_turn_twice() -> None:
    """Though the event of the first decision comes after the second question."""
    side = SeatSide()
    other = side.take("bob", 1)
    asking = await asked(side)
    await side.seat.act(CHECK)
    await asking
    asking = asyncio.create_task(other.ask(request(2, player_id="bob")))
    while other.question is None:
        await asyncio.sleep(0)
    assert other.turn == 2
    await other.act(CHECK, turn=2)
    await asking
    side.room.take(acted(1, "ada"))
    side.room.take(acted(2))
    assert (side.seat.turn, other.turn) == (3, 3)


async def test_a_restarted_seat_asks_the_same_turn_and_answers_alike() -> None:
    side = SeatSide()
    side.room.take(acted(1))
    asking = await asked(side, 1)
    await side.seat.act(CHECK, message="hello")
    response = await asking
    await asked(side, 2)
    other = SeatSide()
    other.seat.restore(side.store.turns, side.store.answers)
    assert await other.seat.ask(request(1)) == response
    await asked(other, 2)
    assert other.seat.turn == side.seat.turn == 3
