"""Resolving a URL to an agent."""

import json

import pytest
from casino_agentkit import AgentClient, ProtocolFault, Unreachable
from casino_agentkit.errors import AddressNotAllowed
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.in_process import InProcessTransport
from support.players.odd_agent import SECOND, card
from support.players.sample_agent import SampleAgent


def pages(**replies: Response) -> InProcessTransport:
    """Return a transport to one origin, with these pages by the name of their file."""

    def route(name: str, reply: Response) -> Route:
        async def serve(_request: Request) -> Response:
            return reply

        return Route(f"/{name}.json", serve)

    app = Starlette(routes=[route(name, reply) for name, reply in replies.items()])
    return InProcessTransport({"http://odd": app})


class TestDiscovery:
    """An agent is resolved from the URL of its card or of its base."""

    @pytest.mark.parametrize(
        "url", ["http://odd", "http://odd/", "http://odd/.well-known/agent-card.json"]
    )
    async def test_base_and_card_urls_lead_to_the_agent(self, url: str) -> None:
        """The card is found at a base with or without slash, and at its own URL."""
        client = AgentClient(InProcessTransport({"http://odd": SampleAgent().app()}))
        peer = await client.resolve(url, timeout=SECOND)
        assert peer.name == "SampleAgent"
        assert peer.skills == {"order", "ask"}

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"<html>", "is not JSON"),
            (b"[]", "not an agent card"),
            (b'{"skills": 7}', "skills: must be a list, not 7"),
            (b"{}", "no interface"),
            (b'{"name": "x", "supportedInterfaces": [{"url": "/rpc"}]}', "no interface"),
            (b'{"supportedInterfaces": [{"url": "file:///x"}]}', "no interface"),
        ],
    )
    async def test_what_is_no_card_is_a_protocol_fault(self, content: bytes, message: str) -> None:
        client = AgentClient(pages(card=Response(content)))
        with pytest.raises(ProtocolFault, match=message) as fault:
            await client.resolve("http://odd/card.json", timeout=SECOND)
        assert fault.value.agent == "http://odd/card.json"

    async def test_a_missing_card_is_a_fault_with_the_status(self) -> None:
        client = AgentClient(InProcessTransport({"http://odd": Starlette()}))
        with pytest.raises(ProtocolFault, match="HTTP status 404"):
            await client.resolve("http://odd", timeout=SECOND)

    async def test_one_redirect_within_the_origin_is_followed(self) -> None:
        moved = Response(status_code=308, headers={"location": "/card.json"})
        client = AgentClient(pages(old=moved, card=Response(json.dumps(card()))))
        assert (await client.resolve("http://odd/old.json", timeout=SECOND)).name == "Odd"

    @pytest.mark.parametrize("target", ["http://inside/card.json", "//inside/card.json"])
    async def test_a_redirect_to_another_origin_is_not_followed(self, target: str) -> None:
        transport = pages(card=Response(status_code=307, headers={"location": target}))
        transport.apps["http://inside"] = pages(card=Response(json.dumps(card()))).apps[
            "http://odd"
        ]
        with pytest.raises(AddressNotAllowed, match="redirects to another origin"):
            await AgentClient(transport).resolve("http://odd/card.json", timeout=SECOND)

    async def test_a_second_redirect_is_not_followed(self) -> None:
        """A redirect that leads to itself ends after one step."""
        client = AgentClient(
            pages(card=Response(status_code=302, headers={"location": "/card.json"}))
        )
        with pytest.raises(ProtocolFault, match="redirects more than once"):
            await client.resolve("http://odd/card.json", timeout=SECOND)

    async def test_an_unknown_host_is_unreachable(self) -> None:
        with pytest.raises(Unreachable):
            await AgentClient(InProcessTransport()).resolve("http://nobody", timeout=SECOND)
