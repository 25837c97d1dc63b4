"""Which cards are of agents that offer only the invoke profile."""

from typing import Any

import pytest
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.agent_card import invoke_url
from casino_agentkit.client.card_discovery import read_card
from support.players.odd_agent import card as card_of_a2a

SKILLS = [{"id": "order"}]
LUCID: dict[str, Any] = {
    "protocolVersion": "1.0",
    "name": "tiny-player",
    "description": "...",
    "url": "http://127.0.0.1:4201/",
    "supportedInterfaces": [{"url": "http://127.0.0.1:4201/", "protocolBinding": "HTTP+JSON"}],
    "version": "0.1.0",
    "capabilities": {"streaming": True, "pushNotifications": False, "stateTransitionHistory": True},
    "defaultInputModes": ["application/json"],
    "defaultOutputModes": ["application/json", "text/plain"],
    "skills": [
        {
            "id": "order",
            "name": "order",
            "inputModes": ["application/json"],
            "outputModes": ["application/json", "text/plain"],
            "streaming": False,
            "x_input_schema": {"type": "object"},
            "x_output_schema": {},
        }
    ],
    "supportsAuthenticatedExtendedCard": False,
    "entrypoints": {"order": {"streaming": False, "input_schema": {}, "output_schema": {}}},
}
"""A card in the form of the original's framework."""
MINIMAL = {"name": "py", "url": "http://bot:4301/", "skills": SKILLS}


class TestCards:
    @pytest.mark.parametrize(
        ("card", "url"),
        [
            (MINIMAL, "http://bot:4301/entrypoints/"),
            ({**MINIMAL, "url": "http://bot/a/b?x=1#y"}, "http://bot/a/b/entrypoints/?x=1"),
            (LUCID, "http://127.0.0.1:4201/entrypoints/"),
            ({**LUCID, "supportedInterfaces": []}, "http://127.0.0.1:4201/entrypoints/"),
        ],
    )
    def test_a_card_of_the_profile_has_its_address(self, card: dict[str, Any], url: str) -> None:
        found = read_card(card, ReplyBounds())
        assert found.invoke_url == url
        assert [skill.id for skill in found.card.skills] == ["order"]

    @pytest.mark.parametrize(
        "card",
        [
            card_of_a2a(),
            card_of_a2a(typed=False),
            {**card_of_a2a(), "entrypoints": {"order": {}}},
            {**LUCID, "preferredTransport": "JSONRPC"},
            {**LUCID, "supportedInterfaces": [{"url": "http://b/", "protocolBinding": "JSONRPC"}]},
            {
                **LUCID,
                "supportedInterfaces": [
                    {"url": "http://b/", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
                ],
            },
            {**MINIMAL, "capabilities": {}},
            {**MINIMAL, "protocolVersion": "0.3.0"},
            {**MINIMAL, "skills": []},
            {**MINIMAL, "skills": [{"name": "order"}]},
            {**MINIMAL, "skills": 7},
            {"name": "py", "skills": SKILLS},
            {**MINIMAL, "url": 7},
            {**MINIMAL, "supportedInterfaces": [7]},
        ],
    )
    def test_a_card_that_may_be_of_a2a_is_read_as_one(self, card: dict[str, Any]) -> None:
        assert invoke_url(card) is None
