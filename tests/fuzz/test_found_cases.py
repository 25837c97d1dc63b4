"""Cases that the fuzzer found, as bytes, with the right reaction.

Without its mend each of them fails: the first ones with -32603, 500 or Python's own words, those of
connections with a connection that was cut, or kept.
"""

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from casino.attack.attack_traffic import AttackAddress, connected, head, status
from casino_agentkit import ANYONE, Agent, CommandRefused, Service
from casino_agentkit.server.http_protocol import LimitedProtocol
from casino_agentkit.server.request_guard import BrowserGuard
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_table.setup import table_of
from fuzz.envelopes import TYPED, outcome_of, written
from fuzz.exchange import Exchange, Line
from fuzz.http_cases import Case, request
from fuzz.typed_calls import TypedCall
from fuzz.values import Raw
from fuzz.verdict import fault_of
from pydantic import BaseModel
from support.listening import listening
from support.processes import run_until
from support.table.table_side import configuring

RPC, REST = "/a2a/jsonrpc", "/a2a/rest/message:send"
STREAM = "/a2a/rest/message:stream"
SOON = timedelta(milliseconds=600)
LIMITS = replace(DEFAULT_LIMITS, first_byte=SOON, head=SOON, body=SOON)


class Word(BaseModel):
    word: Any = None


def service() -> Service:
    """Return an agent that echoes its data, behind the guard against foreign pages."""
    agent = Agent("Echo", "Repeats a word.")

    @agent.entrypoint("echo", who=ANYONE)
    async def echo(given: Word) -> Word:
        return given

    return Service({"": agent}, guarded=BrowserGuard)


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with listening(service(), LIMITS) as port:
        yield port


@asynccontextmanager
async def line_to(port: int) -> AsyncIterator[Line]:
    line = Line(port)
    try:
        yield line
    finally:
        await line.close()


async def ask(port: int, data: bytes) -> tuple[str | None, Exchange]:
    """Send a request; returns what is wrong with its answer, and the answer."""
    case = Case("player", "found", (data,))
    async with line_to(port) as line:
        found = await line.exchange(case)
    return fault_of(case, found), found


def rpc(message: str) -> str:
    return f'{{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{{"message":{message}}}}}'


def rest(message: str) -> str:
    return f'{{"message":{message}}}'


def message_with(data: str) -> str:
    parts = f'[{{"data":{data},"mediaType":"application/json"}}]'
    return f'{{"messageId":"m","role":"ROLE_USER","metadata":{{"skill":"echo"}},"parts":{parts}}}'


MESSAGES = {
    "half of a surrogate pair": message_with('{"word":"\\ud800"}'),
    "a name that is half of a pair": message_with('{"\\udc00":1}'),
    "metadata that are half of a pair": '{"messageId":"m","metadata":"\\udc00x","parts":[]}',
    "a part that is half of a pair": '{"messageId":"m","parts":["\\ud800"]}',
    "an integer of 5,000 digits": message_with("1" * 5_000),
    "a number beyond all": message_with("1e400"),
    "NaN": message_with("NaN"),
    "a bare control character": message_with('"\x01"'),
    "a number for a message": "0",
    "null for a message": "null",
    "a truth for a message": "true",
    "numbers for parts": '{"messageId":"m","parts":[0.5]}',
    "a number for an id": '{"messageId":7,"parts":[]}',
    "a number for bytes": '{"messageId":"m","parts":[{"raw":7}]}',
    "a number for a media type": '{"messageId":"m","parts":[{"data":1,"mediaType":7}]}',
    "two contents in a part": '{"messageId":"m","parts":[{"data":1,"text":"a"}]}',
    "100 levels": message_with("[" * 100 + "]" * 100),
    "49 levels": message_with("[" * 49 + "]" * 49),
    "1,000 levels": message_with("[" * 1_000 + "]" * 1_000),
    "30,000 levels": message_with("[" * 30_000 + "]" * 30_000),
    "1,000 levels beside the parts": '{"x":' + "[" * 990 + "]" * 990 + ',"parts":[]}',
}
BODIES = {
    "no UTF-8": b'{"role":\xff}',
    "UTF-16": '{"message":{}}'.encode("utf-16"),
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    "a number": b"-1",
    "a list of nothing": b"[null]",
    "nothing": b"",
    "params that are a list": b'{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":[null]}',
    "990 levels without a method": b'{"a":' * 990 + b"0" + b"}" * 990,
    "300 levels beside the params": b'{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{},"x":'
    + b"[" * 300
    + b"]" * 300
    + b"}",
}


