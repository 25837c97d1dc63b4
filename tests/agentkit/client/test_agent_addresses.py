"""Addresses of agents: what stands on a card, and what people register, is called or explained."""

from collections.abc import Callable
from typing import Any

import pytest
from casino_agentkit import (
    AddressNotAllowed,
    AgentClient,
    AgentError,
    HttpTransport,
    OutgoingPolicy,
    ProtocolFault,
    RemoteAgent,
)
from casino_agentkit.client.agent_card import checked_address
from casino_agentkit.protocol import CARD_PATH
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from support.in_process import InProcessTransport
from support.players.odd_agent import BILL, SECOND, SOUP
from support.players.sample_agent import Bill

HOST = "http://bot.example:9000"
PUBLIC = "93.184.215.14"


class Addressed:
    """An agent that notes the address of every request, and answers by rules of its own."""

    def __init__(self, **interface: str) -> None:
        given = {"protocolBinding": "JSONRPC", "protocolVersion": "1.0", **interface}
        self.card: dict[str, Any] = {"name": "Odd", "supportedInterfaces": [given]}
        self.asked: list[str] = []
        self.instead: Callable[[Request], Response | None] = lambda _request: None

    async def _answer(self, request: Request) -> Response:
        query = request.url.query
        self.asked.append(request.url.path + (f"?{query}" if query else ""))
        if (other := self.instead(request)) is not None:
            return other
        if request.method == "GET":
            is_card = request.url.path.endswith(CARD_PATH)
            return JSONResponse(self.card) if is_card else Response(status_code=404)
        call = await request.json()
        if "input" in call:
            return JSONResponse({"output": BILL})
        result: dict[str, Any] = {
            "message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"data": BILL}]}
        }
        if "jsonrpc" not in call:
            return JSONResponse(result)
        if call["method"] == "message/send":
            parts = [{"kind": "data", "data": BILL}]
            result = {"kind": "message", "messageId": "m", "role": "agent", "parts": parts}
        return JSONResponse({"jsonrpc": "2.0", "id": call["id"], "result": result})

    async def resolved(self, url: str) -> RemoteAgent:
        app = Starlette(routes=[Route("/{path:path}", self._answer, methods=["GET", "POST"])])
        client = AgentClient(InProcessTransport({HOST: app}))
        return await client.resolve(url, timeout=SECOND)

    async def ordered(self, url: str = HOST) -> str:
        """Return the address at which an order was taken."""
        peer = await self.resolved(url)
        assert await peer.call("order", SOUP, Bill, timeout=SECOND) == Bill.model_validate(BILL)
        return self.asked[-1]


BINDINGS = [
    ({}, ""),
    ({"protocolBinding": "HTTP+JSON"}, "/message:send"),
    ({"protocolVersion": "0.3"}, ""),
]


class TestQueries:
    """An address such as `http://host/agents/7?key=abc`."""

    @pytest.mark.parametrize("address", ["/agents/7?key=abc", "/agents/7/?key=abc#top"])
    async def test_the_card_is_below_the_path_with_the_query(self, address: str) -> None:
        agent = Addressed(url=f"{HOST}/agents/7/rpc")
        await agent.resolved(HOST + address)
        assert agent.asked == [f"/agents/7{CARD_PATH}?key=abc"]

    async def test_a_slash_after_the_cards_own_address_is_no_base(self) -> None:
        agent = Addressed(url=f"{HOST}/rpc")
        agent.instead = lambda request: (
            Response(status_code=404) if request.url.path.endswith("/") else None
        )
        await agent.resolved(f"{HOST}{CARD_PATH}/?v=1")
        assert agent.asked == [f"{CARD_PATH}/?v=1", f"{CARD_PATH}?v=1"]

    @pytest.mark.parametrize(("interface", "end"), BINDINGS)
    @pytest.mark.parametrize("on_card", ["", "?key=abc"])
    async def test_calls_below_it_have_the_query(
        self, interface: dict[str, str], end: str, on_card: str
    ) -> None:
        """It is written on the card, or that of the address that was registered."""
        agent = Addressed(url=f"{HOST}/agents/7/rpc{on_card}", **interface)
        assert await agent.ordered(f"{HOST}/agents/7?key=abc") == f"/agents/7/rpc{end}?key=abc"

    @pytest.mark.parametrize("on_card", ["", "?key=abc"])
    async def test_invoked_skills_have_the_query(self, on_card: str) -> None:
        agent = Addressed()
        url = f"{HOST}/agents/7/{on_card}"
        agent.card = {"name": "py", "url": url, "skills": [{"id": "order"}]}
        called = await agent.ordered(f"{HOST}/agents/7?key=abc")
        assert called == "/agents/7/entrypoints/order/invoke?key=abc"

    async def test_an_address_elsewhere_does_not_get_it(self) -> None:
        """Neither beside the agent's own path, nor where the card has another."""
        assert await Addressed(url=f"{HOST}/rpc").ordered(f"{HOST}/a?key=abc") == "/rpc"
        other = Addressed(url=f"{HOST}/a/rpc?id=7")
        assert await other.ordered(f"{HOST}/a?key=abc") == "/a/rpc?id=7"

    async def test_it_is_in_no_message(self) -> None:
        agent = Addressed()
        agent.instead = lambda _request: Response(status_code=404)
        with pytest.raises(ProtocolFault) as raised:
            await agent.resolved(f"{HOST}/agents/7?key=abc")
        assert "abc" not in str(raised.value)
        assert f"{HOST}/agents/7{CARD_PATH}?***: HTTP status 404" in raised.value.message


