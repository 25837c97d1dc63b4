"""A task that nobody waits for any more is cancelled, in the words of each binding."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import AgentClient, CallSlots, InProcessTransport, Peer, TimedOut
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from support.envelopes import BINDINGS, Call, card

SHORT, SOON = timedelta(milliseconds=150), timedelta(seconds=5)
CANCELS = {"CancelTask", "tasks/cancel", "/rpc/tasks/t-1:cancel"}


class Worker:
    """An agent, written by hand, whose task is never finished."""

    def __init__(self, binding: str) -> None:
        self.binding = binding
        self.asked: list[str] = []
        self.cancelled = asyncio.Event()
        self.answers_cancel = asyncio.Event()
        self.answers_cancel.set()
        self.cancels = 0

    def app(self) -> Starlette:
        """Return it as an application."""

        async def serve_card(_request: Request) -> Response:
            return JSONResponse(card(self.binding, "http://odd"))

        async def serve(request: Request) -> Response:
            body = await request.body()
            call = json.loads(body) if body else {}
            what = str(call.get("method") or request.url.path)
            self.asked.append(what)
            if what in CANCELS:
                self.cancels += 1
                self.cancelled.set()
                await self.answers_cancel.wait()
            reply: Any = Call(self.binding, call.get("id")).task("working")
            is_task = what not in {"SendMessage", "/rpc/message:send"}
            if is_task and self.binding == "jsonrpc":
                reply["result"] = reply["result"]["task"]
            elif is_task and self.binding == "rest":
                reply = reply["task"]
            return JSONResponse(reply)

        return Starlette(
            routes=[
                Route("/.well-known/agent-card.json", serve_card),
                Route("/rpc", serve, methods=["POST"]),
                Route("/rpc/{rest:path}", serve, methods=["GET", "POST"]),
            ]
        )


@asynccontextmanager
async def calling(
    worker: Worker, slots: CallSlots | None = None
) -> AsyncIterator[tuple[AgentClient, Peer]]:
    """Yield a client and the worker as its peer."""
    client = AgentClient(InProcessTransport({"http://odd": worker.app()}), slots=slots)
    try:
        yield client, await client.resolve("http://odd", timeout=SOON)
    finally:
        await client.close()


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_task_that_is_not_finished_in_time_is_cancelled(binding: str) -> None:
    """Its language model would go on spending."""
    worker = Worker(binding)
    async with calling(worker) as (_, peer):
        with pytest.raises(TimedOut, match="not finished within"):
            await peer.call("act", b"{}", dict, timeout=SHORT)
        async with asyncio.timeout(5):
            await worker.cancelled.wait()
    assert worker.asked[-1] in CANCELS


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_call_that_is_given_up_cancels_its_task(binding: str) -> None:
    """As when a hand is ended."""
    worker = Worker(binding)
    async with calling(worker) as (_, peer):
        call = asyncio.create_task(peer.call("act", b"{}", dict, timeout=SOON))
        async with asyncio.timeout(5):
            while len(worker.asked) < 2:
                await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        async with asyncio.timeout(5):
            await worker.cancelled.wait()


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_cancellation_that_hangs_delays_nothing(binding: str) -> None:
    """The call ends in time, and so does the client."""
    worker = Worker(binding)
    worker.answers_cancel.clear()
    loop = asyncio.get_running_loop()
    async with calling(worker) as (_, peer):
        began = loop.time()
        with pytest.raises(TimedOut):
            await peer.call("act", b"{}", dict, timeout=SHORT)
        assert loop.time() - began < 1, "the cancellation, which has a second, was waited for"
        async with asyncio.timeout(5):
            await worker.cancelled.wait()
        began = loop.time()
    assert loop.time() - began < 0.8, "the cancellation was waited for"


async def test_cancellations_take_slots_and_are_bounded() -> None:
    """Of thirty tasks at most sixteen are cancelled, one at a time at this origin."""
    worker = Worker("jsonrpc")
    worker.answers_cancel.clear()
    async with calling(worker) as (client, peer):
        calls = [peer.call("act", b"{}", dict, timeout=SHORT) for _ in range(30)]
        await asyncio.gather(*calls, return_exceptions=True)
        async with asyncio.timeout(5):
            await worker.cancelled.wait()
            while worker.cancels < 16:
                await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert worker.cancels == 16
        del client
    worker = Worker("jsonrpc")
    worker.answers_cancel.clear()
    async with calling(worker, CallSlots(per_origin=1)) as (_, peer):
        with pytest.raises(TimedOut):
            await peer.call("act", b"{}", dict, timeout=SHORT)
        async with asyncio.timeout(5):
            await worker.cancelled.wait()
        with pytest.raises(TimedOut):  # the slot is taken
            await peer.call("act", b"{}", dict, timeout=SHORT)
        assert worker.asked[-1] in CANCELS
