"""Show hands on the page: `python -m casino_lobby.replay NAME`, started by `casino replay`.

Standard input has the size of a text in bytes, on a line of its own, and the text, which is PHH.
The process ends when standard input does, and announces its URL as other services do.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

import casino_agentkit.process.lean  # noqa: F401  first
from casino_agentkit import PortTaken, Service, configure_logs, serve
from casino_contracts import HOLDEM, HandRecord, TableAgentSkills, TableConfig, TableEvent, Unit
from casino_contracts.events.content import EventType
from casino_histories import HandHistory, UnreadableHistory, all_read
from casino_histories.as_events import EventsOfHand, Json
from casino_histories.phh import read_phhs
from prometheus_client import CollectorRegistry
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from casino_lobby.app import SECRET_KEYS, build_app
from casino_lobby.domain.room import Room
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore

TABLE = "file"
_MOST_SEATS = 10
_EPOCH = 1

_EVERY_EVENT = 100_000_000
HOST = "127.0.0.1"


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


def replay_service(url: str, room: FileRoom) -> Service:
    """Return the service with the base URL `url`.

    Everybody who reaches it is its operator: it listens on this machine only, and has nothing but
    the file.
    """
    store = MemoryStore(_EVERY_EVENT)
    settings = LobbySettings.load(
        {
            "CASINO_LOBBY_DATABASE": "memory",
            "CASINO_LOBBY_LAUNCH_TABLES": "false",
            "CASINO_LOBBY_NAME": "A2A Casino",
            "CASINO_LOBBY_COMMANDS_PER_MINUTE": "0",
        }
    )
    service = build_app(settings, url, store=store)

    async def read_config(_request: Request) -> Response:
        return JSONResponse({"name": settings.name, "isOperator": True})

    async def read_record(request: Request) -> Response:
        record = room.records.get(request.path_params["number"])
        if record is None:
            return JSONResponse({"detail": "The file has no such hand."}, 404)
        return Response(record.wire(), media_type="application/json")

    async def start() -> None:
        await service_start()
        await room.add_to(store)

    service_start = service.start
    own = [
        Route("/v1/config", read_config),
        Route("/v1/rooms/{room}/hands/{number:int}/record", read_record),
    ]
    routes = [*own, *service.routes]
    return replace(service, routes=routes, start=start, registry=CollectorRegistry())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m casino_lobby.replay", description=__doc__)
    parser.add_argument("name", help="the room's id")
    parser.add_argument("--port", type=int, default=0, help="the port; 0 takes a free one")
    arguments = parser.parse_args()
    configure_logs("replay", level="WARNING", secret_keys=SECRET_KEYS)
    text = sys.stdin.buffer.read(int(sys.stdin.buffer.readline()))
    try:
        room = FileRoom(arguments.name, all_read(read_phhs(text.decode())))
        serve(
            lambda url: replay_service(url, room), host=HOST, port=arguments.port, supervised=True
        )
    except (PortTaken, UnreadableHistory, ValueError) as error:
        sys.exit(f"casino replay: {error}")


if __name__ == "__main__":
    main()
