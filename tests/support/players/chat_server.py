"""A stand-in for a language model's server: it speaks the OpenAI chat protocol, well or badly.

`python -m support.players.chat_server` serves one that takes the first action on offer.
It prints its base URL, and ends with its standard input.
"""

import asyncio
import json
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from support.processes import run_until

Reply = Callable[[dict[str, Any]], Awaitable[Response]]


def plain(text: str, *, tokens: int | None = 50, **message: Any) -> Reply:
    """Answer in one piece, whether streaming was requested or not."""

    async def reply(_asked: dict[str, Any]) -> Response:
        usage = {} if tokens is None else {"usage": {"total_tokens": tokens}}
        said = {"role": "assistant", "content": text, **message}
        return JSONResponse(
            {"choices": [{"index": 0, "message": said, "finish_reason": "stop"}], **usage}
        )

    return reply


def chunk(finish_reason: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def streamed(text: str, *, thoughts: str = "", tokens: int | None = 50, done: bool = True) -> Reply:
    """Answer as a stream of small pieces with comments, as some servers send."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b": keep-alive\n\n"
        yield chunk(role="assistant", content="")
        for start in range(0, len(thoughts), 7):
            yield chunk(reasoning_content=thoughts[start : start + 7])
        for start in range(0, len(text), 7):
            yield chunk(content=text[start : start + 7])
        if done:
            yield chunk("stop")
        if tokens is not None:
            usage = {"choices": [], "usage": {"total_tokens": tokens}}
            yield b"data: " + json.dumps(usage).encode() + b"\r\n\r\n"
        if done:
            yield b"data: [DONE]\n\n"

    async def reply(_asked: dict[str, Any]) -> Response:
        return StreamingResponse(pieces(), media_type="text/event-stream")

    return reply


def raw(*parts: bytes, media_type: str = "text/event-stream", breaks: bool = False) -> Reply:
    """Answer with these bytes, and break the connection in the middle if `breaks`."""

    async def body() -> AsyncIterator[bytes]:
        for part in parts:
            yield part
            await asyncio.sleep(0)
        if breaks:
            raise ConnectionResetError

    async def reply(_asked: dict[str, Any]) -> Response:
        return StreamingResponse(body(), media_type=media_type)

    return reply


def status(code: int, body: Any = None, **headers: str) -> Reply:

    async def reply(_asked: dict[str, Any]) -> Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return JSONResponse(body or {"error": {"message": "no"}}, code, headers=names)

    return reply


def stalling(*before: bytes) -> Reply:
    """Begin an answer, and never end it."""

    async def body() -> AsyncIterator[bytes]:
        for part in before:
            yield part
        await asyncio.Event().wait()

    async def reply(_asked: dict[str, Any]) -> Response:
        if not before:
            await asyncio.Event().wait()
        return StreamingResponse(body(), media_type="text/event-stream")

    return reply


async def sensible(asked: dict[str, Any]) -> Response:
    """Take the first offered action with its smallest amount; streamed if requested."""
    prompt = asked["messages"][1]["content"]
    found = re.findall(r'^\{"action_type".*\}$', prompt, re.MULTILINE)
    offer = next(offer for offer in map(json.loads, found) if offer["action_type"] != "…")
    if "min" in offer:
        offer["amount"] = offer.pop("min")
        del offer["max"]
    text = f"I take what is first.\n```json\n{json.dumps(offer)}\n```"
    return await (streamed if asked.get("stream") else plain)(text)(asked)


class ChatServer:
    """Gives its replies in order, repeats the last one, and records its requests."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        asked = await request.json()
        self.asked.append(asked)
        self.authorizations.append(request.headers.get("authorization"))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return await reply(asked)


@asynccontextmanager
async def serving(server: ChatServer) -> AsyncIterator[str]:
    """Serve on a free port; yields the base URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(server.app(), log_config=None, lifespan="off", ws="none")
    serving = uvicorn.Server(config)
    config.timeout_graceful_shutdown = 1
    task = asyncio.ensure_future(serving.serve([listener]))
    try:
        await run_until(lambda: serving.started)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        serving.force_exit = True
        serving.should_exit = True
        await task
        listener.close()


async def main(_arguments: Sequence[str]) -> None:
    """Serve until standard input ends."""
    async with serving(ChatServer(sensible)) as url:
        print(url, flush=True)  # noqa: T201  how it tells where it is
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
