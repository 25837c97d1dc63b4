"""Counts and times of typed calls on every path."""

from typing import Any

import httpx
import pytest
from casino_agentkit import Service
from casino_agentkit.protocol import EXTENSION, RPC_PATH
from prometheus_client import CollectorRegistry, Counter
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from support.players.sample_agent import SampleAgent
from support.request_shapes import VERSION, Json, changed, message, part

SECONDS_PER_READING = 0.25
FAST = {**VERSION, "Content-Type": "application/json"}


class Ticking:
    """A clock that goes on by the same step at every reading."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        self._now += SECONDS_PER_READING
        return self._now


class Signed:
    """Middleware that signs every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"].append((b"x-signed", b"yes"))
            await send(message)

        await self._app(scope, receive, signed)


def asked(skill: str = "order", more: Json | None = None, **data: Any) -> bytes:
    """Return a typed call; `more` in the message takes it off the fast path."""

    def change(request: Json) -> None:
        part(request).update(data={"dish": "soup", "plates": 6, **data})
        message(request).update(metadata={EXTENSION: {"skill": skill}}, **(more or {}))

    return changed(change)


async def send(service: Service, *calls: bytes) -> str:
    transport = httpx.ASGITransport(service.asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://sample") as http:
        for call in calls:
            assert (await http.post(RPC_PATH, content=call, headers=FAST)).status_code == 200
        page = await http.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    return page.text


@pytest.mark.parametrize("extra", [{}, {"referenceTaskIds": []}], ids=["fast", "by the SDK"])
async def test_calls_are_counted_by_skill_and_outcome(extra: dict[str, Any]) -> None:
    """The fast path and the SDK's path count alike, each call once."""
    service = Service({"": SampleAgent().agent}, clock=Ticking())
    page = await send(
        service,
        asked(more=extra),
        asked(more=extra, plates=7),
        asked(more=extra, dish="fish"),
        asked(more=extra, plates=-1),
        asked(more=extra, dish="fire"),
    )
    for outcome, count in {"ok": 2, "refused": 1, "invalid": 1, "failed": 1}.items():
        assert f'agent_calls_total{{outcome="{outcome}",skill="order"}} {count}.0\n' in page
    assert 'agent_call_seconds_count{skill="order"} 5.0\n' in page
    assert f'agent_call_seconds_sum{{skill="order"}} {5 * SECONDS_PER_READING}\n' in page
    assert 'agent_call_seconds_count{skill="ask"} 0.0\n' in page
    assert "_created" not in page


async def test_a_caller_cannot_make_labels() -> None:
    page = await send(Service({"": SampleAgent().agent}), asked("made-up"))
    assert "made-up" not in page


async def test_metrics_are_of_the_service_and_its_process() -> None:
    registry = CollectorRegistry()
    Counter("sample_failures", "Fires.", registry=registry).inc()
    page = await send(Service({"": SampleAgent().agent}, registry=registry))
    assert "sample_failures_total 1.0\n" in page
    assert "process_cpu_seconds_total" in page
    assert "sample_failures" not in await send(Service({"": SampleAgent().agent}))


async def test_middleware_is_around_the_routes() -> None:
    """Plain typed calls bypass it: the fast front answers them."""
    service = Service({"": SampleAgent().agent}, middleware=[Middleware(Signed)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(service.asgi())) as http:
        assert (await http.get("http://k/healthz")).headers["x-signed"] == "yes"
        reply = await http.post(f"http://k{RPC_PATH}", content=asked(), headers=FAST)
        assert "x-signed" not in reply.headers
