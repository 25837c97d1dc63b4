"""The page's files: how they are served."""

import re

import httpx
import pytest
from casino_agentkit.server.page_files import FRONT, without_comments
from casino_evaluator.evaluation_routes import WEB, page_routes
from starlette.applications import Starlette

FILES = sorted(path for path in WEB.rglob("*") if path.is_file())
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg"}


@pytest.fixture
def browser() -> httpx.AsyncClient:
    transport = httpx.ASGITransport(Starlette(routes=page_routes()))
    return httpx.AsyncClient(transport=transport, base_url="http://evaluator")


async def test_every_file_is_served_with_its_type_and_policy(browser: httpx.AsyncClient) -> None:
    for path in FILES:
        reply = await browser.get("/" if path.name == FRONT else f"/page/{path.name}")
        assert reply.status_code == 200
        content = re.sub(rb'"page/v-[0-9a-f]{16}/', b'"page/', reply.content)
        assert content == without_comments(path.read_bytes(), path.suffix)
        assert reply.headers["content-type"].startswith(TYPES[path.suffix])
        policy = reply.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "trusted-types 'none'" in policy
        assert "unsafe" not in policy
    for nowhere in ("/page/", "/page/index.html", "/page/../routes.py", "/page/none.js"):
        assert (await browser.get(nowhere)).status_code == 404


async def test_the_address_that_official_clients_print_leads_to_the_card(
    browser: httpx.AsyncClient,
) -> None:
    reply = await browser.get("/scorecards/c-1")
    assert (reply.status_code, reply.headers["location"]) == (307, "/#/cards/c-1")
    assert (await browser.get("/scorecards/%2F%2Fevil.example")).status_code == 404
