"""Commentators see every card, one hand late: nothing of a running hand, all of those before it."""

import asyncio
from collections import Counter

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import HandRecord, TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.service.hand_records import KEPT, HandRecordCache
from casino_lobby.store import MemoryStore
from casino_lobby.streaming.broadcaster import Pages
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.store_side import EventFactory, new_room
from support.casino.stream_harness import StreamHarness, read_to_end, told
from support.casino.streams import TOKEN, Told, live


class Table:
    """A table that gives records."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.refuses: str | None = None
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.records = HandRecordCache(self.record)

    async def record(self, room: Room, hand_id: str) -> HandRecord:
        """Give one."""
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
    """A newsroom with one room, whose table tells hands."""

    def __init__(self) -> None:
        self.newsroom = StreamHarness(MemoryStore(10_000))
        self.room = new_room()
        self.teller = EventFactory(self.room)
        self.table = Table()

    async def begin(self) -> None:
        """Open the room, seat two."""
        await self.newsroom.store.add(self.room)
        await self.tell(self.teller.registered("p0"), self.teller.registered("p1"))  # 1, 2

    async def tell(self, *events: TableEvent) -> None:
        """Commit."""
        await self.newsroom.store.record(self.room, events)

    def hand(self, number: int) -> list[TableEvent]:
        """Tell a hand of four events, as our tables do."""
        return [
            event.model_copy(update={"hand_id": f"t-r1/{number}"})
            for event in self.teller.hand(number, {"p0": 190, "p1": 210})
        ]

    def watch(self, after: int | None = None) -> Pages:
        """Follow as a commentator."""
        return self.newsroom.commentator(self.room, self.table.records, after)

    async def end(self, pages: Pages) -> list[Told]:
        """Let the lobby close, and return what is still told."""
        self.newsroom.feed.close()
        return await read_to_end(pages)


@pytest.fixture
async def play() -> Play:
    """Begin."""
    play = Play()
    await play.begin()
    return play


def names(seen: list[Told]) -> list[str | int]:
    """Return cursors, and the names of what has none."""
    return [one.name if one.id is None else one.id for one in seen]


class TestOneHandLate:
    """What comes when."""

    async def test_a_running_hand_is_held_back_until_it_is_over(self, play: Play) -> None:
        """Then its record comes first; what is between hands comes at once."""
        pages = play.watch()
        assert names(told(await anext(pages))) == [2]
        await play.tell(play.teller.status("started"))
        assert names(told(await anext(pages))) == [3]
        hand = play.hand(1)
        coming = asyncio.ensure_future(anext(pages))
        for event in hand[:-1]:
            await play.tell(event)
            await asyncio.sleep(0)
            assert not coming.done()
        assert not play.table.asked
        await play.tell(hand[-1])
        page = told(await coming)
        assert names(page) == ["hand_record", 4, 5, 6, 7]
        assert page[0].data["handId"] == "t-r1/1"
        await play.tell(play.teller.tell("player_busted", handNumber=1, playerId="p2"))
        assert names(told(await anext(pages))) == [8]
        await pages.aclose()

    async def test_a_snapshot_is_of_before_the_running_hand(self, play: Play) -> None:
        """Its stacks, its events and its cursor; the hand's events come again, late."""
        first = play.hand(1)
        second = play.hand(2)
        await play.tell(*first, *second[:3])  # cursors 3 to 6, 7 to 9
        pages = play.watch()
        [snapshot] = told(await anext(pages))
        assert snapshot.id == snapshot.data["cursor"] == 6
        room = snapshot.data["room"]
        assert [event["sequence"] for event in room["events"]] == [1, 2, 3, 4, 5, 6]
        assert room["summary"]["message"] == "hand_completed 6"
        assert [seat["stack"] for seat in room["summary"]["players"]] == [190, 210]
        await play.tell(second[3])
        assert names(await play.end(pages)) == ["hand_record", 7, 8, 9, 10]

    @pytest.mark.parametrize("last", [3, 4, 5])
    async def test_going_on_in_the_middle_of_a_hand_sends_its_record_again(
        self, play: Play, last: int
    ) -> None:
        """First; then what the client has not had."""
        await play.tell(*play.hand(1))
        seen = await play.end(play.watch(last))
        assert names(seen) == ["hand_record", *range(last + 1, 7)]

    async def test_going_on_between_hands(self, play: Play) -> None:
        """Nothing comes again, and who was out is told without a record."""
        await play.tell(*play.hand(1), play.teller.tell("player_busted", handNumber=1))
        assert names(await play.end(play.watch(6))) == [7]

    async def test_a_table_without_the_record_says_why(self, play: Play) -> None:
        """The events come all the same."""
        play.table.refuses = "AGENT_UNREACHABLE"
        await play.tell(*play.hand(1))
        seen = await play.end(play.watch(2))
        assert names(seen) == ["hand_record_missing", 3, 4, 5, 6]
        assert seen[0].data == {"handId": "t-r1/1", "reason": "AGENT_UNREACHABLE"}

    async def test_a_hand_that_is_taken_back_is_over(self, play: Play) -> None:
        """Also where another epoch's table tells it."""
        await play.tell(*play.hand(1)[:2])
        play.table.refuses = "UNKNOWN_HAND"
        pages = play.watch()
        assert names(told(await anext(pages))) == [2]
        play.teller.takes_over()
        await play.tell(play.teller.status("hand_cancelled", handNumber=1), *play.hand(2)[:1])
        page = told(await anext(pages))
        assert names(page) == ["hand_record_missing", 3, 4, 5]
        assert await play.end(pages) == []

    async def test_a_foreign_table_s_hands_are_told_by_their_number(self, play: Play) -> None:
        """It gives no ids; and one that it does not end ends with the next."""
        hands = [play.teller.hand(number, {}) for number in (1, 2)]
        await play.tell(*hands[0][:2], *hands[1])
        seen = await play.end(play.watch(2))
        assert names(seen) == ["hand_record_missing", 3, 4, "hand_record", 5, 6, 7, 8]
        assert [one.data["handId"] for one in seen if one.id is None] == ["t-r1/1", "t-r1/2"]

    async def test_a_room_that_fails_lets_its_last_hand_go(self, play: Play) -> None:
        """Nobody can play it to its end."""
        await play.tell(*play.hand(1)[:2])
        pages = play.watch(2)
        coming = asyncio.ensure_future(read_to_end(pages))
        await asyncio.sleep(0.01)
        play.room.fail("gone")
        play.newsroom.event_broadcaster.changed(play.room)
        assert names(await coming) == ["hand_record_missing", 3, 4, "room_closed"]


