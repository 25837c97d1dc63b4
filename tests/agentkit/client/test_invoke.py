"""Agents that offer only the invoke profile, and know nothing of A2A."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import (
    AddressNotAllowed,
    AgentClient,
    HttpTransport,
    KitReason,
    Malformed,
    OutgoingPolicy,
    ProtocolFault,
    RemoteAgent,
    RemoteRefused,
    TimedOut,
    Violation,
)
from casino_agentkit.protocol import CARD_PATH
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.attack.raw_servers import agent as raw_agent
from support.in_process import InProcessTransport
from support.players.odd_agent import BILL, SOUP
from support.players.sample_agent import Bill, SampleAgent

URL = "http://odd"
WITHIN = timedelta(seconds=10)
SKILLS = [{"id": "order"}]
ANSWER = {"run_id": "r", "status": "succeeded", "output": BILL}


class Invoked:
    """An agent with one card and one reply to every call, and what it was asked."""

    def __init__(self, reply: Any = ANSWER, status: int = 200) -> None:
        self.card: dict[str, Any] = {"name": "py", "url": f"{URL}/", "skills": SKILLS}
        self.card_path = CARD_PATH
        self.before_reply: Callable[[], Awaitable[object]] | None = None
        self.asked: list[tuple[str, Mapping[str, str], Any]] = []
        self._reply = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self._status = status

    async def _answer(self, request: Request) -> Response:
        path = request.scope["raw_path"].decode()
        if request.method == "GET":
            is_card = path == self.card_path
            return Response(json.dumps(self.card), 200 if is_card else 404)
        self.asked.append((path, request.headers, await request.json()))
        if self.before_reply is not None:
            await self.before_reply()
        return Response(self._reply, self._status)

    def client(self) -> AgentClient:
        app = Starlette(routes=[Route("/{path:path}", self._answer, methods=["GET", "POST"])])
        return AgentClient(InProcessTransport({URL: app}))

    async def ordered(self, url: str = URL, token: str | None = None) -> tuple[RemoteAgent, Bill]:
        peer = await self.client().resolve(url, timeout=WITHIN)
        return peer, await peer.call("order", SOUP, Bill, timeout=WITHIN, token=token)


class TestCalls:
    async def test_the_minimal_card_is_enough(self) -> None:
        """The request is what an original caller sends, with our token beside it."""
        agent = Invoked()
        peer, bill = await agent.ordered(token="the-token")
        assert bill == Bill.model_validate(BILL)
        assert peer.is_invoke
        assert peer.is_typed
        assert peer.skills == {"order"}
        ((path, headers, body),) = agent.asked
        assert path == "/entrypoints/order/invoke"
        assert body == {"input": json.loads(SOUP.model_dump_json(by_alias=True))}
        assert headers["Content-Type"] == "application/json"
        assert headers["Authorization"] == "Bearer the-token"

    async def test_a_card_of_the_framework_leads_to_the_interface(self) -> None:
        """Below its path, as newer callers do it; `url` does not count then."""
        agent = Invoked()
        agent.card |= {
            "protocolVersion": "1.0",
            "capabilities": {"streaming": True},
            "supportedInterfaces": [{"url": f"{URL}/base/", "protocolBinding": "HTTP+JSON"}],
            "entrypoints": {"order": {"streaming": False, "input_schema": {}}},
        }
        peer, _ = await agent.ordered()
        assert peer.is_invoke
        assert agent.asked[0][0] == "/base/entrypoints/order/invoke"

    @pytest.mark.parametrize("status", [200, 201, 299])
    async def test_an_output_alone_is_enough(self, status: int) -> None:
        assert (await Invoked({"output": BILL}, status).ordered())[1].total == 2

    @pytest.mark.parametrize("path", [CARD_PATH, "/", "/.well-known/agent.json", "/agentcard.json"])
    async def test_the_card_is_found_from_the_base_url(self, path: str) -> None:
        agent = Invoked()
        agent.card_path = path
        assert (await agent.ordered(f"{URL}/"))[0].is_invoke

    async def test_a_skill_cannot_lead_out_of_the_entrypoints(self) -> None:
        agent = Invoked()
        peer = await agent.client().resolve(URL, timeout=WITHIN)
        await peer.call("../a?b#c", SOUP, Bill, timeout=WITHIN)
        assert agent.asked[0][0] == "/entrypoints/..%2Fa%3Fb%23c/invoke"
        for skill in ("", ".", ".."):
            with pytest.raises(ProtocolFault, match="would change the URL"):
                await peer.call(skill, SOUP, Bill, timeout=WITHIN)
        assert len(agent.asked) == 1

    async def test_our_own_agents_are_called_by_a2a(self) -> None:
        """Although their cards have what the profile needs."""
        client = AgentClient(InProcessTransport({URL: SampleAgent().app()}))
        peer = await client.resolve(URL, timeout=WITHIN)
        assert not peer.is_invoke
        assert peer.url == f"{URL}/a2a/jsonrpc"

    async def test_the_deadline_covers_the_call(self) -> None:
        """A silent agent costs no more than it."""
        agent = Invoked()
        agent.before_reply = asyncio.Event().wait
        with pytest.raises(TimedOut):
            await agent.ordered()

    @pytest.mark.parametrize(
        ("url", "kind", "message"),
        [
            ("http://10.0.0.7/", AddressNotAllowed, r"advertises http://10\.0\.0\.7/"),
            ("ftp://bot/", ProtocolFault, "no absolute http URL"),
        ],
    )
    async def test_an_address_that_is_not_allowed_is_not_called(
        self, url: str, kind: type[Exception], message: str
    ) -> None:
        """The policy for addresses on cards is that of A2A."""
        card = {"name": "py", "url": url, "skills": SKILLS}
        client = AgentClient(HttpTransport(OutgoingPolicy(frozenset({"loopback"}))))
        async with raw_agent(lambda *_: card) as (origin, _):
            with pytest.raises(kind, match=message):
                await client.resolve(origin, timeout=WITHIN)
        await client.close()


class TestErrors:
    """What an agent says when it does not answer is passed on."""

    async def test_the_issues_of_an_input_become_violations(self) -> None:
        """With their paths as text."""
        issue = {"code": "invalid_value", "path": ["seats", 0, "name"], "message": "Invalid option"}
        error = {"code": "invalid_input", "issues": [issue, 7, {"path": "x"}]}
        with pytest.raises(RemoteRefused) as refused:
            await Invoked({"error": error}, 400).ordered()
        assert refused.value.code == -32602
        assert refused.value.message == "invalid_input"
        assert refused.value.violations[0] == Violation("seats.0.name", "Invalid option")

    @pytest.mark.parametrize(
        ("status", "error", "code", "reason"),
        [
            (500, {"code": "internal_error", "message": "boom"}, -32603, KitReason.UNKNOWN),
            (404, {"code": "entrypoint_not_found", "message": "boom"}, -32601, KitReason.UNKNOWN),
            (409, {"code": "refused", "message": "boom", "reason": "FULL"}, -32000, "FULL"),
            (401, {"code": "u", "message": "boom", "reason": "UNAUTHORIZED"}, 401, "UNAUTHORIZED"),
        ],
    )
    async def test_an_error_is_a_refusal(
        self, status: int, error: dict[str, str], code: int, reason: str
    ) -> None:
        with pytest.raises(RemoteRefused, match="boom") as refused:
            await Invoked({"error": error}, status).ordered()
        assert (refused.value.code, refused.value.reason) == (code, reason)

    @pytest.mark.parametrize(
        ("status", "reply", "kind", "message"),
        [
            (404, b"404 Not Found", ProtocolFault, "HTTP status 404"),
            (402, {"x402Version": 1, "error": "Pay", "accepts": []}, ProtocolFault, "status 402"),
            (500, {"error": {"code": 7}}, ProtocolFault, "HTTP status 500"),
            (302, {"output": BILL}, ProtocolFault, "HTTP status 302"),
            (307, b"", ProtocolFault, "HTTP status 307"),
            (200, {"status": "succeeded"}, ProtocolFault, "the reply"),
            (200, [], ProtocolFault, "the reply"),
            (200, b"<html>", ProtocolFault, "the reply"),
            (200, b"", ProtocolFault, "the reply"),
            (200, {"output": {**BILL, "total": "two"}}, Malformed, "total"),
        ],
    )
    async def test_any_other_reply_is_a_fault(
        self, status: int, reply: Any, kind: type[Exception], message: str
    ) -> None:
        """With the status; the content is not repeated."""
        with pytest.raises(kind, match=message):
            await Invoked(reply, status).ordered()
