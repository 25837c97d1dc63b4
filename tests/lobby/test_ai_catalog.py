"""What a lobby tells software agents: true addresses of this very casino, and no more."""

import re
from typing import Any

import pytest
from casino_lobby.discovery import CATALOG_PATH, LLMS_PATH, SKILL_PATH
from support.casino.casino_side import LOBBY, CasinoHarness, casino_harness
from support.gateway.live_gateway import loop_gateway

Json = dict[str, Any]
PATHS = (CATALOG_PATH, LLMS_PATH, SKILL_PATH)
GATE = "https://gate.example"
KEY = "an-operator-key-of-32-characters-or-more"
SERVED_AS = {"application/vnd.oai.openapi+json;version=3.1": "application/json"}
"""What is served as it was before catalogs named its type."""
CARD = "application/a2a-agent-card+json"
SERVER_CARD = "application/mcp-server-card+json"


async def catalog(harness: CasinoHarness) -> Json:
    reply = await harness.http().get(CATALOG_PATH)
    assert reply.headers["content-type"] == "application/ai-catalog+json"
    document: Json = reply.json()
    return document


async def test_every_entry_is_well_formed_and_leads_to_what_it_names() -> None:
    """By the rules of AI Catalog 0.9; the MCP server is asked at a gateway."""
    async with loop_gateway() as live, casino_harness(gateway_url=live.url) as harness:
        document = await catalog(harness)
        assert document["specVersion"] == "0.9"
        assert document["host"]["displayName"] == "A2A Casino"
        entries = document["entries"]
        assert len({entry["identifier"] for entry in entries}) == len(entries) == 5
        for entry in entries:
            assert re.fullmatch(r"urn:air:lobby:[a-z-]+:[a-z0-9]+", entry["identifier"])
            assert entry["displayName"]
            assert entry["description"]
            assert ("url" in entry) != ("data" in entry)
            if "data" in entry:
                continue
            is_here = entry["url"].startswith(LOBBY)
            reply = await (harness.http() if is_here else live.http).get(entry["url"])
            assert reply.status_code == 200
            said = reply.headers["content-type"]
            assert said in {entry["type"], SERVED_AS.get(entry["type"]), "application/json"}
            if entry["type"] == CARD:
                assert reply.json()["name"] == entry["displayName"]
            if entry["type"] == SERVER_CARD:
                (remote,) = reply.json()["remotes"]
                assert remote["url"] == f"{live.url}/mcp"
        (a2g,) = (entry["data"] for entry in entries if "data" in entry)
        assert a2g == {
            "protocolVersion": "1.0",
            "rest": f"{live.url}/api",
            "socket": f"{live.url.replace('http', 'ws')}/ws",
        }
        assert (await live.http.post(f"{a2g['rest']}/auth/guest", json={})).status_code == 200


async def test_the_summary_names_the_same_addresses_and_no_dead_ones() -> None:
    """It has the form of llmstxt.org: a title, a quoted summary, lists of links below titles."""
    async with casino_harness(gateway_url=f"{GATE}/seats", launch_tables=False) as harness:
        reply = await harness.http().get(LLMS_PATH)
        assert reply.headers["content-type"] == "text/plain; charset=utf-8"
        assert re.match(r"# A2A Casino\n\n> .+\n\n", reply.text)
        for section in reply.text.split("\n## ")[1:]:
            _, _, listed = section.strip().partition("\n\n")
            for line in listed.splitlines():
                assert re.fullmatch(r"- \[[^]]+\]\(https?://[^)]+\): .+", line)
        links = set(re.findall(r"\]\((.+?)\)", reply.text))
        assert links >= {
            entry["url"] for entry in (await catalog(harness))["entries"] if "url" in entry
        }
        assert f"`{GATE}/seats/mcp`" in reply.text
        for link in links:
            if link.startswith(LOBBY):
                assert (await harness.http().get(link)).status_code == 200, link


async def test_the_skill_names_this_casino() -> None:
    async with casino_harness() as harness:
        skill = (await harness.http().get(SKILL_PATH)).text
        assert f"CASINO_CONSOLE_LOBBY_URL:-{LOBBY}}}" in skill
        assert "127.0.0.1:4000" not in skill


async def test_a_door_that_is_not_there_is_not_named() -> None:
    async with casino_harness() as harness:
        assert len((await catalog(harness))["entries"]) == 3
        assert "MCP" not in (await harness.http().get(LLMS_PATH)).text


async def test_where_only_the_operator_reads_nothing_more_is_told() -> None:
    """Neither the gateway nor rooms; each link is still open to everybody."""
    closed: Json = {"readers": "operator", "operator_token": KEY, "gateway_url": GATE}
    async with casino_harness(**closed, launch_tables=False) as harness:
        document = await catalog(harness)
        summary = (await harness.http().get(LLMS_PATH)).text
        assert GATE not in f"{document}{summary}"
        links = re.findall(r"\]\((.+?)\)", summary)
        links += [entry["url"] for entry in document["entries"]]
        for link in links:
            assert (await harness.http().get(link)).status_code == 200, link


async def test_behind_a_proxy_the_public_address_counts() -> None:
    address = "https://casino.example/poker"
    async with casino_harness(public_url=address, operator_token=KEY) as harness:
        for path in PATHS:
            text = (await harness.http().get(path)).text
            assert address in text
            assert LOBBY not in text
        first, *_ = (await catalog(harness))["entries"]
        assert first["identifier"] == "urn:air:casino.example:lobby:a2a"
        assert first["url"] == f"{address}/.well-known/agent-card.json"


@pytest.mark.parametrize("path", PATHS)
async def test_it_is_cached_and_read_by_pages_of_any_origin(path: str) -> None:
    async with casino_harness() as harness:
        http = harness.http()
        reply = await http.get(path)
        assert reply.headers["cache-control"] == "public, max-age=60"
        assert reply.headers["vary"] == "host"
        again = await http.get(path, headers={"if-none-match": reply.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        head = await http.head(path)
        assert head.headers == reply.headers
        asked = await http.options(path)
        for either in (reply, again, asked):
            assert either.headers["access-control-allow-origin"] == "*"
        assert "If-None-Match" in asked.headers["access-control-allow-headers"]
        assert (await http.post(path, json={})).status_code == 405


async def test_an_address_that_is_none_is_refused() -> None:
    """Nothing of a forged Host header enters a document, or what is kept of it."""
    async with casino_harness() as harness:
        for path in PATHS:
            for host in ("evil.example", 'x"><script>', "lobby/../x", ""):
                reply = await harness.http().get(path, headers={"host": host})
                assert reply.status_code in {400, 421}
            assert "evil" not in (await harness.http().get(path)).text
