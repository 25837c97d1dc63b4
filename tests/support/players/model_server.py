"""A stand-in for the providers of language models, well or badly behaved.

It speaks OpenAI's chat and responses protocols and Anthropic's messages, whole or as a stream, as
it is asked. In one process it is a transport (`ModelServer.transport`), else a server:
`python -m support.players.model_server [WAY]` serves one that takes the first action on offer, or
behaves in one of the `WAYS`; it prints its base URL, and ends with its standard input.
"""

import asyncio
import json
import platform
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from typing_extensions import override

from support.players import model_messages
from support.players.model_messages import PROTOCOL_BY_PATH, ModelSaid
from support.processes import run_until

KEY = "sk-the-key-that-nobody-may-see"
MASKED = "sk-th***********-see"
"""How a provider quotes a key that it does not take."""
IN_TIME_S, LATE_S = 2.0, 3600.0
_JSON = "application/json"
platform.platform()  # OpenAI's client asks for it, and Python starts `uname` for the first answer


@dataclass
class AskedModel:
    """A request to a model's server."""

    url: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def protocol(self) -> str:
        return next(name for path, name in PROTOCOL_BY_PATH.items() if self.url.endswith(path))

    @property
    def is_stream(self) -> bool:
        return self.body.get("stream") is True

    @property
    def key(self) -> str:
        names = ("x-api-key", "x-goog-api-key", "authorization")
        sent = [self.headers[name] for name in names if name in self.headers]
        return sent[0].removeprefix("Bearer ") if sent else ""

    @property
    def messages(self) -> list[tuple[str, str]]:
        """The prompt: role and text of each message, the system's first."""
        system = self.body.get("system")
        sent = self.body.get("messages") or self.body.get("input") or []
        texts = [(one["role"], _text(one["content"])) for one in sent]
        return [("system", _text(system)), *texts] if system else texts


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


@dataclass
class ModelReply:
    """An answer of a model's server; it ends with a broken connection if it `breaks`."""

    chunks: AsyncIterator[bytes]
    status: int = 200
    media_type: str = _JSON
    headers: dict[str, str] = field(default_factory=dict)


Reply = Callable[[AskedModel], Awaitable[ModelReply]]


async def _of(*parts: bytes, breaks: bool = False) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
        await asyncio.sleep(0)
    if breaks:
        raise httpx2.RemoteProtocolError("peer closed connection without sending complete message")


def says(text: str = "", *, after_s: float = 0.0, **parts: Any) -> Reply:
    """Answer with a text, or the parts of `ModelSaid`, as a stream where one is asked for."""

    async def reply(asked: AskedModel) -> ModelReply:
        await asyncio.sleep(after_s)  # plays: a model that takes its time
        said = ModelSaid(text, model=asked.body["model"], **parts)
        if asked.is_stream:
            pieces = model_messages.streamed(asked.protocol, said)
            return ModelReply(_of(*pieces), media_type="text/event-stream")
        return ModelReply(_of(json.dumps(model_messages.whole(asked.protocol, said)).encode()))

    return reply


