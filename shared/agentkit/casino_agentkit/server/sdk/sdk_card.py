"""Agent cards in the SDK's types, with what an agent declares in those."""

from collections.abc import Mapping
from typing import Any

from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import AgentCard
from google.protobuf.json_format import ParseDict

from casino_agentkit.accepted_json import whole_numbers
from casino_agentkit.agent import Agent
from casino_agentkit.server.card_page import card_content


def make_card(
    agent: Agent, base_url: str, about: Mapping[str, Any] | None = None, *, a2a_03: bool = True
) -> AgentCard:
    """Return the card of an agent; the arguments are those of `card_content`."""
    card = AgentCard()
    ParseDict(card_content(agent, base_url, about, a2a_03=a2a_03), card)
    for extension in agent.required_extensions:
        added = card.capabilities.extensions.add()
        added.CopyFrom(extension)
        added.required = True
    card.skills.extend(agent.skills)
    if agent.security is not None:
        for name, scheme in agent.security.schemes.items():
            card.security_schemes[name].CopyFrom(scheme)
        card.security_requirements.extend(agent.security.requirements)
    return card


def served_card(
    agent: Agent, base_url: str, about: Mapping[str, Any], *, a2a_03: bool
) -> dict[str, Any]:
    """Return the content of the card as it is served: with `a2a_03`, also the fields of A2A 0.3."""
    card = make_card(agent, base_url, about, a2a_03=a2a_03)
    content: dict[str, Any] = whole_numbers(agent_card_to_dict(card))
    return content
