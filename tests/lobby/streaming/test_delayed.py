"""Commentators see all cards one hand late, and nothing of a running hand."""

import asyncio
from collections import Counter

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import HandRecord, TableEvent
from casino_lobby.domain.lobby_events import RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.event_stream import Pages
from casino_lobby.service.use_cases import KEPT, HandRecordCache
from casino_lobby.store import MemoryStore
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.store_side import EventFactory, new_room
from support.casino.streams import TOKEN, StreamEvent, StreamHarness, events_in, live, read_to_end
from support.processes import run_until


class Table:
    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.refuses: str | None = None
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.records = HandRecordCache(self.record)

    async def record(self, room: Room, hand_id: str) -> HandRecord:
        self.asked[hand_id] += 1
        await self.may_answer.wait()
        if self.refuses:
            raise CommandRefused(self.refuses, "No.")
        return HandRecord(
            table_id=room.table_id,
            hand_id=hand_id,
            hand_number=int(hand_id.split("/")[1]),
            epoch=1,
            game_type="texas-holdem",
            button_seat=0,
            players=(),
        )


class Play:
    def __init__(self) -> None:
        self.harness = StreamHarness(MemoryStore(10_000))
        self.room = new_room()
        self.factory = EventFactory(self.room)
        self.table = Table()

    async def begin(self) -> None:
        """Open the room with two players."""
        await self.harness.store.add(self.room)
        await self.tell(self.factory.registered("p0"), self.factory.registered("p1"))  # 1, 2

    async def tell(self, *events: TableEvent) -> None:
        await self.harness.store.record(self.room, events)

    def hand(self, number: int) -> list[TableEvent]:
        """Record a hand of four events, as our tables report it."""
        return [
            event.model_copy(update={"hand_id": f"t-r1/{number}"})
            for event in self.factory.hand(number, {"p0": 190, "p1": 210})
        ]

    def watch(self, after: int | None = None) -> Pages:
        return self.harness.commentator(self.room, self.table.records, after)

    async def end(self, pages: Pages) -> list[StreamEvent]:
        """Close the lobby; return what is still sent."""
        self.harness.feed.close()
        return await read_to_end(pages)


@pytest.fixture
async def play() -> Play:
    play = Play()
    await play.begin()
    return play


def names(seen: list[StreamEvent]) -> list[str | int]:
    """Return cursors, and the names of events without one."""
    return [one.name if one.id is None else one.id for one in seen]


class TestOneHandLate:
    async def test_a_running_hand_is_held_back_until_it_is_over(self, play: Play) -> None:
        pages = play.watch()
        assert names(events_in(await anext(pages))) == [2]
        await play.tell(play.factory.status("started"))
        assert names(events_in(await anext(pages))) == [3]
        hand = play.hand(1)
        coming = asyncio.ensure_future(anext(pages))
        for event in hand[:-1]:
            await play.tell(event)
            await asyncio.sleep(0)
            assert not coming.done()
        assert not play.table.asked
        await play.tell(hand[-1])
        page = events_in(await coming)
        assert names(page) == ["hand_record", 4, 5, 6, 7]
        assert page[0].data["handId"] == "t-r1/1"
        await play.tell(play.factory.tell("player_busted", handNumber=1, playerId="p2"))
        assert names(events_in(await anext(pages))) == [8]
        await pages.aclose()

    async def test_a_snapshot_is_of_before_the_running_hand(self, play: Play) -> None:
        first = play.hand(1)
        second = play.hand(2)
        await play.tell(*first, *second[:3])  # cursors 3 to 6, 7 to 9
        pages = play.watch()
        [snapshot] = events_in(await anext(pages))
        assert snapshot.id == snapshot.data["cursor"] == 6
        room = snapshot.data["room"]
        assert [event["sequence"] for event in room["events"]] == [1, 2, 3, 4, 5, 6]
        assert room["summary"]["message"] == "hand_completed 6"
        assert [seat["stack"] for seat in room["summary"]["players"]] == [190, 210]
        await play.tell(second[3])
        assert names(await play.end(pages)) == ["hand_record", 7, 8, 9, 10]

    @pytest.mark.parametrize("last", [3, 4, 5])
    async def test_resuming_within_a_hand_repeats_its_record(self, play: Play, last: int) -> None:
        await play.tell(*play.hand(1))
        seen = await play.end(play.watch(last))
        assert names(seen) == ["hand_record", *range(last + 1, 7)]

    async def test_resuming_between_hands_repeats_nothing(self, play: Play) -> None:
        await play.tell(*play.hand(1), play.factory.tell("player_busted", handNumber=1))
        assert names(await play.end(play.watch(6))) == [7]

    async def test_a_missing_record_is_reported_with_its_reason(self, play: Play) -> None:
        play.table.refuses = "AGENT_UNREACHABLE"
        await play.tell(*play.hand(1))
        seen = await play.end(play.watch(2))
        assert names(seen) == ["hand_record_missing", 3, 4, 5, 6]
        assert seen[0].data == {"handId": "t-r1/1", "reason": "AGENT_UNREACHABLE"}

    async def test_a_cancelled_hand_is_over(self, play: Play) -> None:
        await play.tell(*play.hand(1)[:2])
        play.table.refuses = "UNKNOWN_HAND"
        pages = play.watch()
        assert names(events_in(await anext(pages))) == [2]
        play.factory.takes_over()
        await play.tell(play.factory.status("hand_cancelled", handNumber=1), *play.hand(2)[:1])
        page = events_in(await anext(pages))
        assert names(page) == ["hand_record_missing", 3, 4, 5]
        assert await play.end(pages) == []

    async def test_hands_without_ids_are_distinguished_by_number(self, play: Play) -> None:
        hands = [play.factory.hand(number, {}) for number in (1, 2)]
        await play.tell(*hands[0][:2], *hands[1])
        seen = await play.end(play.watch(2))
        assert names(seen) == ["hand_record_missing", 3, 4, "hand_record", 5, 6, 7, 8]
        assert [one.data["handId"] for one in seen if one.id is None] == ["t-r1/1", "t-r1/2"]

    async def test_a_failed_room_releases_its_last_hand(self, play: Play) -> None:
        await play.tell(*play.hand(1)[:2])
        pages = play.watch(2)
        coming = asyncio.ensure_future(read_to_end(pages))
        await asyncio.sleep(0.01)
        play.room.fail("gone")
        play.harness.store.bus.publish(RoomChanged(play.room))
        assert names(await coming) == ["hand_record_missing", 3, 4, "room_closed"]