def cut(text: str) -> Reply:
    """Break off in the middle of an answer."""

    async def reply(asked: AskedModel) -> ModelReply:
        said = ModelSaid(text, model=asked.body["model"])
        if asked.is_stream:
            pieces = model_messages.streamed(asked.protocol, said)
            return ModelReply(_of(*pieces[:4], breaks=True), media_type="text/event-stream")
        body = json.dumps(model_messages.whole(asked.protocol, said)).encode()
        return ModelReply(_of(body[: len(body) // 2], breaks=True))

    return reply


def status(code: int, message: str = "no", kind: str = "error", **headers: str) -> Reply:
    """Refuse with a status and the error as the protocol writes it."""

    async def reply(asked: AskedModel) -> ModelReply:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        body = model_messages.error(asked.protocol, message, kind)
        return ModelReply(_of(json.dumps(body).encode()), code, headers=names)

    return reply


def raw(*parts: bytes, media_type: str = _JSON, code: int = 200) -> Reply:
    """Answer with these bytes."""

    async def reply(_asked: AskedModel) -> ModelReply:
        return ModelReply(_of(*parts), code, media_type)

    return reply


async def hangs(_asked: AskedModel) -> ModelReply:
    """Never answer."""
    await asyncio.Event().wait()
    raise AssertionError("unreachable: nobody sets the event")


async def sensible(asked: AskedModel) -> ModelReply:
    """Take the first action on offer with its smallest amount; without one, answer `ready`."""
    offer = first_offer(asked)
    if offer is None:
        return await says("ready")(asked)
    return await says(f"I take what is first.\n```json\n{json.dumps(offer)}\n```")(asked)


def first_offer(asked: AskedModel) -> dict[str, Any] | None:
    """Return the first action that a prompt offers, with its smallest amount; None without one."""
    found = re.findall(r'^\{"action_type".*\}$', asked.messages[1][1], re.MULTILINE)
    offers = [offer for offer in map(json.loads, found) if offer["action_type"] != "…"]
    if not offers:
        return None
    offer: dict[str, Any] = offers[0]
    if "min" in offer:
        offer["amount"] = offer.pop("min")
        del offer["max"]
    return offer


async def _calls_a_tool(asked: AskedModel) -> ModelReply:
    return await says(calls=(("act", first_offer(asked) or {}),))(asked)


async def _thinks(asked: AskedModel) -> ModelReply:
    said = json.dumps(first_offer(asked) or "ready")
    return await says(said, thoughts="It is what is first.")(asked)


async def _is_slow(asked: AskedModel) -> ModelReply:
    await asyncio.sleep(IN_TIME_S)  # plays: a model that takes its time
    return await sensible(asked)


@dataclass(frozen=True)
class ProviderWay:
    """A way in which a provider behaves, and what a decision by its model then says."""

    reply: Reply
    reason: str | None = None
    """The reason of the default; None where the decision is the model's own."""
    words: str = ""
    """What the default's detail has: the provider's words where it said any."""


WAYS: Mapping[str, ProviderWay] = {
    "unauthorized": ProviderWay(
        status(401, f"Incorrect API key provided: {MASKED}.", "authentication_error"),
        "provider_away",
        "HTTP 401: Incorrect API key provided: [key]",
    ),
    "unknown_model": ProviderWay(
        status(404, "The model `stand-in` does not exist.", "not_found_error"),
        "provider_away",
        "HTTP 404: The model `stand-in` does not exist.",
    ),
    "told_to_wait": ProviderWay(
        status(429, "Rate limit reached.", "rate_limit_error", retry_after="3600"),
        "provider_away",
        "HTTP 429: Rate limit reached.; it is to be asked again in 3600 s",
    ),
    "rate_limited": ProviderWay(
        status(429, "Rate limit reached.", "rate_limit_error"),
        "provider_away",
        "HTTP 429: Rate limit reached.",
    ),
    "bad_request": ProviderWay(
        status(400, "Unsupported parameter: use 'max_completion_tokens' instead."),
        "model_failed",
        "HTTP 400: Unsupported parameter: use 'max_completion_tokens' instead.",
    ),
    "broken": ProviderWay(
        status(500, "We had an error."), "provider_away", "HTTP 500: We had an error."
    ),
    "hanging": ProviderWay(hangs, "timeout", "no answer within"),
    "late": ProviderWay(says("I fold.", after_s=LATE_S), "timeout", "no answer within"),
    "cut": ProviderWay(
        cut("I take my time. " * 20), "provider_away", "the connection failed: peer closed"
    ),
    "empty": ProviderWay(says(""), "model_failed", "the answer is empty"),
    "truncated": ProviderWay(
        says('Let me think. {"action', finish="length"), "unparsable", "where its tokens end"
    ),
    "filtered": ProviderWay(says("", finish="content_filter"), "model_failed", "content filter"),
    "refusing": ProviderWay(
        says(refusal="I do not gamble."), "model_failed", "refused: I do not gamble."
    ),
    "wrong_json": ProviderWay(raw(b'{"id": "x", '), "model_failed", "cannot be read"),
    "huge": ProviderWay(raw(*[b" " * 1_000_000] * 6), "model_failed", "sent more than"),
    "tool_call": ProviderWay(_calls_a_tool),
    "thinking": ProviderWay(_thinks),
    "slow": ProviderWay(_is_slow),
}
"""The ways by name; the last three are decisions of the model's own."""
PROTOCOLS = tuple(PROTOCOL_BY_PATH.values())
MODELS = {
    "chat": "openai:gpt-4.1-mini",
    "responses": "openai-responses:gpt-4.1-mini",
    "anthropic": "anthropic:claude-sonnet-4-6",
}
"""A model with a known price for each protocol."""


class ModelServer:
    """Gives its replies in order, repeats the last one, and records its requests."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[AskedModel] = []
        self.times: list[float] = []
        """When it was asked, on the loop's clock."""

    async def answer(self, asked: AskedModel) -> ModelReply:
        self.asked.append(asked)
        self.times.append(asyncio.get_running_loop().time())
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return await reply(asked)

    def transport(self) -> httpx2.AsyncBaseTransport:
        """Return what takes the place of the network, in one process and virtual time."""
        return _Wire(self)

    def app(self) -> Starlette:
        paths = [f"/v1{path}" for path in PROTOCOL_BY_PATH]
        return Starlette(routes=[Route(path, self._serve, methods=["POST"]) for path in paths])

    async def _serve(self, request: Request) -> Response:
        sent = await self.answer(
            AskedModel(str(request.url), request.headers, await request.json())
        )
        return StreamingResponse(
            sent.chunks, sent.status, headers=sent.headers, media_type=sent.media_type
        )


class _Wire(httpx2.AsyncBaseTransport):
    def __init__(self, server: ModelServer) -> None:
        self._server = server

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        asked = AskedModel(str(request.url), request.headers, json.loads(await request.aread()))
        sent = await self._server.answer(asked)
        headers = {"content-type": sent.media_type, **sent.headers}
        return httpx2.Response(sent.status, headers=headers, stream=_Body(sent.chunks))


class _Body(httpx2.AsyncByteStream):
    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            yield chunk


@asynccontextmanager
async def serving(server: ModelServer) -> AsyncIterator[str]:
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


async def main(arguments: Sequence[str]) -> None:
    """Serve until standard input ends."""
    reply = WAYS[arguments[0]].reply if arguments else sensible
    async with serving(ModelServer(reply)) as url:
        print(url, flush=True)  # noqa: T201  how it tells where it is
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
