"""A seat of the gateway in the test's loop and time: its room, its store, and no lobby."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

from casino_agentkit import Waits
from casino_agentkit.bounded_state import LruDict
from casino_contracts import (
    GameActionRequest,
    GameActionResponse,
    HandDetail,
    HandNotice,
    ListedGame,
    RoomSnapshot,
    RoomSummary,
    SignupInvitation,
    TableEvent,
)
from casino_contracts.table_commands import PlayerSeat, TableSummary
from casino_contracts.table_config import TableConfig
from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import PlayerKind, SeatIdentity, Update
from casino_gateway.errors import StoreFailed
from casino_gateway.metrics import GatewayMetrics
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.room_feed import RoomFeed
from casino_gateway.seats.seat_parts import SeatParts
from casino_gateway.seats.seat_service import SeatService, TakenSeat, WantedSeat
from casino_lobby_client.errors import CallRefused, UnknownRoom
from casino_lobby_client.lobby_client import LOBBY
from casino_seats.turns import Answer
from prometheus_client import CollectorRegistry

from support.casino.loop_casino import SeatsClock
from support.loops.virtual_loop import loop

Json = dict[str, Any]
KUHN = "kuhn_poker"
TOKEN = "token-of-ada"
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


INVITATION = SignupInvitation(
    casino_name="x",
    table_id="table",
    room_id="room",
    min_buy_in=1,
    max_buy_in=100,
    small_blind=1,
    big_blind=2,
    player_id="p1",
    seat_token="the-token-of-the-table",
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


def notice(kind: str, number: int = 1, **fields: Any) -> HandNotice:
    """Return what the table tells `ada` of a hand."""
    return HandNotice.model_validate(
        {
            "tableId": "room",
            "gameType": "kuhn_poker",
            "specVersion": "1.1.0",
            "playerId": "ada",
            "handId": f"room/{number}",
            "handNumber": number,
            "kind": kind,
            **fields,
        }
    )


class SeatSide:
    """A seat, its room, its store and its clock."""

    def __init__(self) -> None:
        self.clock = SeatsClock()
        self.store = AnswersInMemory()
        self.history: list[TableEvent] = []
        self.registry = CollectorRegistry()
        self.default: str | None = "FOLD"
        """The specification's `defaultTimeoutAction`; None: it is not known."""
        self.parts = SeatParts(
            store=self.store,
            clock=self.clock,
            metrics=GatewayMetrics(self.registry),
            presence_s=10.0,
            model_presence_s=120.0,
            reserve_s=0.25,
            default_of=lambda _game_type, _version: self.default,
        )
        self.room = RoomFeed.of(snapshot(status="running"), self._history)
        self.seat = self.take("ada", 0)

    def take(
        self, player_id: str, number: int, owner: str = "", kind: PlayerKind = "human"
    ) -> LiveSeat:
        identity = SeatIdentity(
            seat_id=f"seat-{player_id}",
            room_id="room",
            player_id=player_id,
            seat_number=number,
            display_name=player_id.capitalize(),
            kind=kind,
            game_type=KUHN,
            owner=owner or f"seat-{player_id}",
        )
        return LiveSeat(identity, self.room, self.parts)

    async def _history(self, _room_id: str, after: int, until: int) -> Sequence[TableEvent]:
        return [event for event in self.history if after < (event.sequence or 0) <= until]

    def metric(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


class OneRoom(SeatService):
    """The seats of one room, which are real: one is there, one can be taken; no lobby."""

    def __init__(
        self, side: SeatSide, game_model: str = "turn_based", room: RoomSnapshot | None = None
    ) -> None:
        self.side = side
        self.tokens = {TOKEN: side.seat}
        self.owners: dict[str, LiveSeat] = {}
        self.orders: list[WantedSeat] = []
        self.left: list[LiveSeat] = []
        self.specifications_read = 0
        self.refusal: Exception | None = None
        """What the lobby says to everything; None: it does what it is asked to."""
        self.waiting = Waits()
        """What the gateway waits for."""
        self._game_model = game_model
        self._room = room or snapshot(status="running")
        self._joining = LruDict[str, asyncio.Lock](16)

    def waits(self) -> list[Json]:
        return self.waiting.told(LOBBY)

    def by_token(self, token: str) -> LiveSeat | None:
        return self.tokens.get(token)

    def of_owner(self, owner: str) -> list[LiveSeat]:
        return [seat for name, seat in self.owners.items() if name == owner]

    async def take(self, order: WantedSeat) -> TakenSeat:
        """Take another seat, or for a login the one that is there."""
        self._ask_lobby(order.room_id)
        self.orders.append(order)
        if order.owner is None:
            seat = self.side.take(order.display_name.lower(), 1)
            self.tokens["another-token"] = seat
            return TakenSeat(seat, "another-token")
        if self.owners:
            raise CallRefused("ROOM_FULL", "All seats are taken.")
        seat = self.side.seat
        seat.identity = replace(seat.identity, owner=order.owner)
        self.owners[order.owner] = seat
        return TakenSeat(seat, "token")

    async def leave(self, seat: LiveSeat, reason: str = "left") -> None:
        self._ask_lobby()
        self.left.append(seat)
        seat.close(reason)

    async def match(self, room_id: str) -> Match:
        """Return a room's public facts; there is another room beside the seat's."""
        self._ask_lobby(room_id)
        return self.side.seat.match

    async def rooms(self) -> list[RoomSummary]:
        """Return the room, one that was closed meanwhile, and one without players."""
        self._ask_lobby()
        return [listed("room", 2), listed("gone", 2), listed("empty", 0)]

    async def room(self, room_id: str) -> RoomSnapshot:
        self._ask_lobby(room_id)
        return self._room

    async def hand(self, room_id: str, _number: int) -> HandDetail:
        """Return a hand of which nobody saw anything."""
        self._ask_lobby(room_id)
        return HandDetail.model_construct(room_id=room_id, hand=Mock(), events=())

    async def create_room(self, order: Json) -> RoomSnapshot:
        """Open a room whose id says its rules."""
        self._ask_lobby()
        if "config" not in order:
            raise CallRefused("INVALID_REQUEST", "config: is missing", 400)
        config = order["config"]
        room_id = f"{order['gameType']}-{config['maxHands']}-{config['smallBlind']}"
        return snapshot().model_copy(update={"room_id": room_id})

    async def games(self) -> list[ListedGame]:
        game = {
            "gameType": KUHN,
            "name": "Kuhn poker",
            "category": "card",
            "gameModel": self._game_model,
            "players": {"min": 2, "max": 2},
            "specVersion": "1.3.0",
            "schemaFormat": "json-schema",
        }
        return [ListedGame.model_validate(game)]

    async def specification(self, game_type: str) -> tuple[str, str] | None:
        self._ask_lobby()
        self.specifications_read += 1
        return (f"---\ngameType: {KUHN}\n---\n", "1.3.0") if game_type == KUHN else None

    def _ask_lobby(self, room_id: str = "room") -> None:
        if self.refusal is not None:
            raise self.refusal
        if room_id not in {"room", "another"}:
            raise UnknownRoom("no such room")


def listed(room_id: str, players: int = 2) -> RoomSummary:
    return RoomSummary(
        room_id=room_id,
        table_id=room_id,
        game_type=KUHN,
        table_agent_card_url="http://127.0.0.1:1/card",
        status="running",
        hand_count=1,
        player_count=players,
    )


async def advance(seconds: float) -> None:
    """Let time pass, and run what is due then."""
    loop().pass_time(seconds)
    await asyncio.sleep(0)
    await asyncio.sleep(0)


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
