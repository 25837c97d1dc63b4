"""Agents that offer only the invoke profile: a server on a socket that knows nothing of A2A."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from casino_agentkit import (
    AddressNotAllowed,
    AgentClient,
    HttpTransport,
    InProcessTransport,
    KitReason,
    Malformed,
    OutgoingPolicy,
    Peer,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Violation,
)
from support.players.odd_agent import BILL, SOUP
from support.players.sample_agent import Bill, SampleAgent
from support.processes import PATIENCE_S

WITHIN = timedelta(seconds=10)
SKILLS = [{"id": "order"}]


class Invoked:
    """A server with one card and one reply to every call, and what it was asked."""

    def __init__(self, url: str, status: int, reply: Any) -> None:
        self.url = url
        self.card: dict[str, Any] = {"name": "py", "url": f"{url}/", "skills": SKILLS}
        self.card_path = "/.well-known/agent-card.json"
        self.status = status
        self.reply = reply
        self.before_reply: Callable[[], object] = lambda: None
        self.asked: list[tuple[str, dict[str, str], Any]] = []

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Any:
        if method == "GET":
            return (200, self.card) if path == self.card_path else (404, None)
        self.asked.append((path, headers, json.loads(body)))
        self.before_reply()
        return self.status, self.reply


@contextmanager
def invoked(reply: Any = None, status: int = 200) -> Iterator[Invoked]:
    """Run a server of the profile alone; by default it answers with a bill."""

    class Handler(BaseHTTPRequestHandler):
        """Answers from the agent."""

        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body are one write

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            status, content = agent.answer(
                self.command, self.path, dict(self.headers), self.rfile.read(length)
            )
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  the name in http.server

        def log_message(self, *_args: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    reply = {"run_id": "r", "status": "succeeded", "output": BILL} if reply is None else reply
    agent = Invoked(f"http://127.0.0.1:{server.server_address[1]}", status, reply)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield agent
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE_S)


async def ordered(url: str, token: str | None = None) -> tuple[Peer, Bill]:
    client = AgentClient(HttpTransport())
    try:
        peer = await client.resolve(url, timeout=WITHIN)
        return peer, await peer.call("order", SOUP, Bill, timeout=WITHIN, token=token)
    finally:
        await client.close()


class TestCalls:
    async def test_the_minimal_card_is_enough(self) -> None:
        """The request is what an original caller sends, with our token beside it."""
        with invoked() as agent:
            peer, bill = await ordered(agent.url, "the-token")
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
        with invoked() as agent:
            interface = {"url": f"{agent.url}/base/", "protocolBinding": "HTTP+JSON"}
            agent.card |= {
                "protocolVersion": "1.0",
                "capabilities": {"streaming": True},
                "supportedInterfaces": [interface],
                "entrypoints": {"order": {"streaming": False, "input_schema": {}}},
            }
            peer, _ = await ordered(agent.url)
            assert peer.is_invoke
            assert agent.asked[0][0] == "/base/entrypoints/order/invoke"

    @pytest.mark.parametrize("status", [200, 201, 299])
    async def test_an_output_alone_is_enough(self, status: int) -> None:
        with invoked({"output": BILL}, status) as agent:
            assert (await ordered(agent.url))[1].total == 2

    @pytest.mark.parametrize(
        "path", ["/.well-known/agent-card.json", "/", "/.well-known/agent.json", "/agentcard.json"]
    )
    async def test_the_card_is_found_from_the_base_url(self, path: str) -> None:
        with invoked() as agent:
            agent.card_path = path
            assert (await ordered(f"{agent.url}/"))[0].is_invoke

    async def test_a_skill_cannot_lead_out_of_the_entrypoints(self) -> None:
        with invoked() as agent:
            client = AgentClient(HttpTransport())
            peer = await client.resolve(agent.url, timeout=WITHIN)
            await peer.call("../a?b#c", SOUP, Bill, timeout=WITHIN)
            assert agent.asked[0][0] == "/entrypoints/..%2Fa%3Fb%23c/invoke"
            for skill in ("", ".", ".."):
                with pytest.raises(ProtocolFault, match="would change the URL"):
                    await peer.call(skill, SOUP, Bill, timeout=WITHIN)
            assert len(agent.asked) == 1
            await client.close()

    async def test_our_own_agents_are_called_by_a2a(self) -> None:
        """Although their cards have what the profile needs."""
        client = AgentClient(InProcessTransport({"http://odd": SampleAgent().app()}))
        peer = await client.resolve("http://odd", timeout=WITHIN)
        assert not peer.is_invoke
        assert peer.url == "http://odd/a2a/jsonrpc"

    async def test_the_deadline_covers_the_call(self) -> None:
        """A silent agent costs no more than it."""
        held = threading.Event()
        with invoked() as agent:
            agent.before_reply = lambda: held.wait(PATIENCE_S)
            client = AgentClient(HttpTransport())
            peer = await client.resolve(agent.url, timeout=WITHIN)
            try:
                with pytest.raises(TimedOut):
                    await peer.call("order", SOUP, Bill, timeout=timedelta(milliseconds=100))
            finally:
                held.set()
                await client.close()

    async def test_an_address_that_is_not_allowed_is_not_called(self) -> None:
        """The policy for addresses on cards is that of A2A."""
        with invoked() as agent:
            agent.card["url"] = "http://10.0.0.7/"
            client = AgentClient(HttpTransport(OutgoingPolicy(frozenset({"loopback"}))))
            with pytest.raises(AddressNotAllowed, match=r"advertises http://10\.0\.0\.7/"):
                await client.resolve(agent.url, timeout=WITHIN)
            agent.card["url"] = "ftp://bot/"
            with pytest.raises(ProtocolFault, match="no absolute http URL"):
                await client.resolve(agent.url, timeout=WITHIN)
            await client.close()


class TestErrors:
    """What an agent says when it does not answer is passed on."""

    async def test_the_issues_of_an_input_become_violations(self) -> None:
        """With their paths as text."""
        issue = {"code": "invalid_value", "path": ["seats", 0, "name"], "message": "Invalid option"}
        error = {"code": "invalid_input", "issues": [issue, 7, {"path": "x"}]}
        with invoked({"error": error}, 400) as agent, pytest.raises(RemoteRefused) as refused:
            await ordered(agent.url)
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
        with (
            invoked({"error": error}, status) as agent,
            pytest.raises(RemoteRefused, match="boom") as refused,
        ):
            await ordered(agent.url)
        assert (refused.value.code, refused.value.reason) == (code, reason)

    @pytest.mark.parametrize(
        ("status", "reply"),
        [
            (404, b"404 Not Found"),
            (402, {"x402Version": 1, "error": "Payment required", "accepts": []}),
            (500, {"error": {"code": 7}}),
            (302, {"output": BILL}),
            (307, b""),
        ],
    )
    async def test_any_other_status_is_a_fault(self, status: int, reply: Any) -> None:
        """With the status; the content is not repeated."""
        with (
            invoked(reply, status) as agent,
            pytest.raises(ProtocolFault, match=f"HTTP status {status}"),
        ):
            await ordered(agent.url)

    @pytest.mark.parametrize("reply", [{"status": "succeeded"}, [], 7, b"<html>", b""])
    async def test_a_reply_without_output_is_a_fault(self, reply: Any) -> None:
        """Also one that is no JSON."""
        with invoked(reply) as agent, pytest.raises(ProtocolFault, match="the reply"):
            await ordered(agent.url)

    async def test_an_output_that_does_not_fit_is_malformed(self) -> None:
        with (
            invoked({"output": {**BILL, "total": "two"}}) as agent,
            pytest.raises(Malformed, match="total"),
        ):
            await ordered(agent.url)
