"""A closed room of a lobby in memory, whose hands are those of a file."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from casino_contracts import HOLDEM, HandRecord, TableAgentSkills, TableConfig, TableEvent, Unit
from casino_contracts.events.table_event import EventType
from casino_histories import HandHistory
from casino_histories.as_events import EventsOfHand, Json

from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore

TABLE = "file"
_MOST_SEATS = 10
_EPOCH = 1


class FileRoom:
    """The room, its events and the records of its hands; hands are numbered from 1."""

    def __init__(self, room_id: str, hands: Iterable[HandHistory]) -> None:
        self.room_id = room_id
        self.records: dict[int, HandRecord] = {}
        self._hands = list(hands)
        self._sequence = 0
        self._stacks: dict[str, float] = {}
        self._at = datetime(2000, 1, 1, tzinfo=UTC)

    async def add_to(self, store: MemoryStore) -> None:
        """Open the room, play all hands, and close it."""
        room = Room(self.room_id, TABLE, self._config(), HOLDEM, TableAgentSkills())
        room.open()
        await store.add(room)
        events = [self._status("started", "running", "the hands of a file", handsLeft=0)]
        await store.record(room, events)
        for number, hand in enumerate(self._hands, 1):
            await store.record(room, list(self._events(number, hand)))
        await store.record(
            room, [self._status("finished", "idle", f"{len(self._hands)} hands were read")]
        )
        room.close("the hands of a file")

    def _config(self) -> TableConfig:
        """Return rules that every hand fits."""
        first = self._hands[0]
        decimals = max(hand.decimals for hand in self._hands)
        amount = Unit(decimals=first.decimals).amount
        big = amount(max(first.big_blind, 1))
        largest = max(
            Unit(decimals=hand.decimals).amount(seat.stack)
            for hand in self._hands
            for seat in hand.seats
        )
        seats = max(seat.number for hand in self._hands for seat in hand.seats) + 1
        stack = max(amount(max(seat.stack for seat in first.seats)), big, amount(first.ante))
        return TableConfig(
            starting_stack=stack,
            small_blind=min(amount(first.small_blind) or big, big),
            big_blind=big,
            ante=amount(first.ante),
            min_buy_in=Unit(decimals=decimals).amount(1),
            max_buy_in=max(largest, stack),
            max_hands=len(self._hands),
            max_seats=min(max(2, seats), _MOST_SEATS),
        )

    def _events(self, number: int, hand: HandHistory) -> Iterator[TableEvent]:
        described = EventsOfHand(hand, number)
        self._at = hand.started_at or self._at
        yield from self._between(described.seats)
        for kind, message, payload in described.events():
            yield self._event(kind, message, payload, f"{TABLE}/{number}")
            for after in payload.get("stacks", ()):
                self._stacks[after["playerId"]] = after["stack"]
        self.records[number] = described.record(TABLE, _EPOCH)

    def _between(self, seats: list[Json]) -> Iterator[TableEvent]:
        """Seat who is new, and book what changed between two hands of a file."""
        names = {seat["playerId"] for seat in seats}
        for player_id in [name for name in self._stacks if name not in names]:
            del self._stacks[player_id]
            yield self._status("left", "running", f"{player_id} leaves", playerId=player_id)
        for seat in seats:
            player_id, stack = seat["playerId"], seat["stack"]
            before = self._stacks.get(player_id)
            if before is None:
                message = f"{seat['displayName']} takes seat {seat['seatNumber']}"
                yield self._event("player_registered", message, seat)
            elif before != stack:
                kind = "rebought" if stack > before else "cashed_out"
                words = "buys" if stack > before else "cashes out"
                change = round(abs(stack - before), 6)
                yield self._status(
                    kind,
                    "running",
                    f"{seat['displayName']} {words} {change:g}",
                    playerId=player_id,
                    amount=change,
                    stack=stack,
                )
            self._stacks[player_id] = stack

    def _status(self, kind: str, status: str, message: str, **more: object) -> TableEvent:
        return self._event("table_status", message, {"status": status, "kind": kind, **more})

    def _event(
        self, kind: EventType, message: str, payload: Json, hand_id: str | None = None
    ) -> TableEvent:
        self._sequence += 1
        return TableEvent(
            table_id=TABLE,
            event_type=kind,
            message=message,
            timestamp=self._at.astimezone(UTC).isoformat(timespec="milliseconds"),
            payload=payload,
            sequence=self._sequence,
            epoch=_EPOCH,
            hand_id=hand_id,
        )
