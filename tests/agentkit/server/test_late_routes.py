"""Routes that are made at their first request."""

import asyncio

import httpx
import pytest
from casino_agentkit.server.served_agents import LateRoutes
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route


class Maker:
    """Makes routes once it may."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_go_on = asyncio.Event()

    async def routes(self) -> list[BaseRoute]:
        """Return a route of the exact path, and one below the base."""
        self.begun += 1
        await self.may_go_on.wait()
        return [
            Route("/rpc", answer, methods=["POST"]),
            Mount("/rest", routes=[Route("/send", answer)]),
        ]


async def answer(request: Request) -> Response:
    return PlainTextResponse(request.url.path)


def client_of(maker: Maker) -> httpx.AsyncClient:
    """Return a client of an application with late routes and a usual one."""
    late = LateRoutes(("/rpc", "/rpc/"), "/rest", maker.routes)
    app = Starlette(routes=[Route("/healthz", answer), late])
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x")


async def test_requests_wait_while_others_are_answered() -> None:
    """The first and those that come meanwhile; the routes are made once they are needed."""
    maker = Maker()
    async with client_of(maker) as http:
        assert (await http.get("/healthz")).text == "/healthz"
        assert maker.begun == 0
        waiting = [asyncio.create_task(http.post("/rpc")) for _ in range(2)]
        waiting.append(asyncio.create_task(http.get("/rest/send")))
        while not maker.begun:
            await asyncio.sleep(0)
        assert (await http.get("/healthz")).text == "/healthz"
        assert not any(task.done() for task in waiting)
        maker.may_go_on.set()
        replies = await asyncio.gather(*waiting)
        assert [reply.text for reply in replies] == ["/rpc", "/rpc", "/rest/send"]
        begun = maker.begun
        assert (await http.post("/rpc")).status_code == 200
        assert maker.begun == begun


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/rpc", 405),
        ("POST", "/rest/nothing", 404),
        ("GET", "/rest", 307),
        ("GET", "/restful", 404),
        ("GET", "/rpc/x", 404),
    ],
)
async def test_the_rest_is_answered_as_by_usual_routes(method: str, path: str, status: int) -> None:
    maker = Maker()
    maker.may_go_on.set()
    usual = Starlette(routes=await maker.routes())
    async with (
        client_of(maker) as http,
        httpx.AsyncClient(transport=httpx.ASGITransport(usual), base_url="http://x") as other,
    ):
        reply, expected = await http.request(method, path), await other.request(method, path)
        assert reply.status_code == expected.status_code == status
        assert reply.headers == expected.headers
