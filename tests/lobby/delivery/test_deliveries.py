"""Events of several tables in one call: each part is judged as a call of its own would be."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import orjson
import pytest
from casino_agentkit.authority import Caller, called_by
from casino_agentkit.protocol import EXTENSION
from casino_contracts import (
    RecordGameEventOutput,
    RecordTableEventsInput,
    RecordTableEventsOutput,
    TableDelivery,
    TableEvent,
)
from casino_lobby.lobby_agent import DeliveredPart, Deliveries
from support.casino.casino_side import CasinoHarness
from support.group.group_side import group_harness
from support.processes import eventually
from support.table.table_side import SOON

Deliver = Callable[..., Awaitable[list[dict[str, Any]]]]


def event(room_id: str, sequence: int | None, message: str = "m", **more: Any) -> dict[str, Any]:
    return {
        "tableId": room_id,
        "eventType": "table_status",
        "message": message,
        "timestamp": "now",
        "sequence": sequence,
        "epoch": 1,
        **more,
    }


def rpc(data: bytes) -> bytes:
    """Return the JSON-RPC call of `recordTableEvents` with an input."""
    message: dict[str, Any] = {"messageId": "m", "role": "ROLE_USER", "extensions": [EXTENSION]}
    message["metadata"] = {EXTENSION: {"skill": "recordTableEvents"}}
    head = orjson.dumps(message)[:-1]
    part = b'{"mediaType":"application/json","data":' + data + b"}"
    envelope = b'{"jsonrpc":"2.0","id":"1","method":"SendMessage","params":{"message":'
    return envelope + head + b',"parts":[' + part + b"]}}}"


@pytest.fixture
async def deliver(network: CasinoHarness) -> Deliver:
    """Return a call of `recordTableEvents` with the JSON of its parts, as bytes or as values."""
    await eventually(lambda: _have_reported(network, "r1", "r2", "r3"))
    http = network.http()

    async def call(*parts: dict[str, Any] | bytes, token: str | None = None) -> list[Any]:
        written = [part if isinstance(part, bytes) else orjson.dumps(part) for part in parts]
        headers = {"A2A-Version": "1.0", "Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        body = rpc(b'{"tables":[' + b",".join(written) + b"]}")
        reply: httpx.Response = await http.post("/a2a/jsonrpc", content=body, headers=headers)
        content = reply.json()
        assert "result" in content, content
        tables: list[Any] = content["result"]["message"]["parts"][0]["data"]["tables"]
        return tables

    return call


async def _have_reported(network: CasinoHarness, *room_ids: str) -> bool:
    return all(_last(network, room_id) == 1 for room_id in room_ids)


def part(network: CasinoHarness, room_id: str, *events: dict[str, Any]) -> dict[str, Any]:
    return {"roomToken": network.key(room_id).events, "events": list(events)}


async def test_each_table_gets_its_own_outcome(network: CasinoHarness, deliver: Deliver) -> None:
    r1, r3 = part(network, "r1", event("r1", 2), event("r1", 3)), part(network, "r3")
    gap = part(network, "r2", event("r2", 9))
    r3["events"] = [event("r3", 2)]
    outcomes = await deliver(r1, gap, r3)
    assert (outcomes[0], outcomes[2]) == ({"sequence": 3}, {"sequence": 2})
    assert outcomes[1]["refused"]["reason"] == "SEQUENCE_GAP"
    assert outcomes[1]["refused"]["details"] == {"wanted": "2"}
    assert [_last(network, f"r{number}") for number in (1, 2, 3)] == [3, 1, 2]


def _last(network: CasinoHarness, room_id: str) -> int:
    room = network.store.room(room_id)
    assert room is not None
    return room.last_sequence


REFUSED: tuple[tuple[list[dict[str, Any]], str], ...] = (
    ([event("r1", 2), event("r1", 4)], "SEQUENCE_GAP"),
    ([event("r1", 2, epoch=2)], "FORBIDDEN"),
    ([event("nobody's", 2)], "UNKNOWN_TABLE"),
    ([event("r1", 2), event("r2", 2)], "UNKNOWN_TABLE"),
    ([event("r1", None)], "SEQUENCE_MISSING"),
    ([event("r1", 2, payload={"x": "x" * 65_536})], "EVENT_TOO_LARGE"),
    ([], "INVALID_PARAMS"),
    ([event("r1", 2, eventType="rumour")], "INVALID_PARAMS"),
    ([event("r1", 2, payload={"pot": 2**53})], "INVALID_PARAMS"),
    ([event("r1", 2, payload={"x": "x" * 65_000})] * 5, "INVALID_PARAMS"),
    ([event("r1", 2), event("r1", 3, epoch=2)], "STALE_EPOCH"),
)


async def test_a_part_is_refused_as_a_call_of_its_own(
    network: CasinoHarness, deliver: Deliver
) -> None:
    """With the reason and the message that `recordGameEvent` has for it."""
    token = network.key("r1").events
    for number, (events, reason) in enumerate(REFUSED, 2):
        given = {"roomToken": token, "events": events}
        wrong, right = await deliver(given, part(network, "r2", event("r2", number)), token=token)
        assert wrong["refused"]["reason"] == reason
        assert right == {"sequence": number}
        alone = await _recorded_alone(network, {"events": events}, token)
        assert alone["message"] == wrong["refused"]["message"]
    assert _last(network, "r1") == 1


async def _recorded_alone(network: CasinoHarness, batch: Any, token: str) -> Any:
    body = rpc(orjson.dumps(batch)).replace(b"recordTableEvents", b"recordGameEvent")
    headers = {"A2A-Version": "1.0", "Content-Type": "application/json"}
    headers["Authorization"] = f"Bearer {token}"
    return (await network.http().post("/a2a/jsonrpc", content=body, headers=headers)).json()[
        "error"
    ]


async def test_a_part_that_is_none_costs_the_others_nothing(
    network: CasinoHarness, deliver: Deliver
) -> None:
    broken = (b"7", b"null", b"[]", b"{}", b'{"events":7}', b'{"roomToken":"short","events":[]}')
    for number, one in enumerate(broken, 2):
        outcomes = await deliver(one, part(network, "r2", event("r2", number)))
        assert outcomes[0]["refused"]["reason"] == "INVALID_PARAMS"
        assert outcomes[0]["refused"]["message"].startswith("invalid input: ")
        assert outcomes[1] == {"sequence": number}


async def test_every_part_needs_the_right_of_its_own_room(
    network: CasinoHarness, deliver: Deliver
) -> None:
    own, other = network.key("r1"), network.key("r2")
    tokens = {
        None: "UNAUTHORIZED",
        other.events: "FORBIDDEN",
        own.table: "FORBIDDEN",
        own.secret: "FORBIDDEN",
    }
    for token, reason in tokens.items():
        forged = {"roomToken": token, "events": [event("r1", 2, "forged")]}
        refused, taken = await deliver(forged, part(network, "r2", event("r2", 2)))
        assert refused["refused"]["reason"] == reason
        assert taken == {"sequence": 2}
    assert _last(network, "r1") == 1


async def test_a_part_without_a_token_has_that_of_the_call(
    network: CasinoHarness, deliver: Deliver
) -> None:
    outcomes = await deliver(
        {"events": [event("r1", 2)]},
        {"events": [event("r2", 2)]},
        token=network.key("r1").events,
    )
    assert outcomes[0] == {"sequence": 2}
    assert outcomes[1]["refused"]["reason"] == "FORBIDDEN"


async def test_parts_of_one_table_are_recorded_in_their_order(
    network: CasinoHarness, deliver: Deliver
) -> None:
    first, second = part(network, "r1", event("r1", 2)), part(network, "r1", event("r1", 3))
    assert await deliver(first, second, first) == [
        {"sequence": 2},
        {"sequence": 3},
        {"sequence": 3},
    ]


class _Stalling:
    """Use cases that record once so many batches have come; the batch of table `broken` fails."""

    def __init__(self, count: int) -> None:
        self._barrier = asyncio.Barrier(count)

    async def record(self, events: Any, _waits: Any) -> RecordGameEventOutput:
        await self._barrier.wait()
        if events[0].table_id == "broken":
            raise RuntimeError("a fault")
        return RecordGameEventOutput(sequence=events[0].sequence)


class _EverybodyBut:
    """A rule that admits every token but one, and remembers the callers."""

    scheme = None

    def __init__(self) -> None:
        self.callers: list[Caller] = []

    def admit(self, caller: Caller, _message: Any) -> None:
        self.callers.append(caller)


async def test_parts_are_recorded_at_the_same_time() -> None:
    """So that they share a commit; a fault of the lobby is that of one part."""
    rule, tables = _EverybodyBut(), ("a", "broken", "c")
    deliveries = Deliveries(_Stalling(len(tables)), rule)  # type: ignore[arg-type]
    events = [TableEvent.model_validate(event(table, 4)) for table in tables]
    parts = [DeliveredPart(f"{number}" * 16, (one,)) for number, one in enumerate(events)]
    with called_by(Caller("the call's own", "192.0.2.1")):
        output = await deliveries.record(parts)
    assert [outcome.sequence for outcome in output.tables] == [4, None, 4]
    refused = output.tables[1].refused
    assert refused is not None
    assert refused.reason == "INTERNAL_ERROR"
    assert "a fault" not in refused.message
    assert [caller.token for caller in rule.callers] == [f"{i}" * 16 for i in range(3)]
    assert {caller.address for caller in rule.callers} == {"192.0.2.1"}


async def test_each_part_goes_to_the_owner_of_its_room() -> None:
    async with group_harness() as group:
        await group.announce(1)
        await group.announce(2, at=2)
        assert (await group.open("r1", at=1)).status_code == 201
        assert (await group.open("r2", at=2)).status_code == 201
        rooms = [group.stores[0].room("r1"), group.stores[0].room("r2")]

        async def have_reported() -> bool:
            return all(room is not None and room.last_sequence > 0 for room in rooms)

        await eventually(have_reported)
        parts = []
        for room in rooms:
            assert room is not None
            given = TableEvent.model_validate(event(room.table_id, 2))
            parts.append(TableDelivery(room_token=room.key().events, events=(given,)))
        parts.append(parts[0].model_copy(update={"room_token": parts[1].room_token}))
        for url in ("http://lobby-1", "http://lobby-2"):
            lobby = await group.client().resolve(url, timeout=SOON)
            reply = await lobby.call(
                "recordTableEvents",
                RecordTableEventsInput(tables=tuple(parts)),
                RecordTableEventsOutput,
                timeout=SOON,
            )
            assert [outcome.sequence for outcome in reply.tables] == [2, 2, None]
            refused = reply.tables[2].refused
            assert refused is not None
            assert refused.reason == "FORBIDDEN"
