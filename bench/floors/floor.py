"""The floor of a typed call: a bare ASGI application with the same JSON and validation.

It has no A2A, routing or SDK; only uvicorn, the client's HTTP library, orjson and pydantic.
`python bench/floors/floor.py PORT` serves it; `Floor` calls it with the kit's own transport.
"""

import sys
from pathlib import Path
from typing import Any

import orjson
import uvicorn
from casino_agentkit import HttpTransport
from casino_contracts import ActionRequest, ActionResponse

sys.path.append(str(Path(__file__).parents[1]))

from rig import BENCH, free_port, lap, question, server, wait_for_port

_HEADERS = {"Content-Type": "application/json"}


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Validate a question and answer `call`."""
    if scope["type"] != "http":
        return
    message = await receive()
    body = message["body"]
    while message.get("more_body"):
        message = await receive()
        body += message["body"]
    ActionRequest.model_validate(orjson.loads(body))
    reply = ActionResponse(action="call").model_dump_json().encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(reply)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": reply})


class Floor:
    """Client of the floor: the transport of agentkit without A2A."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._transport = HttpTransport()

    async def act(self, request: ActionRequest) -> ActionResponse:
        """Send a question and return the answer."""
        body = request.model_dump_json().encode()
        reply = await self._transport.send("POST", self._url, _HEADERS, body, 10)
        return ActionResponse.model_validate(orjson.loads(reply.body))

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()


async def floor_calls_per_s(calls: int, in_flight: int) -> float:
    """Return the calls per second of the floor, so many in flight."""
    port = free_port()
    with server(str(BENCH / "floors/floor.py"), str(port)) as process:
        await wait_for_port(port)
        floor, template = Floor(f"http://127.0.0.1:{port}/"), question()

        async def ask(number: int) -> None:
            await floor.act(template.model_copy(update={"request_id": f"q{number}"}))

        await lap(ask, 500, in_flight, process.pid)
        rate = (await lap(ask, calls, in_flight, process.pid)).calls_per_s
        await floor.close()
    return rate


def main() -> None:
    """Serve the floor."""
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=75,
    )


if __name__ == "__main__":
    main()
