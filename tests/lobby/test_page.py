"""The page's files: what they weigh, how they are served, and that they need nobody else."""

import gzip
import re
from posixpath import dirname, normpath

import httpx
import pytest
from casino_lobby.page import FRONT, WEB, page_routes
from starlette.applications import Starlette

MOST_BYTES = 121 * 1024
MOST_BYTES_ON_DEMAND = 31 * 1024
MOST_BYTES_OF_RESULTS = 17 * 1024
MOST_BYTES_OF_A_REPLAY = 7 * 1024
MOST_BYTES_TO_OPEN_A_ROOM = 3 * 1024
FILES = sorted(path for path in WEB.rglob("*") if path.is_file())
NAMES = [path.relative_to(WEB).as_posix() for path in FILES]
IMPORT = re.compile(r'^import (?:[^;]+? from )?"(.+?)"', re.MULTILINE)


@pytest.fixture
def browser() -> httpx.AsyncClient:
    transport = httpx.ASGITransport(Starlette(routes=page_routes()))
    return httpx.AsyncClient(transport=transport, base_url="http://lobby")


def text(name: str) -> str:
    return (WEB / name).read_text()


def loaded_from(name: str) -> set[str]:
    """Return the modules that a browser loads with one, those imported on demand left out."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        folder = dirname(module) or "."
        waiting += [normpath(f"{folder}/{other}") for other in IMPORT.findall(text(module))]
    return found


def weight(names: set[str]) -> int:
    """Return the bytes of files as a browser gets them, compressed."""
    return sum(len(gzip.compress((WEB / name).read_bytes())) for name in names)


def test_the_page_is_light() -> None:
    modules = loaded_from("app.js")
    of_results = loaded_from("matches/view.js") | {"matches/matches.css"}
    styles = {"me.css", "play/play.css"}
    on_demand = loaded_from("play/room_seat.js") | loaded_from("me.js") | styles
    of_replay = loaded_from("replay.js") - modules
    others = {name for name in NAMES if not name.endswith(".js")} - of_results - styles
    assert weight(modules | others) <= MOST_BYTES
    to_open = loaded_from("create.js")
    assert {"play/room_seat.js", "me.js", "matches/view.js", "create.js"}.isdisjoint(modules)
    assert weight(on_demand - modules) <= MOST_BYTES_ON_DEMAND
    assert weight(of_results - of_replay - modules) <= MOST_BYTES_OF_RESULTS
    assert weight(of_replay) <= MOST_BYTES_OF_A_REPLAY
    assert weight(to_open - modules) <= MOST_BYTES_TO_OPEN_A_ROOM
    by_itself = {"types.js", "early.js", "matches/match_types.js"}
    every = modules | on_demand | of_results | of_replay | to_open | by_itself
    assert every >= {name for name in NAMES if name.endswith(".js")}


async def test_every_file_is_served_with_its_type_and_policy(browser: httpx.AsyncClient) -> None:
    kinds = {
        ".html": "text/html",
        ".css": "text/css",
        ".js": "text/javascript",
        ".svg": "image/svg",
    }
    for path, name in zip(FILES, NAMES, strict=True):
        address = "/" if name == FRONT else f"/page/{name}"
        reply = await browser.get(address)
        assert reply.status_code == 200
        content = re.sub(rb'"page/v-[0-9a-f]{16}/', b'"page/', reply.content)
        assert content == path.read_bytes()
        assert reply.headers["content-type"].startswith(kinds[path.suffix])
        assert reply.headers["x-content-type-options"] == "nosniff"
        policy = reply.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
    for nowhere in ("/page/", "/page/index.html", "/page/../app.py", "/page/none.js"):
        assert (await browser.get(nowhere)).status_code == 404


async def test_the_policy_allows_the_gateway_alone() -> None:
    for url, sources in [
        ("http://127.0.0.1:4050", "http://127.0.0.1:4050 ws://127.0.0.1:4050"),
        ("https://casino.example/play", "https://casino.example wss://casino.example"),
    ]:
        transport = httpx.ASGITransport(Starlette(routes=page_routes(url)))
        async with httpx.AsyncClient(transport=transport, base_url="http://lobby") as browser:
            reply = await browser.get("/")
        policy = reply.headers["content-security-policy"].split("; ")
        assert f"connect-src 'self' {sources}" in policy
    alone = httpx.ASGITransport(Starlette(routes=page_routes()))
    async with httpx.AsyncClient(transport=alone, base_url="http://lobby") as browser:
        other = await browser.get("/", headers={"if-none-match": reply.headers["etag"]})
    assert other.status_code == 200, "a cached file with another policy is not kept"
    assert "connect-src" not in other.headers["content-security-policy"]


async def test_a_browser_that_has_it_gets_not_modified(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/")
    tag = reply.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = await browser.get("/", headers={"if-none-match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    assert (await browser.get("/", headers={"if-none-match": '"old"'})).status_code == 200
    assert (await browser.head("/")).content == b""
