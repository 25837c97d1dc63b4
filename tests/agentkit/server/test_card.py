"""The agent card: addresses that can be reached, and what the agent offers."""

from typing import Any

import httpx
import orjson
import pytest
from a2a.client import A2ACardResolver
from a2a.types import AgentCard, AgentInterface
from casino_agentkit import KeyRule, Scheme, Service
from casino_agentkit.protocol import CARD_PATH, EXTENSION
from casino_agentkit.server.card_page import CardPage
from google.protobuf.json_format import ParseDict
from jsonschema import Draft202012Validator
from support.players.sample_agent import SampleAgent

REQUIRED = {
    "name", "description", "version", "capabilities", "skills", "supportedInterfaces",
    "defaultInputModes", "defaultOutputModes",
}  # fmt: skip
OLDER = {"entrypoints", "preferredTransport", "protocolVersion", "url"}
"""What the card has beside A2A 1.0: the fields of 0.3, and of the invoke profile."""


async def get(
    headers: dict[str, str] | None = None,
    *,
    path: str = CARD_PATH,
    public_url: str | None = None,
    base_path: str = "",
) -> httpx.Response:
    app = Service({base_path: SampleAgent().agent}, public_url=public_url).asgi()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
        return await http.get(f"http://sample:4100{path}", headers=headers)


def interfaces(reply: httpx.Response) -> list[str]:
    return [interface["url"] for interface in reply.json()["supportedInterfaces"]]


class TestAddress:
    async def test_the_card_advertises_the_requested_host(self) -> None:
        assert interfaces(await get()) == [
            "http://sample:4100/a2a/jsonrpc",
            "http://sample:4100/a2a/rest",
            "http://sample:4100/a2a/jsonrpc",
        ]

    async def test_a_public_url_wins(self) -> None:
        """It replaces the Host header, as behind a proxy."""
        reply = await get(public_url="https://casino.example/k/")
        assert interfaces(reply)[0] == "https://casino.example/k/a2a/jsonrpc"

    @pytest.mark.parametrize("host", ["0.0.0.0:4100", "[::]:4100", "0.0.0.0"])
    async def test_a_wildcard_address_is_never_advertised(self, host: str) -> None:
        assert interfaces(await get({"host": host}))[0].startswith("http://127.0.0.1")

    @pytest.mark.parametrize("host", ["", "a b", "evil/x", "x@y", "h:1:2", '"'])
    async def test_an_invalid_host_is_refused(self, host: str) -> None:
        assert (await get({"host": host})).status_code == 400

    async def test_each_of_many_hosts_gets_its_own_card(self) -> None:
        """Cards that are no longer cached are made again."""
        app = Service({"": SampleAgent().agent}).asgi()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
            for number in range(200):
                headers = {"host": f"h{number}"}
                reply = await http.get("http://sample" + CARD_PATH, headers=headers)
                assert interfaces(reply)[0] == f"http://h{number}/a2a/jsonrpc"


class TestContent:
    async def test_every_entrypoint_is_a_skill_with_schemas(self) -> None:
        """The extension holds the schemas, with integers as integers."""
        reply = await get()
        card: dict[str, Any] = reply.json()
        assert [skill["id"] for skill in card["skills"]] == ["order", "ask"]
        assert card["skills"][0]["description"] == "Cook a dish."
        (extension,) = card["capabilities"]["extensions"]
        assert extension["uri"] == EXTENSION
        entry = extension["params"]["entrypoints"][0]
        assert entry["skill"] == "order"
        assert entry["input"]["properties"]["plates"]["maximum"] == 2**53 - 1
        for schema in (entry["input"], entry["output"]):
            Draft202012Validator.check_schema(schema)
        assert ".0" not in reply.text.replace("1.0", "").replace("0.1.0", "")

    async def test_the_sdk_reads_the_card(self) -> None:
        app = Service({"": SampleAgent().agent}).asgi()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
            card = await A2ACardResolver(http, "http://sample").get_agent_card()
        assert card.name == "SampleAgent"
        assert not card.capabilities.streaming

    async def test_the_default_card_has_the_structure_of_a2a_1_0(self) -> None:
        """As CARD-STRUCT-001 of the conformance kit asks.

        Every required field is there, and every field of 1.0 has its type; what else stands there,
        readers of 1.0 ignore.
        """
        agent = SampleAgent().agent
        rule: KeyRule = KeyRule(Scheme("key", "the kitchen's key"), lambda _: "sesame")
        agent.entrypoint("keyed", who=rule)(SampleAgent().order)
        page = CardPage(agent, "", None)
        card: dict[str, Any] = orjson.loads(page.card("http://sample"))
        assert card.keys() >= REQUIRED
        assert all(card[field] for field in REQUIRED)
        newer = {key: value for key, value in card.items() if key not in OLDER}
        for skill in newer["skills"]:
            skill.pop("security", None)
        for scheme in newer["securitySchemes"].values():
            for field in ("type", "scheme", "description"):
                del scheme[field]
        ParseDict(newer, AgentCard())  # refuses what 1.0 does not have
        for interface in card["supportedInterfaces"]:
            ParseDict(interface, AgentInterface())
            assert interface.keys() == {"url", "protocolBinding", "protocolVersion"}

    async def test_the_card_has_an_etag(self) -> None:
        """The same tag gets 304; another host has another tag."""
        first = await get()
        again = await get({"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        elsewhere = await get({"if-none-match": first.headers["etag"], "host": "other"})
        assert elsewhere.status_code == 200
        assert "max-age" in first.headers["cache-control"]


class TestHealth:
    async def test_ready_needs_every_check(self) -> None:
        checks = {"journal": True, "lobby": False}
        service = Service({"": SampleAgent().agent}, checks=lambda: checks)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(service.asgi())) as http:
            assert (await http.get("http://k/healthz")).json() == {"status": "ok"}
            reply = await http.get("http://k/readyz")
            assert reply.status_code == 503
            assert reply.json()["checks"]["lobby"] is False
            assert "agent_ready 0.0" in (await http.get("http://k/metrics")).text
            checks["lobby"] = True
            assert (await http.get("http://k/readyz")).status_code == 200
            assert "agent_ready 1.0" in (await http.get("http://k/metrics")).text
            service.is_draining = True
            assert (await http.get("http://k/readyz")).status_code == 503
            assert (await http.get("http://k/healthz")).status_code == 200