class TestRedirects:
    """A framework's mount answers POST /a2a by 307 to /a2a/."""

    @pytest.mark.parametrize(("interface", "end"), BINDINGS)
    @pytest.mark.parametrize("status", [307, 308])
    async def test_a_call_follows_one_within_the_origin(
        self, interface: dict[str, str], end: str, status: int
    ) -> None:
        agent = Addressed(url=f"{HOST}/a2a", **interface)
        headers = {"location": f"/a2a{end}/"}
        agent.instead = lambda request: (
            Response(status_code=status, headers=headers)
            if request.url.path == f"/a2a{end}"
            else None
        )
        assert await agent.ordered() == f"/a2a{end}/"

    async def test_credentials_follow_within_the_origin(self) -> None:
        """The same host was called, whatever name of it the reply has."""
        seen = []
        agent = Addressed(url=f"{HOST}/a2a")

        def instead(request: Request) -> Response | None:
            if request.url.path != "/a2a":
                seen.append((request.headers.get("authorization"), request.headers["host"]))
                return None
            location = HOST.upper().replace("HTTP", "http") + "/a2a/"
            return Response(status_code=307, headers={"location": location})

        peer = await agent.resolved(HOST)
        agent.instead = instead
        await peer.call("order", SOUP, Bill, timeout=SECOND, token="sesame")
        assert seen == [("Bearer sesame", "bot.example:9000")]

    @pytest.mark.parametrize(
        ("status", "location", "said"),
        [
            (307, "http://other/a2a/", "another origin, http://other/a2a/: write on its card that"),
            (307, "//other/a2a/", "another origin, http://other/a2a/: write on its card that"),
            (307, "ftp://x", "another origin, ftp://x"),
            (308, "/a2a", "redirects more than once"),
            (302, "/login", f"302 redirects to {HOST}/login: write on its card that address"),
        ],
    )
    async def test_any_other_is_explained(self, status: int, location: str, said: str) -> None:
        agent = Addressed(url=f"{HOST}/a2a")
        peer = await agent.resolved(HOST)
        agent.instead = lambda _request: Response(
            status_code=status, headers={"location": location}
        )
        with pytest.raises(AgentError) as raised:
            await peer.call("order", SOUP, Bill, timeout=SECOND)
        assert said in raised.value.message


class Resolving(HttpTransport):
    """A transport of which only the policy is used: every name but localhost is public."""

    def __init__(self) -> None:
        async def lookup(host: str) -> list[str]:
            return ["127.0.0.1" if host == "localhost" else PUBLIC]

        super().__init__(OutgoingPolicy(), lookup=lookup)


@pytest.mark.parametrize(
    ("card_at", "advertised", "called"),
    [
        (HOST, "http://0.0.0.0:9000/rpc", f"{HOST}/rpc"),
        (HOST, "http://[::]:9001/rpc?x=1", "http://bot.example:9001/rpc?x=1"),
        (HOST, "http://localhost:9000/rpc", f"{HOST}/rpc"),
        (HOST, "http://127.0.0.1:9000", HOST),
        ("http://127.0.0.1:9000", "http://0.0.0.0:9000/rpc", "http://127.0.0.1:9000/rpc"),
        ("http://127.0.0.1:9000", "http://localhost:9001/rpc", "http://localhost:9001/rpc"),
        ("http://[::1]:9000/", "http://0.0.0.0:9000/rpc", "http://[::1]:9000/rpc"),
        (HOST, "HTTP://BOT.example:9000//a%2Fb//", "HTTP://BOT.example:9000//a%2Fb//"),
        ("http://bot.example", "http://bot.example:80/rpc", "http://bot.example:80/rpc"),
    ],
)
async def test_an_address_of_the_cards_own_machine_is_called(
    card_at: str, advertised: str, called: str
) -> None:
    """0.0.0.0, [::] and localhost stand for the host that the card was read from."""
    transport = Resolving()
    assert await checked_address(transport, card_at, advertised) == called
    await transport.close()


@pytest.mark.parametrize(
    "advertised",
    ["http://localhost:9001/rpc", "http://127.0.0.1:6379/", "http://10.0.0.7:9000/"],
)
async def test_what_is_further_inside_is_not_called(advertised: str) -> None:
    """A card on the internet names no other service of the machine that reads it."""
    transport = Resolving()
    with pytest.raises(AddressNotAllowed, match="not called from here"):
        await checked_address(transport, HOST, advertised)
    await transport.close()


@pytest.mark.parametrize(
    ("advertised", "said"),
    [
        ("/rpc", f"/rpc is not absolute: write {HOST}/rpc, with the host"),
        ("rpc", f"rpc is not absolute: write {HOST}/rpc, with the host"),
        ("", "has an interface without a url: add supportedInterfaces with url"),
        ("http://u:p@bot.example/", "has a user name before its host: leave out what ends with @"),
        ("http://bücher.example/", "has a host name beyond ASCII: write its ASCII form, with xn--"),
        ("http://bot.example./", "leave out the dot at the end of bot.example."),
        ("http://bot.example:99999/", "has no port from 1 to 65535"),
        ("http://bot.example/a b", "has a space, a control character or a backslash"),
        ("ws://bot.example/", "is not a plain http or https URL, such as http://"),
        ("//bot.example/rpc", "is not a plain http or https URL, such as http://"),
        ("http://" + "a" * 5_000, "is longer than 4096 characters"),
    ],
)
async def test_an_address_that_no_client_can_call_is_explained(advertised: str, said: str) -> None:
    with pytest.raises(ProtocolFault) as raised:
        await checked_address(InProcessTransport(), HOST, advertised)
    assert said in raised.value.message
