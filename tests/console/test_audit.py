"""`casino audit`: a casino whose record agrees, and one in which anything was changed."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio
from casino.errors import Irregular
from casino.room_audit import RoomAudit
from casino_contracts import TableEvent
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.console_side import Ended, casino
from support.players.holdem_players import lively

pytestmark = pytest.mark.asyncio(loop_scope="module")

HANDS = 8
ROOMS = ("whole", "cents", "equal")
Record = dict[str, Any]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def network() -> AsyncIterator[CasinoHarness]:
    """Run a casino with three played rooms, one with fractions of chips, one with equal stacks."""
    async with casino_harness() as network:
        operator = Operator(network)
        cents: Record = {"startingStack": 2, "smallBlind": 0.01, "bigBlind": 0.02, "minBuyIn": 0.4}
        rooms: dict[str, Record] = {
            "whole": {"rebuy": "auto"},
            "cents": cents | {"maxBuyIn": 4, "rebuy": "auto"},
            "equal": {"resetStacks": True},
        }
        for table, (room, rules) in enumerate(rooms.items(), start=1):
            await operator.open(room, table, maxHands=HANDS, maxSeats=3, **rules)
            for number in range(3):
                name = f"p{number}-{room}"
                network.player(name, lively(name, all_in=0.2))
                assert (await operator.seat(name, room)).status_code == 201
        for room in rooms:
            await operator.idle_room(room)
        yield network


class Forged(httpx.AsyncBaseTransport):
    """A lobby whose replies to one path are changed."""

    def __init__(self, network: CasinoHarness, path: str, forge: Callable[[Record], None]) -> None:
        self._lobby = httpx.ASGITransport(network.transport.apps[LOBBY])
        self._path, self._forge = path, forge

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer as the lobby, or otherwise."""
        reply = await self._lobby.handle_async_request(request)
        if request.url.path != self._path:
            return reply
        document = json.loads(await reply.aread())
        self._forge(document)
        return httpx.Response(reply.status_code, json=document)


def of_kind(kind: str, change: Callable[[Record], None]) -> Callable[[Record], None]:
    def forge(page: Record) -> None:
        found = [event["payload"] for event in page["events"] if event["eventType"] == kind]
        if found:
            change(found[-1])

    return forge


def leave_out(page: Record) -> None:
    del page["events"][7:8]


def repeat(page: Record) -> None:
    page["events"][7:7] = page["events"][7:8]


def leave_out_an_end(page: Record) -> None:
    """Lose the end of the last hand, not its place."""
    ends = [event for event in page["events"] if event["eventType"] == "hand_completed"]
    if ends:
        ends[-1]["eventType"] = "table_status"
        ends[-1]["payload"] = {"status": "running", "kind": "finished"}


def add_a_chip(payload: Record) -> None:
    payload["stacks"][0]["stack"] += 1


def move_a_chip(payload: Record) -> None:
    """Give a chip of one player to another."""
    stacks = payload["stacks"]
    richest = max(stacks, key=lambda one: one["stack"])
    poorest = min(stacks, key=lambda one: one["stack"])
    richest["stack"] -= 1
    poorest["stack"] += 1


def begin_twice(payload: Record) -> None:
    """Begin the hand before once more."""
    payload["handNumber"] -= 1


EVENTS, LIST = "/v1/rooms/whole/events", "/v1/rooms/whole/hands"
FORGERIES: dict[str, tuple[str, Callable[[Record], None], str]] = {
    "a missing event": (EVENTS, leave_out, "whole 1:7: event 8, then 9: one is missing"),
    "a repeated event": (EVENTS, repeat, "event 9, then 8: one stands here again"),
    "a hand without an end": (EVENTS, leave_out_an_end, f"{HANDS} hands counted, {HANDS - 1}"),
    "a hand begun twice": (EVENTS, of_kind("hand_started", begin_twice), "begins after"),
    "a chip too many": (
        EVENTS, of_kind("hand_completed", add_a_chip), f"the results of hand {HANDS} sum to 1"
    ),
    "a pot that pays less": (
        EVENTS,
        of_kind("hand_completed", lambda payload: payload["pots"][0].update(amount=999)),
        f"a pot of 999 in hand {HANDS} pays ",
    ),
    "other stacks than won": (EVENTS, of_kind("hand_completed", move_a_chip), "in the standings"),
    "a fault of the table": (
        EVENTS,
        lambda page: page["events"] and page["events"][-1].update(eventType="table_error"),
        "the table has a fault",
    ),
    "what a decision disclosed that is none": (
        EVENTS,
        of_kind(
            "hand_completed",
            lambda payload: payload.update(disclosed=[{"decision": 99, "playerId": "player-1"}]),
        ),
        f"hand {HANDS} discloses decision 99 of player-1, which it has not, or twice",
    ),
    "a cost that is none": (
        EVENTS,
        of_kind(
            "hand_completed",
            lambda payload: payload.update(disclosed=[{"decision": 1, "usage": {"costUsd": -1}}]),
        ),
        f"what hand {HANDS} discloses cannot be read",
    ),
    "a hand that is listed otherwise": (
        LIST, lambda page: move_a_chip(page["hands"][2]), "hand 3 is listed as"
    ),
    "a result that nobody had": (
        "/v1/rooms/whole/standings",
        lambda standings: standings["players"][0].update(net=12345),
        "has 12345 in the standings, and ",
    ),
}  # fmt: skip


