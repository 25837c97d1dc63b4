"""Meeting a table again: both stand at the same place, or the lobby goes on from its record."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from casino_contracts import NoInput, TableEvent, TableSummary, WireModel
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import apply
from casino_lobby.service.reconciler import TableReconciler
from casino_lobby.store import MemoryStore
from casino_lobby.tables.directory import Tables
from support.table.table_side import config, configuring

Answer = Callable[[Room], Awaitable[TableSummary]]


class OneTable(Tables):
    """A table that answers as prepared."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.said: list[WireModel] = []

    async def find(self, room: Room) -> None:
        """Find it at once."""

    async def call(
        self,
        room: Room,
        skill: str,
        message: WireModel,
        output: Any,
        token: str | None = None,  # noqa: ARG002
    ) -> Any:
        """Answer; note the message."""
        assert skill
        assert output is TableSummary
        if not isinstance(message, NoInput):
            self.said.append(message)
        return await self.answer(room)


def event(sequence: int) -> TableEvent:
    """Return an event."""
    return TableEvent(
        table_id="r1",
        event_type="table_status",
        message="hm",
        timestamp="now",
        sequence=sequence,
        epoch=1,
    )


def summary(
    sequence: int, table_id: str = "r1", epoch: int = 1, kept_from: int | None = None
) -> TableSummary:
    """Return how a table says it stands."""
    return TableSummary(
        table_id=table_id,
        status="running",
        hand_count=0,
        players=(),
        epoch=epoch,
        sequence=sequence,
        kept_from=kept_from,
    )


async def revived(answer: Callable[[MemoryStore], Answer]) -> Room:
    """Meet a table whose room holds two events; returns the room then."""
    room, reconciler = await to_revive(answer)
    await reconciler.revive(room)
    return room


async def to_revive(answer: Callable[[MemoryStore], Answer]) -> tuple[Room, TableReconciler]:
    """Return a room that holds two events, and who brings it back."""
    store = MemoryStore(1000)
    given = configuring()
    skills: Any = {"configure": "c", "register": "r", "start": "s", "summary": "t"}
    room = Room.from_json(
        {
            "room_id": "r1",
            "table_id": "r1",
            "config": config().model_dump(mode="json"),
            "game_type": given.game_type,
            "skills": skills,
            "phase": "open",
        }
    )
    await store.add(room)
    await store.record(room, [event(1), event(2)])
    locks: dict[str, asyncio.Lock] = {}
    reconciler = TableReconciler(
        store,
        OneTable(answer(store)),
        lambda _room: given,
        lambda room: locks.setdefault(room.room_id, asyncio.Lock()),
        lambda _room: None,
    )
    return room, reconciler


async def test_events_that_arrive_while_the_table_answers_are_no_lost_tail() -> None:
    """It had told them before; the answer is older than what the lobby holds by now."""

    def answer(store: MemoryStore) -> Answer:
        async def meanwhile(room: Room) -> TableSummary:
            told = summary(2)
            if room.last_sequence == 2:
                await store.record(room, [event(3), event(4)])
            return told

        return meanwhile

    room = await revived(answer)
    assert (room.epoch, room.last_sequence) == (1, 4)


async def test_a_table_that_holds_less_goes_on_from_the_lobby_s_record() -> None:
    """In a new epoch; so does one that holds nothing, or another epoch's."""
    wanted_no_more = summary(9, kept_from=4)
    for told in (summary(1), summary(0, table_id=""), summary(9, epoch=4), wanted_no_more):

        def answer(_store: MemoryStore, told: TableSummary = told) -> Answer:
            async def plainly(_room: Room) -> TableSummary:
                return told

            return plainly

        room = await revived(answer)
        assert room.epoch == (told.epoch or 1) + 1
        assert room.last_sequence == 0


async def test_a_table_that_keeps_what_is_wanted_delivers_it() -> None:
    """It is ahead, and the epoch stays."""

    def answer(_store: MemoryStore) -> Answer:
        async def ahead(_room: Room) -> TableSummary:
            return summary(9, kept_from=3)

        return ahead

    assert (await revived(answer)).epoch == 1


async def test_a_seat_that_no_other_table_could_ask_is_not_dropped() -> None:
    """A foreign table seated somebody by itself: his chips may not go with an epoch."""

    def answer(_store: MemoryStore) -> Answer:
        async def holds_less(_room: Room) -> TableSummary:
            return summary(0)

        return holds_less

    room, reconciler = await to_revive(answer)
    payload = {"playerId": "p9", "displayName": "P", "seatNumber": 1, "stack": 50}
    apply(room, event(3).model_copy(update={"event_type": "player_registered", "payload": payload}))
    await reconciler.revive(room)
    assert (room.epoch, room.phase, room.stacks) == (1, "failed", {"p9": 50})
    assert "p9" in room.message


async def test_a_conflict_that_shows_while_the_table_is_met_is_heard() -> None:
    """The table had overtaken the lobby, which took it for well; what it told was not the same."""
    revivals: list[TableReconciler] = []
    asked: list[int] = []

    def answer(_store: MemoryStore) -> Answer:
        async def conflicting(room: Room) -> TableSummary:
            asked.append(room.epoch)
            if len(asked) == 2:  # it has said how it stands, and is being configured
                await revivals[0].revive(room, behind_in=1)
            return summary(9, epoch=room.epoch)

        return conflicting

    room, reconciler = await to_revive(answer)
    revivals.append(reconciler)
    await reconciler.revive(room)
    assert room.epoch == 2
    await reconciler.revive(room, behind_in=1)
    assert room.epoch == 2, "what was known of the last epoch says nothing of this one"


async def test_a_table_that_was_refused_goes_on_in_a_new_epoch() -> None:
    """Where the lobby ended between its refusal and the new epoch, only the table knows."""

    def answer(_store: MemoryStore) -> Answer:
        async def stopped(room: Room) -> TableSummary:
            state = "replaced" if room.epoch == 1 else None
            return summary(9, epoch=room.epoch).model_copy(update={"state": state})

        return stopped

    assert (await revived(answer)).epoch == 2
