"""A task that nobody waits for any more is cancelled, in the words of each binding."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import AgentClient, CallSlots, RemoteAgent, TimedOut
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from support.envelopes import BINDINGS, Call
from support.in_process import InProcessTransport
from support.players.odd_agent import spoken
from support.processes import run_until

SHORT, SOON = timedelta(milliseconds=150), timedelta(seconds=5)
SOONER_S = 0.5
"""Less than a cancellation may take."""
CANCELS = {"CancelTask", "tasks/cancel", "/rpc/tasks/t-1:cancel"}


class Worker:
    """An agent, written by hand, whose task is never finished."""

    def __init__(self, binding: str) -> None:
        self.binding = binding
        self.asked: list[str] = []
        self.cancelled = asyncio.Event()
        self.answers_cancel = asyncio.Event()
        self.answers_cancel.set()
        self.cancels = self.given_up = 0

    async def serve(self, request: Request) -> Response:
        body = await request.body()
        call = json.loads(body) if body else {}
        what = str(call.get("method") or request.url.path)
        self.asked.append(what)
        if what in CANCELS:
            self.cancels += 1
            self.cancelled.set()
            try:
                await self.answers_cancel.wait()
            except asyncio.CancelledError:
                self.given_up += 1
                raise
        reply: Any = Call(self.binding, call.get("id")).task("working")
        is_task = what not in {"SendMessage", "/rpc/message:send"}
        if is_task and self.binding == "jsonrpc":
            reply["result"] = reply["result"]["task"]
        elif is_task and self.binding == "rest":
            reply = reply["task"]
        return JSONResponse(reply)


@asynccontextmanager
async def calling(
    worker: Worker, slots: CallSlots | None = None
) -> AsyncIterator[tuple[AgentClient, RemoteAgent]]:
    client = AgentClient(
        InProcessTransport({"http://odd": spoken(worker.binding, worker.serve)}), slots=slots
    )
    try:
        yield client, await client.resolve("http://odd", timeout=SOON)
    finally:
        await client.close()


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_call_that_is_given_up_cancels_its_task(binding: str) -> None:
    """As when a hand is ended: its language model would go on spending."""
    worker = Worker(binding)
    async with calling(worker) as (_, peer):
        call = asyncio.create_task(peer.call("act", b"{}", dict, timeout=SOON))
        await run_until(lambda: len(worker.asked) >= 2)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await worker.cancelled.wait()
    assert worker.asked[-1] in CANCELS


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_task_that_is_not_finished_in_time_is_cancelled_and_nothing_waits_for_it(
    binding: str,
) -> None:
    """Neither the call nor the client, where the cancellation hangs."""
    worker = Worker(binding)
    worker.answers_cancel.clear()
    async with calling(worker) as (_, peer):
        with pytest.raises(TimedOut, match="not finished within"):
            await peer.call("act", b"{}", dict, timeout=SHORT)
        assert not worker.given_up
        await worker.cancelled.wait()
        soon = asyncio.create_task(asyncio.sleep(SOONER_S))
    assert not soon.done()
    assert worker.asked[-1] in CANCELS


async def test_cancellations_take_slots_and_are_bounded() -> None:
    """Of thirty tasks at most sixteen are cancelled, one at a time at this origin."""
    worker = Worker("jsonrpc")
    worker.answers_cancel.clear()
    async with calling(worker) as (_, peer):
        calls = [peer.call("act", b"{}", dict, timeout=SHORT) for _ in range(30)]
        await asyncio.gather(*calls, return_exceptions=True)
        await run_until(lambda: worker.given_up)
        assert worker.cancels == 16
    worker = Worker("jsonrpc")
    worker.answers_cancel.clear()
    async with calling(worker, CallSlots(per_origin=1)) as (_, peer):
        with pytest.raises(TimedOut):
            await peer.call("act", b"{}", dict, timeout=SHORT)
        await worker.cancelled.wait()
        with pytest.raises(TimedOut):  # the slot is taken
            await peer.call("act", b"{}", dict, timeout=SHORT)
        assert worker.asked[-1] in CANCELS
