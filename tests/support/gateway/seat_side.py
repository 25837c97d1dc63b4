"""A seat of the gateway without a process: a room, questions, and a manual clock."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from casino_contracts import GameActionRequest, GameActionResponse, RoomSnapshot, TableEvent
from casino_contracts.table import PlayerSeat, TableSummary
from casino_contracts.table_config import TableConfig
from casino_gateway.domain.identity import SeatIdentity
from casino_gateway.domain.updates import Update
from casino_gateway.errors import StoreFailed
from casino_gateway.metrics import GatewayMetrics
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.room_feed import RoomFeed
from casino_gateway.seats.seat_parts import SeatParts
from casino_seats.turns import Answer
from prometheus_client import CollectorRegistry

from support.gateway.manual_clock import ManualClock

KUHN = "kuhn_poker"
OFFERS = ({"action_type": "CHECK"}, {"action_type": "BET", "min": 1, "max": 9})
CONFIG = TableConfig(
    starting_stack=100,
    small_blind=1,
    big_blind=2,
    min_buy_in=20,
    max_buy_in=200,
    max_hands=3,
    max_seats=2,
)


class AnswersInMemory:
    """Keeps answers for a test; `gate` holds them up, `is_broken` refuses them."""

    def __init__(self) -> None:
        self.turns: dict[str, int] = {}
        self.answers: dict[str, Answer] = {}
        self.gate = asyncio.Event()
        self.gate.set()
        self.is_broken = False

    async def opened(self, _seat_id: str, request_id: str, turn: int) -> None:
        self.turns[request_id] = turn

    async def answered(self, _seat_id: str, answer: Answer) -> None:
        await self.gate.wait()
        if self.is_broken:
            raise StoreFailed("the disk is full")
        self.answers[answer.request_id] = answer


def snapshot(*events: TableEvent, status: Any = "waiting", **fields: Any) -> RoomSnapshot:
    """Return a room of Kuhn poker with two players, `ada` on the gateway's seat."""
    players = (
        PlayerSeat(player_id="ada", seat_number=0, display_name="Ada", stack=100),
        PlayerSeat(player_id="bob", seat_number=1, display_name="Bob", stack=100),
    )
    values: dict[str, Any] = {"game_type": KUHN, "epoch": 1, **fields}
    return RoomSnapshot(
        room_id="room",
        config=CONFIG,
        table_agent_card_url="http://127.0.0.1:1/card",
        events=events,
        summary=TableSummary(table_id="room", status=status, hand_count=0, players=players),
        **values,
    )


def event(sequence: int, kind: Any, payload: dict[str, Any], epoch: int = 1) -> TableEvent:
    return TableEvent(
        table_id="room",
        event_type=kind,
        message=f"{kind} {sequence}",
        timestamp=f"2026-01-01T00:00:{sequence % 60:02}Z",
        payload=payload,
        sequence=sequence,
        epoch=epoch,
        hand_id="room/1",
    )


def acted(sequence: int, player_id: str = "bob", **payload: Any) -> TableEvent:
    return event(
        sequence,
        "action_taken",
        {"handNumber": 1, "playerId": player_id, "action": "CHECK", "outcome": "ok", **payload},
    )


def request(number: int = 1, **fields: Any) -> GameActionRequest:
    """Return a question of the table to `ada`."""
    values: dict[str, Any] = {
        "table_id": "room",
        "game_type": KUHN,
        "spec_version": "1.0.0",
        "request_id": f"room/1:{number}",
        "player_id": "ada",
        "state": {"public": {"pot": number}, "private": {"card": "K"}},
        "available_actions": OFFERS,
        "deadline_ms": 10_000,
        "hand_id": "room/1",
        "hand_number": 1,
        **fields,
    }
    return GameActionRequest(**values)


class SeatSide:
    """A seat, its room, its store and its clock."""

    def __init__(self, room: RoomSnapshot | None = None) -> None:
        self.clock = ManualClock()
        self.store = AnswersInMemory()
        self.history: list[TableEvent] = []
        self.registry = CollectorRegistry()
        self.parts = SeatParts(
            store=self.store,
            clock=self.clock,
            metrics=GatewayMetrics(self.registry),
            presence_s=10.0,
            reserve_s=0.25,
        )
        self.room = RoomFeed.of(room or snapshot(status="running"), self._history)
        self.seat = self.take("ada", 0)

    def take(self, player_id: str, number: int) -> LiveSeat:
        identity = SeatIdentity(
            seat_id=f"seat-{player_id}",
            room_id="room",
            player_id=player_id,
            seat_number=number,
            display_name=player_id.capitalize(),
            kind="human",
            game_type=KUHN,
            owner=f"seat-{player_id}",
        )
        return LiveSeat(identity, self.room, self.parts)

    async def _history(self, _room_id: str, after: int, until: int) -> Sequence[TableEvent]:
        return [event for event in self.history if after < (event.sequence or 0) <= until]

    def metric(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


async def collected(updates: AsyncIterator[Update], count: int) -> list[Update]:
    return [await anext(updates) for _ in range(count)]


async def asked(
    side: "SeatSide", number: int = 1, **fields: Any
) -> asyncio.Task[GameActionResponse]:
    """Ask a question and wait until it is open."""
    asking = asyncio.create_task(side.seat.ask(request(number, **fields)))
    while side.seat.question is None or side.seat.question.request_id != f"room/1:{number}":
        await asyncio.sleep(0)
    return asking
