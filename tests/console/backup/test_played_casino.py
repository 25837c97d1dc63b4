"""What a played casino has in its store is in its backup: every event and chip."""

from pathlib import Path

from casino_lobby.domain.lobby_events import EventsCommitted
from casino_lobby.domain.room_views import public
from casino_lobby.store import SqlStore
from support.casino.auditor import RoomAudit, audit_store
from support.casino.casino_side import Operator, casino_harness

from .conftest import Command

HANDS = 40


async def test_a_backup_of_a_played_casino_is_whole(tmp_path: Path, run: Command) -> None:
    """An audit of every event that was played agrees with what is kept, twice."""
    data, restored = tmp_path / "casino-data", tmp_path / "restored"
    data.mkdir(mode=0o700)
    store, audit = SqlStore(f"sqlite+aiosqlite:///{data / 'casino.db'}"), RoomAudit("r1")

    def take(committed: EventsCommitted) -> None:
        for item in committed.committed:
            audit.take(public(item.event))

    store.bus.subscribe(EventsCommitted, take)
    async with casino_harness(store=store) as harness:
        operator = Operator(harness)
        await operator.open(maxHands=HANDS, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            harness.player(name)
            assert (await operator.seat(name)).status_code == 201
        await operator.until(lambda _: audit.completed == set(range(1, HANDS + 1)))
        await operator.idle_room()
    archive = tmp_path / "casino.tar"
    for command, place in (("backup", data), ("restore", restored)):
        ended = await run(command, archive, CASINO_LOBBY_DATA=str(place))
        assert ended.exit_code == 0, ended
        rooms = await audit_store(place, [audit])
        assert rooms["r1"].hand_count == HANDS
