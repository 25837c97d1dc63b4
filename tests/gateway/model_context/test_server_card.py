"""The Server Card of MCP says what a client finds once it is connected."""

import json
import re
from importlib.metadata import version
from unittest.mock import Mock

import pytest
from casino_gateway.model_context.mcp_endpoint import server_card
from casino_gateway.model_context.mcp_server import model_server
from casino_gateway.model_context.model_seats import ModelSeats
from mcp import Client
from support.gateway.live_gateway import loop_gateway

NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
"""A name, as the schema of Server Cards allows it."""
LONGEST = 100
"""Characters of title and description."""


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://casino.example/seats", "example.casino/a2a-casino"),
        ("http://127.0.0.1:4050", "127.0.0.1/a2a-casino"),
        ("http://[::1]:4050", "--1/a2a-casino"),
        ("http://casino_gateway:4050", "casino-gateway/a2a-casino"),
    ],
)
def test_its_name_is_that_of_the_host(address: str, name: str) -> None:
    card = json.loads(server_card(address, has_mcp=True))
    assert NAME.fullmatch(card["name"])
    assert card["name"] == name
    assert card["remotes"][0]["url"] == f"{address}/mcp"
    assert 0 < len(card["description"]) <= LONGEST


async def test_it_agrees_with_the_server() -> None:
    card = json.loads(server_card("http://gateway", has_mcp=True))
    async with Client(
        model_server(ModelSeats(Mock(), Mock(), Mock(), Mock(), lambda: 0.0))
    ) as client:
        server = client.server_info
        assert server
        assert card["name"].endswith(f"/{server.name}")
        assert (card["title"], card["version"]) == (server.title, server.version)
        assert card["version"] == version("a2a-casino")
        assert client.protocol_version in card["remotes"][0]["supportedProtocolVersions"]


async def test_a_gateway_serves_it_beside_its_endpoint_to_pages_of_any_origin() -> None:
    async with loop_gateway() as live:
        reply = await live.http.get("/mcp/server-card")
        assert reply.headers["content-type"] == "application/mcp-server-card+json"
        assert reply.headers["access-control-allow-origin"] == "*"
        assert reply.json()["remotes"][0]["url"] == f"{live.url}/mcp"
        unchanged = {"if-none-match": reply.headers["etag"]}
        assert (await live.http.get("/mcp/server-card", headers=unchanged)).status_code == 304


def test_without_mcp_it_names_no_way_to_connect() -> None:
    """A catalog's link to it is not dead, and nothing is promised."""
    card = json.loads(server_card("http://gateway", has_mcp=False))
    assert card["name"] == "gateway/a2a-casino"
    assert "remotes" not in card
