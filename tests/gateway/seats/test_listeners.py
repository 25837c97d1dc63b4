"""A seat tells its listeners what happens, in order, and shows the newest view of the hand."""

import pytest
from casino_agentkit import CommandRefused
from casino_gateway.domain.updates import (
    Answered,
    Asked,
    Dealt,
    Expired,
    HandOver,
    RoomEvent,
    SeatClosed,
)
from casino_gateway.errors import ListenerLagged
from casino_gateway.seats.seat_parts import QUEUE_LIMIT
from support.gateway.seat_side import SeatSide, acted, advance, asked, collected, event, notice
from support.loops.virtual_loop import loop

CHECK = {"action_type": "check"}


async def test_a_listener_gets_the_rooms_events_once_and_in_order() -> None:
    side = SeatSide()
    for sequence in range(1, 6):
        side.room.take(acted(sequence))
    assert not side.room.take(acted(5))
    await asked(side)
    with side.seat.listen(after=3) as updates:
        side.room.take(acted(6))
        four, five, question, six = await collected(updates, 4)
    assert [four, five, six] == [RoomEvent(acted(sequence)) for sequence in (4, 5, 6)]
    assert isinstance(question, Asked)


async def test_older_events_are_read_from_the_lobby() -> None:
    side = SeatSide()
    for sequence in range(1, 701):
        side.history.append(acted(sequence))
        side.room.take(side.history[-1])
    with side.seat.listen(after=10) as updates:
        side.room.take(acted(701))
        received = await collected(updates, 691)
    assert [u.event.sequence for u in received if isinstance(u, RoomEvent)] == [*range(11, 702)]


async def test_a_slow_listener_is_let_go_and_others_are_not() -> None:
    side = SeatSide()
    with side.seat.listen() as slow, side.seat.listen() as fast:
        for sequence in range(1, QUEUE_LIMIT + 2):
            side.room.take(acted(sequence))
            await anext(fast)
        with pytest.raises(ListenerLagged):
            await anext(slow)


async def test_a_closed_seat_ends_its_listeners_and_its_question() -> None:
    side = SeatSide()
    asking = await asked(side)
    with side.seat.listen() as updates:
        side.seat.close("left")
        side.seat.close("busted")
        assert [type(u) async for u in updates] == [Asked, Expired, SeatClosed]
    with pytest.raises(CommandRefused):
        await asking
    assert side.seat.closed is not None
    assert side.seat.closed.reason == "left"
    with side.seat.listen() as updates:
        assert [u async for u in updates] == [SeatClosed("left")]
    assert not side.room.members
    assert loop().timers == 0


async def test_the_view_is_of_this_hand_and_never_of_an_earlier_one() -> None:
    """The public part is the newest; the own card that of this hand."""
    side = SeatSide()
    state = {"public": {"pot": 2}, "private": {"card": "K"}}
    with side.seat.listen() as updates:
        side.seat.notify(notice("dealt", 1, state=state))
        side.seat.notify(notice("dealt", 1, state=state))
        assert side.seat.view == state
        side.room.take(acted(1, state={"pot": 3, "current_player": "ada"}))
        assert side.seat.view == {
            "public": {"pot": 3, "current_player": "ada"},
            "private": {"card": "K"},
        }
        asking = await asked(side)
        assert side.seat.view == {"public": {"pot": 1}, "private": {"card": "K"}}
        await side.seat.act(CHECK)
        await asking
        side.seat.notify(notice("completed", 1, result={"winners": ["ada"]}))
        side.seat.notify(notice("completed", 1, result={"winners": []}))
        side.seat.notify(notice("dealt", 1, state=state))
        assert side.seat.result == {"winners": ["ada"]}
        side.room.take(
            event(2, "hand_started", {"handNumber": 2, "players": [], "state": {"pot": 2}})
        )
        assert side.seat.view == {"public": {"pot": 2}, "private": {}}
        kinds = [Dealt, RoomEvent, Asked, Answered, HandOver, RoomEvent]
        assert [type(u) for u in await collected(updates, 6)] == kinds
    assert side.seat.spec_version == "1.1.0"


async def test_the_result_of_a_hand_comes_before_the_next_question() -> None:
    """Listeners hear of that question a moment later; who polls may answer it at once."""
    side = SeatSide()
    state = {"public": {"pot": 2}, "private": {"card": "K"}}
    side.seat.notify(notice("dealt", 1, state=state))
    with side.seat.listen() as updates:
        asking = await asked(side, 1, hand_number=2)
        side.seat.notify(notice("completed", 1, result={"winners": []}))
        assert [type(u) for u in await collected(updates, 2)] == [HandOver, Asked]
        await side.seat.act(CHECK)
        await asking
        side.seat.notify(notice("dealt", 2, state=state))
        asking = await asked(side, 2, hand_number=3)
        await advance(0.3)  # the notice is lost
        assert [type(u) for u in await collected(updates, 3)] == [Answered, Dealt, Asked]
        await side.seat.act(CHECK)
        await asking
