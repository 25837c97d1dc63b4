"""The card of an agent that is invoked: its manifest, for original callers beside those of A2A."""

from typing import Any

import httpx
import pytest
from a2a.types import AgentExtension
from casino_agentkit import ANYONE, Agent, Service
from casino_agentkit.protocol import CARD_PATH, OLDER_CARD_PATH
from jsonschema import Draft202012Validator
from support.players.sample_agent import Question, Reply, SampleAgent, Waiter


async def card_of(agent: Agent, path: str = CARD_PATH, **settings: Any) -> dict[str, Any]:
    app = Service({"": agent}, **settings).asgi()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
        card: dict[str, Any] = (await http.get(f"http://sample:4100{path}")).json()
        return card


def newer_address(card: dict[str, Any], skill: str) -> str:
    """Return where a newer original client (5.0) invokes a skill, by its rule for cards."""
    assert skill in {each["id"] for each in card["skills"]}
    urls = [
        interface["url"]
        for interface in card["supportedInterfaces"]
        if "HTTP" in interface["protocolBinding"]
    ]
    return f"{[*urls, card.get('url')][0].rstrip('/')}/entrypoints/{skill}/invoke"


def older_address(card: dict[str, Any], skill: str) -> str:
    """Return where an older original client (1.9.1) invokes it: at the root of the origin."""
    return str(httpx.URL(card["url"]).join(f"/entrypoints/{skill}/invoke"))


class TestManifest:
    """The members of the card that only the profile has."""

    @pytest.mark.parametrize("path", [CARD_PATH, OLDER_CARD_PATH])
    async def test_every_entrypoint_has_its_schemas(self, path: str) -> None:
        """At both well-known addresses; they are those of the extension."""
        card = await card_of(SampleAgent().agent, path)
        (extension,) = card["capabilities"]["extensions"]
        for typed in extension["params"]["entrypoints"]:
            entry = card["entrypoints"][typed["skill"]]
            assert entry["streaming"] is False
            assert entry["input_schema"] == typed["input"]
            assert entry["output_schema"] == typed["output"]
            Draft202012Validator.check_schema(entry["input_schema"])
        assert [*card["entrypoints"]] == [skill["id"] for skill in card["skills"]]
        assert card["entrypoints"]["order"]["description"] == "Cook a dish."

    async def test_callers_of_both_generations_reach_the_agent(self) -> None:
        """By their own rules, the one's `url` and the other's first HTTP interface."""
        service = Service({"": SampleAgent().agent})
        transport = httpx.ASGITransport(service.asgi())
        async with httpx.AsyncClient(transport=transport) as http:
            card = (await http.get(f"http://sample:4100{CARD_PATH}")).json()
            for address in (newer_address(card, "ask"), older_address(card, "ask")):
                reply = await http.post(address, json={"input": {"topic": "chips"}})
                assert reply.json()["output"] == {"text": "about chips"}

    async def test_a_card_of_a2a_1_0_alone_has_none(self) -> None:
        """It has no field that A2A does not know; newer callers need none of them."""
        card = await card_of(SampleAgent().agent, a2a_03=False)
        assert not {"entrypoints", "url"} & card.keys()
        assert newer_address(card, "order").endswith("/a2a/rest/entrypoints/order/invoke")

    async def test_an_agent_without_entrypoints_has_none(self) -> None:
        agent = Agent("Waiter", "Serves.", executor=Waiter())
        assert "entrypoints" not in await card_of(agent)
        app = Service({"": agent}).asgi()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
            assert (await http.get("http://sample/entrypoints")).status_code == 404

    async def test_an_agent_that_requires_an_extension_has_none(self) -> None:
        agent = Agent(
            "Strict", "Requires.", required_extensions=[AgentExtension(uri="https://x/y")]
        )

        @agent.entrypoint("ask", who=ANYONE)
        async def ask(question: Question) -> Reply:
            return Reply(text=question.topic)

        assert "entrypoints" not in await card_of(agent)
        app = Service({"": agent}).asgi()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
            reply = await http.post("http://sample/entrypoints/ask/invoke", json={"topic": "x"})
            assert reply.status_code == 404
