"""A room and its table agree again: play continues, or a new epoch begins from the record."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import AgentClient, CommandRefused
from casino_contracts import TableEvent, TableSummary, WireModel
from casino_lobby.domain.fleet import Fleet
from casino_lobby.domain.lobby_events import MessageBus, RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import AWAY
from casino_lobby.domain.room_fold import apply
from casino_lobby.domain.room_limits import RoomCaps
from casino_lobby.service.reconciler import TableReconciler
from casino_lobby.service.recording import EventIngest
from casino_lobby.store import MemoryStore, StoreFailed
from casino_lobby.table_directory import Tables
from casino_lobby.table_messages import LobbyIdentity, TableReply
from support.in_process import InProcessTransport
from support.table.table_side import SOON, config

Reply = Callable[[MemoryStore, Room], Awaitable[TableSummary]]


class ScriptedTables(Tables):
    """Tables that are found at once and reply to every call as `reply` says."""

    def __init__(self, store: MemoryStore, reply: Reply) -> None:
        lobby, client = LobbyIdentity("Casino", "http://lobby"), AgentClient(InProcessTransport())
        fleet = Fleet(lambda: 0.0, timedelta(minutes=1))
        super().__init__(lobby, client, fleet, None, store, RoomCaps())
        self._store = store
        self._reply = reply

    async def find(self, room: Room, timeout: timedelta = SOON) -> None:
        """Do nothing."""

    async def call(
        self,
        room: Room,
        skill: str,
        message: WireModel,  # noqa: ARG002
        output: Any,
        token: str | None = None,  # noqa: ARG002
        *,
        timeout: timedelta = SOON,  # noqa: ARG002
    ) -> Any:
        assert skill
        assert output is TableReply
        return TableReply.model_validate((await self._reply(self._store, room)).model_dump())


def event(sequence: int) -> TableEvent:
    """Return an event of the room's first epoch."""
    return TableEvent(
        table_id="r1",
        event_type="table_status",
        message="m",
        timestamp="now",
        sequence=sequence,
        epoch=1,
    )


def summary(
    sequence: int, table_id: str = "r1", epoch: int = 1, kept_from: int | None = None
) -> TableSummary:
    return TableSummary(
        table_id=table_id,
        status="running",
        hand_count=0,
        players=(),
        epoch=epoch,
        sequence=sequence,
        kept_from=kept_from,
    )


def always(reply: TableSummary) -> Reply:
    async def same(_store: MemoryStore, _room: Room) -> TableSummary:
        return reply

    return same


async def reconciled(reply: Reply) -> Room:
    """Reconcile a room that holds two events with its table; return the room."""
    room, reconciler = await room_with_two_events(reply)
    await reconciler.revive(room)
    return room


async def room_with_two_events(
    reply: Reply, bus: MessageBus | None = None
) -> tuple[Room, TableReconciler]:
    store, bus = MemoryStore(1000), bus or MessageBus()
    skills: Any = {"configure": "c", "register": "r", "start": "s", "summary": "t"}
    room = Room.from_json(
        {
            "room_id": "r1",
            "table_id": "r1",
            "config": config().model_dump(mode="json"),
            "game_type": "texas-holdem",
            "skills": skills,
            "phase": "open",
            "unnumbered": 0,
        }
    )
    await store.add(room)
    await store.record(room, [event(1), event(2)])
    tables = ScriptedTables(store, reply)
    return room, TableReconciler(store, tables, EventIngest(store, bus).lock, bus)


async def test_events_that_arrive_during_the_comparison_are_not_lost() -> None:
    """The epoch stays, although the table's reply is older than the lobby's record."""

    async def record_meanwhile(store: MemoryStore, room: Room) -> TableSummary:
        if room.last_sequence == 2:
            await store.record(room, [event(3), event(4)])
        return summary(2)

    room = await reconciled(record_meanwhile)
    assert (room.epoch, room.last_sequence) == (1, 4)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(summary(1), id="a lost tail"),
        pytest.param(summary(0, table_id=""), id="no room"),
        pytest.param(summary(9, epoch=4), id="another epoch"),
        pytest.param(summary(9, kept_from=4), id="event 3 is not kept"),
        pytest.param(
            summary(9).model_copy(update={"state": "replaced"}), id="its events were refused"
        ),
    ],
)
async def test_a_table_that_holds_less_begins_a_new_epoch(reply: TableSummary) -> None:
    room = await reconciled(always(reply))
    assert (room.epoch, room.last_sequence) == ((reply.epoch or 1) + 1, 0)


async def test_a_table_that_keeps_the_next_event_keeps_its_epoch() -> None:
    """It is ahead of the lobby and delivers the rest."""
    assert (await reconciled(always(summary(9, kept_from=3)))).epoch == 1


async def test_a_room_with_an_unreachable_player_fails_before_a_new_epoch() -> None:
    bus, changed = MessageBus(), list[RoomChanged]()
    bus.subscribe(RoomChanged, changed.append)
    room, reconciler = await room_with_two_events(always(summary(0)), bus)
    payload = {"playerId": "p9", "displayName": "P", "seatNumber": 1, "stack": 50}
    apply(room, event(3).model_copy(update={"event_type": "player_registered", "payload": payload}))
    await reconciler.revive(room)
    assert (room.epoch, room.phase, room.stacks) == (1, "failed", {"p9": 50})
    assert "p9" in room.message
    assert changed == [RoomChanged(room)]


async def test_a_conflict_during_a_reconciliation_begins_a_new_epoch() -> None:
    """What is known of the last epoch says nothing of the new one."""
    calls = 0

    async def conflict_later(_store: MemoryStore, room: Room) -> TableSummary:
        nonlocal calls
        calls += 1
        if calls == 2:  # the summary was compared, and the table is being configured
            await reconciler.revive(room, behind_in=1)
        return summary(9, epoch=room.epoch)

    room, reconciler = await room_with_two_events(conflict_later)
    await reconciler.revive(room)
    assert room.epoch == 2
    await reconciler.revive(room, behind_in=1)
    assert room.epoch == 2


async def test_a_lost_tail_takes_another_epoch_if_the_first_does_not_reach_the_table() -> None:
    """It may have been reached nevertheless: two attempts must not share a number."""
    calls = 0

    async def lose_the_first_configuration(_store: MemoryStore, _room: Room) -> TableSummary:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise CommandRefused("AGENT_UNREACHABLE", "the request is lost")
        return summary(1)

    room = await reconciled(lose_the_first_configuration)
    assert (room.epoch, room.last_sequence) == (3, 0)


async def test_a_store_that_fails_meanwhile_is_tried_again() -> None:
    states: list[str | None] = []

    async def fail_once(_store: MemoryStore, room: Room) -> TableSummary:
        states.append(room.state)
        if len(states) == 1:
            raise StoreFailed("the disk is full")
        return summary(2)

    room = await reconciled(fail_once)
    assert states[1] == AWAY
    assert (room.phase, room.state) == ("open", None)