class TestBodies:
    @pytest.mark.parametrize("path", [RPC, REST, STREAM])
    async def test_a_message_is_refused_with_a_plain_sentence(self, port: int, path: str) -> None:
        for what, message in MESSAGES.items():
            body = (rpc if path == RPC else rest)(message).encode()
            fault, found = await ask(port, request("POST", path, TYPED, body))
            assert fault is None, what
            assert found.responses[0].status == (200 if path == RPC else 400), what
            assert json.loads(found.responses[0].body)["error"], what

    @pytest.mark.parametrize("path", [RPC, RPC + "/", REST, STREAM])
    async def test_a_body_is_refused_with_a_plain_sentence(self, port: int, path: str) -> None:
        for what, body in BODIES.items():
            fault, found = await ask(port, request("POST", path, TYPED, body))
            assert fault is None, what
            assert json.loads(found.responses[0].body)["error"], what

    async def test_the_field_is_named(self, port: int) -> None:
        body = rpc('{"messageId":"m","parts":[{"raw":7}]}').encode()
        _, found = await ask(port, request("POST", RPC, TYPED, body))
        message = json.loads(found.responses[0].body)["error"]["message"]
        assert message.startswith("invalid input: message.parts.raw: cannot be read")

    async def test_a_name_that_comes_twice_is_read_alike(self, port: int) -> None:
        message = message_with('{"word":1,"word":2}')
        for path, body in ((RPC, rpc(message)), (REST, rest(message))):
            _, found = await ask(port, request("POST", path, TYPED, body.encode()))
            assert outcome_of(found.responses[0].body) == ("data", [{"word": 2}])

    async def test_every_way_reads_to_the_same_depth(self, port: int) -> None:
        for depth in (1, 2, 39, 40, 41, 48, 49, 64, 255, 1_000, 1_100):
            data = Raw('{"word":' + "[" * (depth - 1) + "0" + "]" * (depth - 1) + "}")
            ways = {
                RPC: written(TypedCall("echo", data)).body,
                RPC + "/": rpc(message_with(str(data))).encode(),
                REST: rest(message_with(str(data))).encode(),
            }
            for path, body in ways.items():
                fault, found = await ask(port, request("POST", path, TYPED, body))
                assert fault is None, (depth, path)
                outcome = outcome_of(found.responses[0].body)
                assert outcome[0] == ("data" if depth <= 40 else "error"), (depth, path)

    @pytest.mark.parametrize("depth", [40, 41])
    async def test_a_skill_beside_the_data_takes_no_level(self, port: int, depth: int) -> None:
        data = '{"word":' + "[" * (depth - 1) + "0" + "]" * (depth - 1) + "}"
        beside = '{"skill":"echo","input":' + data + "}"
        parts = (json.dumps({"text": beside}), '{"data":' + beside + "}")
        for part in parts:
            message = '{"messageId":"m","role":"ROLE_USER","parts":[' + part + "]}"
            for path, body in ((RPC, rpc(message)), (REST, rest(message))):
                fault, found = await ask(port, request("POST", path, TYPED, body.encode()))
                assert fault is None, (path, part)
                outcome = outcome_of(found.responses[0].body)
                assert outcome[0] == ("data" if depth == 40 else "error"), (path, part)


@pytest.mark.parametrize("stack", [1.5, 5e-324])
def test_a_seat_with_part_of_a_chip_is_refused(stack: float) -> None:
    seat = {"playerId": "p1", "displayName": "Ada", "seatNumber": 0, "stack": stack}
    whom = {"agentCardUrl": "http://ada/.well-known/agent-card.json", "actionSkill": "act"}
    with pytest.raises(CommandRefused, match="no multiple of 1, this table's unit") as refused:
        table_of(configuring(seats=[{**seat, **whom}]))
    assert refused.value.reason == "INVALID_AMOUNT"


@pytest.mark.parametrize("referer", ["\u00e9://x", "http://[", "http://[::1"])
async def test_a_referer_that_is_no_url_is_a_foreign_one(port: int, referer: str) -> None:
    fault, found = await ask(port, request("POST", RPC, {**TYPED, "Referer": referer}, b"{}"))
    assert fault is None
    assert found.responses[0].status == 403


class TestConnections:
    @pytest.mark.parametrize("cut", [5, 40, -1])
    async def test_a_request_in_pieces_leaves_no_timer(self, port: int, cut: int) -> None:
        data = head("POST /a2a/jsonrpc", "Content-Length: 2") + b"{}"
        async with connected(AttackAddress(port, "127.0.0.1")) as connection:
            await connection.send(data[:cut])
            await asyncio.sleep(SOON.total_seconds() / 20)
            await connection.send(data[cut:])
            assert status(await connection.response()) == 200
            assert await connection.is_open_after(1.5 * SOON.total_seconds())

    async def test_a_connection_that_is_reset_is_released(self, port: int) -> None:
        for _ in range(20):
            fault, _ = await ask(port, request("GET", "/healthz"))  # its end is a reset
            assert fault is None
        await run_until(lambda: not any(True for _ in protocols()))


def protocols() -> Iterator[LimitedProtocol]:
    gc.collect()
    return (one for one in gc.get_objects() if issubclass(type(one), LimitedProtocol))
