"""Addresses of rooms and hands in a played casino: page, preview and card."""

import re
from collections.abc import AsyncIterator
from html import unescape
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from casino_lobby.page import FRONT, WEB
from pydantic import SecretStr
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness

ROOM = "<b>\"'&/1"
AT = f"/rooms/{quote(ROOM, safe='')}"
NAMES = ("ada", "<script>alert(1)</script>\"'&")
TAG = re.compile(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">')


async def play(network: CasinoHarness) -> httpx.AsyncClient:
    """Play two hands, and return a client without a key."""
    operator = Operator(network)
    await operator.open(ROOM, maxHands=2, maxSeats=2, rebuy="auto")
    for number, name in enumerate(NAMES):
        card = network.player(f"p{number}", displayName=name)
        body = {"agentCardUrl": card}
        reply = await operator.post(f"/v1/rooms/{quote(ROOM, safe='')}/players", body)
        assert reply.status_code == 201, reply.text
    await operator.idle_room(ROOM)
    return network.http()


@pytest.fixture
async def spectator() -> AsyncIterator[httpx.AsyncClient]:
    """Return a spectator of a casino with two hands; `blog.example` may embed it."""
    async with casino_harness(embed_origins=("https://blog.example",)) as network:
        yield await play(network)


def tags(reply: httpx.Response) -> dict[str, str]:
    """Return the page's meta tags, as a crawler reads them."""
    return {name: unescape(text) for name, text in TAG.findall(reply.text)}


async def test_a_hand_has_a_page_with_a_preview(spectator: httpx.AsyncClient) -> None:
    hand = (await spectator.get(f"/v1{AT}/hands/1")).json()["hand"]
    winner = hand["pots"][0]["winners"][0]
    for path in (f"{AT}/hands/1", f"{AT}/hands/1/0", f"{AT}/hands/1/7?epoch=1"):
        reply = await spectator.get(path)
        assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-cache")
        found = tags(reply)
        assert found["og:title"].startswith(f"{_name(winner['playerId'])} win"), found
        assert found["og:description"].startswith(f"Hand 1 in {ROOM} · pot ")
        assert found["twitter:card"] == "summary_large_image"
        address = f"{LOBBY}{AT}/hands/1"
        assert found["og:url"] == (address if "?" not in path else f"{address}?epoch=1")
        title = re.search(r"<title>([^<]*)</title>", reply.text)
        assert title is not None
        assert unescape(title[1]) == found["og:title"]
        card = await spectator.get(found["og:image"])
        assert (card.status_code, card.headers["content-type"]) == (200, "image/png")
        assert card.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert card.content.startswith(b"\x89PNG")


def _name(player_id: str) -> str:
    return NAMES[int(player_id.removeprefix("player-")) - 1]


async def test_nothing_that_a_third_party_chose_is_markup(spectator: httpx.AsyncClient) -> None:
    own = (WEB / FRONT).read_text().count("<script")
    for path in (AT, f"{AT}/hands/1"):
        text = (await spectator.get(path)).text
        assert text.count("<script") == own
        assert "<b>" not in text
        assert "alert(1)</script>" not in text
        assert len(TAG.findall(text)) >= 11


async def test_a_room_has_a_page_with_a_preview(spectator: httpx.AsyncClient) -> None:
    found = tags(await spectator.get(AT))
    assert found["og:title"].startswith(f"{ROOM}: ")
    assert "2 hands played" in found["og:description"]
    assert all(name in found["og:description"] for name in NAMES)
    card = await spectator.get(found["og:image"])
    assert card.content.startswith(b"\x89PNG")


async def test_a_card_without_its_version_is_asked_for_again(spectator: httpx.AsyncClient) -> None:
    reply = await spectator.get(f"{AT}/hands/1/card.png")
    assert reply.headers["cache-control"] == "public, max-age=60"
    known = {"if-none-match": reply.headers["etag"]}
    again = await spectator.get(f"{AT}/hands/1/card.png?epoch=1", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    other = await spectator.get(f"{AT}/hands/1/card.png?v=0123456789abcdef")
    assert other.headers["cache-control"] == "public, max-age=60"


async def test_an_address_where_nothing_is_gives_the_page(spectator: httpx.AsyncClient) -> None:
    """With its status, no preview of anything else, and links that lead to its files."""
    for path, status in (
        ("/rooms", 200),
        (AT, 200),
        (f"{AT}/", 200),
        ("/rooms/nosuch", 404),
        ("/rooms/nosuch/hands/1", 404),
        (f"{AT}/hands/99", 404),
        (f"{AT}/hands/1?epoch=9", 404),
        (f"{AT}/hands/0", 404),
        (f"{AT}/hands/x", 404),
        (f"{AT}/elsewhere", 404),
        ("/rooms/%ff", 404),
        ("/embed/rooms/nosuch", 404),
        (f"/embed{AT}/hands/2/1", 200),
    ):
        reply = await spectator.get(path)
        assert (reply.status_code, reply.headers["content-type"]) == (
            status,
            "text/html; charset=utf-8",
        )
        assert ("og:image" in reply.text) == (status == 200 and path != "/rooms")
        script = re.search(r'src="([^"]+app\.js)"', reply.text)
        assert script is not None
        file = await spectator.get(str(httpx.URL(f"{LOBBY}{path}").join(script[1])))
        assert file.status_code == 200
        assert file.headers["cache-control"].endswith("immutable")


async def test_listed_origins_alone_may_embed(spectator: httpx.AsyncClient) -> None:
    framed = await spectator.get(f"/embed{AT}")
    policy = framed.headers["content-security-policy"]
    assert "frame-ancestors https://blog.example;" in policy
    plain = (await spectator.get(AT)).headers["content-security-policy"]
    assert "frame-ancestors 'none'" in plain
    assert policy == plain.replace("frame-ancestors 'none'", "frame-ancestors https://blog.example")
    assert "<html data-embed " in framed.text
    assert (await spectator.post(f"/embed{AT}")).status_code == 405


def settings(**values: Any) -> dict[str, Any]:
    """Return the settings of a lobby that only its operator reads."""
    return {"operator_token": SecretStr("open-sesame"), "readers": "operator", **values}


async def test_a_lobby_for_its_operator_shows_nothing_to_others() -> None:
    async with casino_harness(**settings()) as network:
        http = await play(network)
        here, nowhere = await http.get(AT), await http.get("/rooms/nosuch")
        assert (here.status_code, here.text) == (200, nowhere.text)
        assert "og:" not in here.text
        assert (await http.get(f"{AT}/card.png")).status_code == 401
        card = await network.http("open-sesame").get(f"{AT}/hands/1/card.png")
        assert card.headers["cache-control"] == "private, no-store"


async def test_whoever_asks_too_much_gets_the_page_without_a_preview() -> None:
    """Reading for previews is charged as any reading is."""
    async with casino_harness(commands_per_minute=1) as network:
        http = network.http()
        assert (await http.get("/embed/rooms/r1")).status_code == 404
        bodies = [(await http.get("/rooms/nosuch")).status_code for _ in range(60)]
    assert bodies[0] == 404
    assert bodies[-1] == 200


async def test_the_public_url_is_in_every_preview() -> None:
    async with casino_harness(public_url="http://127.0.0.1:4999/casino") as network:
        await Operator(network).open("r1")
        reply = await network.http().get("/rooms/r1")
        found = tags(reply)
    assert found["og:url"] == "http://127.0.0.1:4999/casino/rooms/r1"
    assert found["og:image"].startswith("http://127.0.0.1:4999/casino/rooms/r1/card.png?v=")
    assert 'src="../page/v-' in reply.text
