"""A failure of the store is a refusal for callers, and its cause is not shown."""

from collections.abc import AsyncIterator, Sequence

import pytest
from casino_agentkit import RemoteRefused
from casino_contracts import (
    CreateRoomInput,
    RecordGameEventOutput,
    RoomSnapshot,
    TableEvent,
    WireModel,
)
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore, StoreFailed
from casino_lobby.store.stored_commands import MemoryCommands
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.table.table_side import CONFIG, SOON


class FullCommands(MemoryCommands):
    def __init__(self, disk: "Disk") -> None:
        super().__init__()
        self._disk = disk

    async def finish(self, key: str, answer: str) -> None:
        self._disk.need_space()
        await super().finish(key, answer)


class Disk(MemoryStore):
    is_full = False

    def __init__(self, events_kept: int) -> None:
        super().__init__(events_kept)
        self.commands = FullCommands(self)

    async def record(self, room: Room, events: Sequence[ReportedEvent]) -> None:
        self.need_space()
        await super().record(room, events)

    def need_space(self) -> None:
        if self.is_full:
            raise StoreFailed("disk is full: /secret/path")


@pytest.fixture
async def harness() -> AsyncIterator[CasinoHarness]:
    harness = CasinoHarness(store=Disk(1000))
    async with harness.tables.running(), harness.lobby.running():
        yield harness


def disk_of(harness: CasinoHarness) -> Disk:
    assert isinstance(harness.store, Disk)
    return harness.store


async def refused(
    harness: CasinoHarness,
    skill: str,
    message: WireModel,
    output: type[WireModel],
    token: str | None,
) -> str:
    """Call the lobby as an agent; returns the reason."""
    lobby = await harness.a2a().resolve(LOBBY, timeout=SOON)
    with pytest.raises(RemoteRefused) as refusal:
        await lobby.call(skill, message, output, timeout=SOON, token=token)
    assert "/secret" not in str(refusal.value)
    return refusal.value.reason


async def test_a_command_of_an_agent_is_refused_and_stays_pending(harness: CasinoHarness) -> None:
    """It may have taken effect, so it is resumed after a restart."""
    disk_of(harness).is_full = True
    request = CreateRoomInput.model_validate(
        {"config": CONFIG, "tableAgentCardUrl": harness.table_card(), "requestId": "c"}
    )
    assert await refused(harness, "createRoom", request, RoomSnapshot, None) == "STORE_FAILED"
    assert [command.key for command in await disk_of(harness).commands.pending()] == [
        "createRoom/c"
    ]


async def test_events_are_refused_until_there_is_space(harness: CasinoHarness) -> None:
    operator = Operator(harness)
    await operator.open()
    await operator.until(lambda room: room.events)
    disk_of(harness).is_full = True
    event = TableEvent(
        table_id="r1",
        event_type="table_status",
        message="m",
        timestamp="now",
        sequence=2,
        epoch=1,
    )
    key = harness.key(epoch=1).events
    reason = await refused(harness, "recordGameEvent", event, RecordGameEventOutput, key)
    assert reason == "STORE_FAILED"
    disk_of(harness).is_full = False
    lobby = await harness.a2a().resolve(LOBBY, timeout=SOON)
    recorded = await lobby.call(
        "recordGameEvent", event, RecordGameEventOutput, timeout=SOON, token=key
    )
    assert recorded.sequence == 2
