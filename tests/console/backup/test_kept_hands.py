"""A casino that deletes old hands while it plays: its chips are right, also after a backup."""

from pathlib import Path

from casino_lobby.domain.events import EventsCommitted
from casino_lobby.domain.room_views import public
from casino_lobby.store import SqlStore
from support.casino.auditor import RoomAudit, audit_store
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.store_side import delete_hands, rows
from support.processes import eventually

from .conftest import Command

HANDS = 150


async def test_a_backup_of_kept_hands_is_whole(tmp_path: Path, run: Command) -> None:
    """An audit of every event that was played agrees with what is kept, twice."""
    data, restored = tmp_path / "casino-data", tmp_path / "restored"
    data.mkdir(mode=0o700)
    audit = RoomAudit("r1")
    await play(data, audit)
    assert audit.completed == set(range(1, HANDS + 1))
    archive = tmp_path / "casino.tar"
    for arguments in (("backup", archive), ("restore", archive)):
        place = data if arguments[0] == "backup" else restored
        ended = await run(*arguments, CASINO_LOBBY_DATA=str(place))
        assert ended.exit_code == 0, ended
    for place in (data, restored):
        rooms = await audit_store(place, [audit])
        assert rooms["r1"].hand_count == HANDS
        store = SqlStore(f"sqlite+aiosqlite:///{place / 'casino.db'}")
        await store.open()
        assert await rows(store, "SELECT count(*), min(hand_number) FROM hand") == [(100, 51)]
        assert await rows(store, "SELECT hands FROM session") == [(HANDS,)]
        sums = "SELECT sum(chips) FROM ledger GROUP BY room_id, epoch, sequence"
        assert {int(total) for (total,) in await rows(store, sums)} == {0}
        await store.close()


async def play(data: Path, audit: RoomAudit) -> None:
    """Play a session, deleting all but a hundred hands again and again; audit every event."""
    store = SqlStore(f"sqlite+aiosqlite:///{data / 'casino.db'}")
    harness = CasinoHarness(store=store)

    def take(committed: EventsCommitted) -> None:
        for item in committed.committed:
            audit.take(public(item.event))

    store.bus.subscribe(EventsCommitted, take)
    async with harness.tables.running(), harness.lobby.running():
        operator = Operator(harness)
        await operator.open(maxHands=HANDS, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            harness.player(name)
            assert (await operator.seat(name)).status_code == 201
        room = store.room("r1")
        assert room is not None
        deleted = 0

        async def is_played() -> bool:
            nonlocal deleted
            if await store.stored_hands(room) > 100:
                deleted += sum(await delete_hands(store, room, 100))
            return room.hand_count == HANDS and room.status == "idle"

        await eventually(is_played, every=0.01)
        deleted += sum(await delete_hands(store, room, 100))
        assert deleted > 0