class TestRecords:
    """Each is asked for once."""

    async def test_many_who_want_one_ask_once(self) -> None:
        """Also when the first of them goes away."""
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

    async def test_a_refusal_is_not_kept(self) -> None:
        """The table may be back the next time."""
        table, room = Table(), new_room()
        table.refuses = "AGENT_TIMED_OUT"
        for _ in range(2):
            with pytest.raises(CommandRefused):
                await table.records.record(room, "t/1")
        table.refuses = None
        await table.records.record(room, "t/1")
        assert table.asked == {"t/1": 3}

    async def test_only_the_newest_are_kept(self) -> None:
        """Those wanted last."""
        table, room = Table(), new_room()
        for number in [*range(1, KEPT + 1), 1, KEPT + 1]:
            await table.records.record(room, f"t/{number}")
        for number in (1, 2):
            await table.records.record(room, f"t/{number}")
        assert table.asked["t/1"] == 1
        assert table.asked["t/2"] == 2


class TestRealTable:
    """From the real table, over HTTP."""

    async def test_all_cards_of_completed_hands_and_none_of_a_running_one(self) -> None:
        """With what the public sees as the yardstick; the secret is nowhere."""
        town = CasinoHarness(operator_token=TOKEN, new_secret=lambda: "a-secret-of-r1")
        async with town.tables.running(), town.lobby.running():
            operator = Operator(town)
            await operator.open(maxHands=3, maxSeats=3)
            while not town.store.rooms()[0].last_sequence:  # both streams begin behind it
                await asyncio.sleep(0)
            async with live(town.lobby, town.store) as lobby:
                path = "/v1/rooms/r1/stream"
                async with (
                    lobby.stream(path) as public,
                    lobby.stream(f"{path}?feed=commentator", token=TOKEN) as commentator,
                ):
                    for number in range(3):
                        town.player(f"p{number}")
                        await operator.seat(f"p{number}")
                    seen = await commentator.until(is_finished)
                    plain = await public.until(is_finished)
        records = [HandRecord.model_validate(one.data) for one in seen if one.name == "hand_record"]
        assert [record.hand_id for record in records] == ["r1/1", "r1/2", "r1/3"]
        for record in records:
            assert len(record.hole_cards) == 3
            held = town.players["p0"].asked
            [cards] = {one.hole_cards for one in held if one.hand_id == record.hand_id}
            assert {"player-1": cards}.items() <= {
                hole.player_id: hole.cards for hole in record.hole_cards
            }.items()
        assert [one for one in seen if one.name != "hand_record"] == plain
        for hand_id, part in hands_of(seen).items():
            assert part[0].name == "hand_record"
            assert part[0].data["handId"] == hand_id
        assert "a-secret-of-r1" not in str(plain) + str(seen)
        assert town.store.rooms()[0].secret == "a-secret-of-r1"


def is_finished(told: Told) -> bool:
    """Tell whether the session is over."""
    event = told.data.get("event", {})
    return bool((event.get("payload") or {}).get("kind") == "finished")


def hands_of(seen: list[Told]) -> dict[str, list[Told]]:
    """Return what belongs to each hand."""
    hands: dict[str, list[Told]] = {}
    for one in seen:
        hand_id = one.data.get("handId") or one.data.get("event", {}).get("handId")
        if hand_id:
            hands.setdefault(hand_id, []).append(one)
    return hands