async def audited(network: CasinoHarness, *arguments: str, to: Any = None) -> Ended:
    return await casino(
        "audit", *arguments, to=to or httpx.ASGITransport(network.transport.apps[LOBBY])
    )


async def test_a_casino_whose_record_agrees(network: CasinoHarness) -> None:
    """A line for each room, or for the named ones."""
    ended = await audited(network)
    assert (ended.exit_code, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", f"{room}:"] for room in ROOMS]
    assert all(f", 1 epoch, {HANDS} hands, " in line for line in lines)
    (line,) = (await audited(network, "cents", "--json")).stdout.splitlines()
    found = json.loads(line)
    assert (found["room"], found["hands"], found["discrepancy"]) == ("cents", HANDS, None)
    assert found["chips"] >= 6


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_whatever_is_changed_is_named(network: CasinoHarness, forgery: str) -> None:
    """With room, epoch, sequence and rule; the other rooms are checked, and the code is 1."""
    path, forge, rule = FORGERIES[forgery]
    ended = await audited(network, to=Forged(network, path, forge))
    assert ended.exit_code == 1, ended.stdout
    wrong, right, _ = ended.stdout.splitlines()
    assert wrong.startswith("DISCREPANCY  whole 1:")
    assert rule in wrong
    assert right.startswith("ok           cents: ")


async def test_a_room_whose_oldest_hands_are_deleted_is_audited_in_part(
    network: CasinoHarness,
) -> None:
    def forget(page: Record) -> Record:
        events = page["events"]
        begins = [one["sequence"] for one in events if one["eventType"] == "hand_started"]
        if begins and begins[0] < 10:
            page["events"] = [one for one in events if one["sequence"] >= begins[3]]
            page["keptFrom"] = {"epoch": 1, "sequence": begins[3]}
        return page

    async def kept(change: Callable[[Record], None]) -> str:
        forged = Forged(network, EVENTS, lambda page: change(forget(page)))
        return (await audited(network, "whole", to=forged)).stdout

    whole = await kept(lambda _page: None)
    assert whole.startswith("ok ")
    assert f"{HANDS - 3} hands" in whole
    assert "in part" in whole
    assert "sum to 1" in await kept(of_kind("hand_completed", add_a_chip))


def taken(*events: tuple[str, Record]) -> RoomAudit:
    audit = RoomAudit("r1")
    for sequence, (kind, payload) in enumerate(events, 1):
        document = {"tableId": "r1", "eventType": kind, "message": "m", "timestamp": "t"}
        more = {"payload": payload, "sequence": sequence, "epoch": 1}
        audit.take(TableEvent.model_validate(document | more))
    return audit


def seat(name: str, stack: float) -> tuple[str, Record]:
    """Return the event of a player who sits down."""
    seated = {"playerId": name, "displayName": name, "seatNumber": 0, "stack": stack}
    return "player_registered", seated


async def test_a_bank_wins_and_players_cash_out() -> None:
    """What the bank has is no player's; what is paid out was bought."""
    audit = taken(
        seat("a", 10.5),
        ("hand_started", {"handNumber": 1, "players": [{"playerId": "a", "stack": 10.5}]}),
        ("hand_completed", {"handNumber": 1, "house": 0.4, "scores": {"a": -0.4},
                            "stacks": [{"playerId": "a", "stack": 10.1}]}),
        ("table_status", {"kind": "cashed_out", "playerId": "a", "amount": 0.1, "stack": 10}),
    )  # fmt: skip
    assert (audit.stacks, audit.bought) == ({"a": 10}, 10)
    with pytest.raises(Irregular, match="left with other chips"):
        taken(seat("a", 5), ("table_status", {"kind": "left", "playerId": "a", "stack": 6}))


async def test_a_table_that_says_less_is_checked_for_its_order_alone() -> None:
    audit = taken(seat("a", 5), ("hand_started", {"maxHands": 1}), ("hand_completed", {}))
    assert audit.unread == 2
    audit.check_count(1)
