"""A process of many agents, each at a base path of its own."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from casino_agentkit import Agent, Service
from casino_agentkit.protocol import CARD_PATH, OLDER_CARD_PATH, REST_PATH, RPC_PATH
from support.memory import kept_bytes
from support.players.sample_agent import SampleAgent
from support.request_shapes import PLAIN, SHAPES, VERSION, post

MANY = 200


@asynccontextmanager
async def client_of(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(service.asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield http


def named(*paths: str) -> Service:
    """Return a service with an agent at each path, named by it."""
    return Service({path: Agent(path or "root", "Has a card only.") for path in paths})


class TestAnswers:
    """An agent at a base path answers like one at the root."""

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_every_request_is_answered_as_at_the_root(self, shape: str) -> None:
        """On the fast path and by the SDK, with a slash and without."""
        below = Service({"/tables/7": SampleAgent().agent}).asgi()
        root = Service({"": SampleAgent().agent}).asgi()
        for path in (RPC_PATH, RPC_PATH + "/", REST_PATH + "/message:send", "/nothing"):
            expected = await post(root, SHAPES[shape], VERSION, path)
            reply = await post(below, SHAPES[shape], VERSION, "/tables/7" + path)
            assert reply.status_code == expected.status_code
            assert reply.headers["content-type"] == expected.headers["content-type"]

    async def test_each_has_its_own_card(self) -> None:
        """Also where one base path begins with that of another agent, and beside the root."""
        paths = ("", "/tables/1", "/tables/10", "/tables/1/inner")
        async with client_of(named(*paths)) as http:
            for path in paths:
                for card in (CARD_PATH, OLDER_CARD_PATH):
                    reply = await http.get(path + card)
                    assert reply.json()["name"] == (path or "root")

    async def test_a_card_is_only_read(self) -> None:
        """POST is refused as at the root."""
        async with client_of(named("/tables/1")) as http:
            assert (await http.post("/tables/1" + CARD_PATH)).status_code == 405

    @pytest.mark.parametrize(
        "path", ["/", "/tables", "/tables/", "/tables/3", "/tables/11" + CARD_PATH, "/tables//1"]
    )
    async def test_other_paths_are_not_found(self, path: str) -> None:
        """Neither agents that are not there."""
        async with client_of(named("/tables/1", "/tables/2")) as http:
            assert (await http.get(path)).status_code == 404


class TestMany:
    """A process of many agents costs little until they are called."""

    def test_an_idle_agent_costs_little(self) -> None:
        """Less than 16 KiB: its request handler and the routes of its interfaces are 200."""
        SampleAgent()  # its models' adapters are shared
        kept: list[Any] = []

        def serve() -> None:
            service = Service({f"/tables/{n}": SampleAgent().agent for n in range(MANY)})
            kept.append(service.asgi())

        assert kept_bytes(kept, serve) < 16_384 * MANY

    async def test_a_slow_call_makes_the_routes_of_its_agent(self) -> None:
        """And of no other; a plain typed call needs none."""
        service = Service({f"/tables/{n}": SampleAgent().agent for n in range(3)})
        app = service.asgi()
        plain = json.dumps(PLAIN).encode()
        assert (await post(app, plain, VERSION, "/tables/2" + RPC_PATH)).status_code == 200
        await post(app, plain, VERSION, "/tables/1" + REST_PATH + "/message:send")
        made = [path for path, served in service.served.items() if "handler" in vars(served)]
        assert made == ["/tables/1"]
