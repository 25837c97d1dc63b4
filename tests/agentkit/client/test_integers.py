"""Integers stay integers on every binding, by the bytes of both directions."""

import json
import re
from typing import Any

import orjson
import pytest
from casino_agentkit import AgentClient
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from support.envelopes import BINDINGS, Call
from support.in_process import InProcessTransport
from support.players.odd_agent import SECOND, spoken

INPUT = {
    "pot": 200,
    "none": 0,
    "loss": -40,
    "most": 2**53 - 1,
    "odds": [0.5, 1, [2]],
    "text": "200.0",
    "far": 1e300,
}


@pytest.mark.parametrize("binding", BINDINGS)
async def test_numbers_are_sent_and_returned_as_they_are(binding: str) -> None:
    bodies: list[bytes] = []

    async def serve(request: Request) -> Response:
        bodies.append(await request.body())
        call_id = json.loads(bodies[0]).get("id")
        return JSONResponse(Call(binding, call_id).answer(INPUT))

    client = AgentClient(InProcessTransport({"http://odd": spoken(binding, serve)}))
    peer = await client.resolve("http://odd", timeout=SECOND)
    output: dict[str, Any] = await peer.call("act", orjson.dumps(INPUT), dict, timeout=SECOND)
    await client.close()
    (body,) = bodies
    for text in (b'"pot":200', b'"none":0', b'"loss":-40', b'"most":9007199254740991'):
        assert re.search(text + rb"[,}]", body), body
    assert re.search(rb'"odds":\[0.5,1,\[2\]\]', body), body
    assert b'"200.0"' in body
    assert repr(output) == repr({key: INPUT[key] for key in output})
    assert output == INPUT