class TestRecords:
    async def test_concurrent_readers_share_one_request(self) -> None:
        table, room = Table(), new_room()
        table.may_answer.clear()
        callers = [asyncio.ensure_future(table.records.record(room, "t/1")) for _ in range(5)]
        await asyncio.sleep(0)
        callers[0].cancel()
        await asyncio.sleep(0)
        table.may_answer.set()
        records = await asyncio.gather(*callers[1:])
        assert all(record is records[0] for record in records)
        assert await table.records.record(room, "t/1") is records[0]
        assert table.asked == {"t/1": 1}

    async def test_the_least_recently_used_record_is_dropped(self) -> None:
        table, room = Table(), new_room()
        for number in [*range(1, KEPT + 1), 1, KEPT + 1]:
            await table.records.record(room, f"t/{number}")
        for number in (1, 2):
            await table.records.record(room, f"t/{number}")
        assert table.asked["t/1"] == 1
        assert table.asked["t/2"] == 2


class TestRealTable:
    async def test_commentators_get_all_cards_of_completed_hands_only(self) -> None:
        """Compared with the public stream; the room's secret is nowhere."""
        network = CasinoHarness(operator_token=TOKEN, new_secret=lambda: "a-secret-of-r1")
        async with network.tables.running(), network.lobby.running():
            operator = Operator(network)
            await operator.open(maxHands=3, maxSeats=3)
            room = network.store.rooms()[0]
            await run_until(lambda: room.last_sequence)  # both streams begin behind it
            async with live(network.lobby, network.store) as lobby:
                path = "/v1/rooms/r1/stream"
                async with (
                    lobby.stream(path) as public,
                    lobby.stream(f"{path}?feed=commentator", token=TOKEN) as commentator,
                ):
                    for number in range(3):
                        network.player(f"p{number}")
                        await operator.seat(f"p{number}")
                    seen = await commentator.until(is_finished)
                    plain = await public.until(is_finished)
        records = [HandRecord.model_validate(one.data) for one in seen if one.name == "hand_record"]
        assert [record.hand_id for record in records] == ["r1/1", "r1/2", "r1/3"]
        for record in records:
            assert len(record.hole_cards) == 3
            held = network.players["p0"].asked
            [cards] = {one.hole_cards for one in held if one.hand_id == record.hand_id}
            assert {"player-1": cards}.items() <= {
                hole.player_id: hole.cards for hole in record.hole_cards
            }.items()
        assert [one for one in seen if one.name != "hand_record"] == plain
        for hand_id, part in hands_of(seen).items():
            assert part[0].name == "hand_record"
            assert part[0].data["handId"] == hand_id
        assert "a-secret-of-r1" not in str(plain) + str(seen)
        assert network.store.rooms()[0].secret == "a-secret-of-r1"


def is_finished(events_in: StreamEvent) -> bool:
    event = events_in.data.get("event", {})
    return bool((event.get("payload") or {}).get("kind") == "finished")


def hands_of(seen: list[StreamEvent]) -> dict[str, list[StreamEvent]]:
    hands: dict[str, list[StreamEvent]] = {}
    for one in seen:
        hand_id = one.data.get("handId") or one.data.get("event", {}).get("handId")
        if hand_id:
            hands.setdefault(hand_id, []).append(one)
    return hands
