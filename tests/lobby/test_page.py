"""The page's files: what they weigh, how they are served, and that they need nobody else."""

import re
from posixpath import dirname, normpath

import httpx
import pytest
from casino_agentkit.server.page_files import page_files
from casino_contracts import WaitReason
from casino_lobby.page import FRONT, WEB, page_routes
from starlette.applications import Starlette

MOST_BYTES = 120 * 1024
MOST_BYTES_OF_HOME = 60 * 1024
MOST_BYTES_ON_DEMAND = 28 * 1024
MOST_BYTES_OF_RESULTS = 15 * 1024
MOST_BYTES_OF_A_REPLAY = 7 * 1024
MOST_BYTES_FOR_OPERATORS = 5 * 1024
MOST_BYTES_OF_CHECKS = 9 * 1024
FILES = sorted(path for path in WEB.rglob("*") if path.is_file())
NAMES = [path.relative_to(WEB).as_posix() for path in FILES]
SERVED = page_files(WEB).files
COMMENT = re.compile(rb"\s*(/?\*|//)")
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
    return sum(len(SERVED[name].compressed) for name in names)


def sheets(kind: str) -> set[str]:
    """Return the style sheets that the first file names as a kind."""
    return set(re.findall(rf'<link rel="{kind}" href="page/(.+?\.css)">', text(FRONT)))


def test_the_page_has_the_words_of_a_lobby_that_is_away() -> None:
    """It cannot ask for them then."""
    away = WaitReason.LOBBY_AWAY
    words = [f'"{word}"' for word in (away.value, away.what, away.fix)]
    assert all(word in text("room_facts.js") for word in words)


def test_the_page_is_light() -> None:
    start = loaded_from("app.js") | {FRONT, "early.js", "icon.svg"} | sheets("stylesheet")
    home = start | loaded_from("lobby.js")
    base = home | loaded_from("room.js") | sheets("later")
    assert weight(home) <= MOST_BYTES_OF_HOME
    assert weight(base) <= MOST_BYTES
    of_results = loaded_from("matches/view.js") | {"matches/matches.css"}
    on_demand = {"me.css", "play/play.css"}
    on_demand |= loaded_from("play/room_seat.js") | loaded_from("me.js")
    of_replay = loaded_from("replay.js") - base
    for_operators = loaded_from("create.js") | loaded_from("table_agents.js")
    of_checks = loaded_from("fair/hand_checks.js") | loaded_from("fair/explanation.js")
    by_themselves = {"play/room_seat.js", "me.js", "matches/view.js", "create.js", "replay.js"}
    by_themselves |= {"fair/hand_checks.js", "fair/explanation.js"}
    assert by_themselves.isdisjoint(base)
    assert "room.js" not in home
    assert weight(on_demand - base) <= MOST_BYTES_ON_DEMAND
    assert weight(of_results - of_replay - base) <= MOST_BYTES_OF_RESULTS
    assert weight(of_replay) <= MOST_BYTES_OF_A_REPLAY
    assert weight(for_operators - base) <= MOST_BYTES_FOR_OPERATORS
    assert weight(of_checks - base) <= MOST_BYTES_OF_CHECKS
    types = {"types.js", "matches/match_types.js"}
    every = base | on_demand | of_results | of_replay | for_operators | of_checks | types
    assert every == set(NAMES)


@pytest.mark.parametrize(
    ("address", "view", "other"),
    [("/", "lobby.js", "room.js"), ("/rooms/main", "room.js", "lobby.js")],
)
async def test_a_view_is_loaded_in_one_go(
    browser: httpx.AsyncClient, address: str, view: str, other: str
) -> None:
    """The first file names each module that the view needs, and no style sheet of another view."""
    page = (await browser.get(address)).text
    named = re.findall(r'rel="modulepreload" href="(?:\.\./)*page/v-[0-9a-f]+/(.+?)"', page)
    assert len(named) == len(set(named))
    assert {*named, "app.js"} == loaded_from("app.js") | loaded_from(view)
    assert other not in named
    assert ('rel="later"' in page) == (view == "lobby.js")


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
        content = re.sub(rb' *<link rel="modulepreload".*\n', b"", content)
        lines, written = content.split(b"\n"), path.read_bytes().split(b"\n")
        assert len(lines) == len(written), "a fault in a browser names the line of the file"
        left_out = [old for new, old in zip(lines, written, strict=True) if new != old]
        assert b"".join(line for line in lines if line.strip()), name
        assert all(map(COMMENT.match, left_out)), name
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
