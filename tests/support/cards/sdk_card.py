"""The card of an agent as the SDK's types give it: the reference for cards written without it."""

from collections.abc import Mapping
from typing import Any

from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentExtension,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from casino_agentkit import Agent
from casino_agentkit.agent import Security
from casino_agentkit.authority import Scheme
from casino_agentkit.json_numbers import whole_numbers
from casino_agentkit.protocol import EXTENSION, JSON, REST_PATH, RPC_PATH
from google.protobuf.json_format import ParseDict


def sdk_card(agent: Agent, base_url: str, *, a2a_03: bool) -> AgentCard:
    rules = [agent.tasks_who, *(entrypoint.who for entrypoint in agent.entrypoints.values())]
    schemes = {rule.scheme for rule in rules if rule.scheme is not None}
    declared = agent.security or Security({})
    interfaces = [(RPC_PATH, "JSONRPC", "1.0"), (REST_PATH, "HTTP+JSON", "1.0")]
    if a2a_03:
        interfaces.append((RPC_PATH, "JSONRPC", "0.3"))
    return AgentCard(
        name=agent.name,
        description=agent.description,
        version=agent.version,
        supported_interfaces=[
            AgentInterface(url=base_url + path, protocol_binding=binding, protocol_version=version)
            for path, binding, version in interfaces
        ],
        capabilities=AgentCapabilities(
            streaming=agent.streaming,
            push_notifications=agent.push is not None,
            extended_agent_card=agent.extended_card is not None,
            extensions=_extensions(agent, agent.about()),
        ),
        security_schemes={
            **{scheme.name: _bearer_scheme(scheme) for scheme in schemes},
            **declared.schemes,
        },
        security_requirements=declared.requirements,
        default_input_modes=agent.input_modes,
        default_output_modes=agent.output_modes,
        skills=_skills(agent),
    )


def sdk_content(agent: Agent, base_url: str, *, a2a_03: bool) -> dict[str, Any]:
    """Return the card's JSON, with the fields of A2A 0.3 that the SDK adds."""
    card = sdk_card(agent, base_url, a2a_03=a2a_03)
    content: dict[str, Any] = whole_numbers(agent_card_to_dict(card))
    return content


def _extensions(agent: Agent, about: Mapping[str, Any]) -> list[AgentExtension]:
    required = []
    for extension in agent.required_extensions:
        required.append(AgentExtension())
        required[-1].CopyFrom(extension)
        required[-1].required = True
    if not (agent.entrypoints or about):
        return required
    typed = AgentExtension(
        uri=EXTENSION,
        description="Every skill is an entrypoint with an input and an output schema.",
        required=False,
    )
    schemas = [dict(entrypoint.schemas()) for entrypoint in agent.entrypoints.values()]
    ParseDict({"entrypoints": schemas, **about}, typed.params)
    return [typed, *required]


def _skills(agent: Agent) -> list[AgentSkill]:
    skills = [
        AgentSkill(
            id=entrypoint.skill,
            name=entrypoint.skill,
            description=entrypoint.description,
            tags=list(agent.tags) or [entrypoint.skill],
            input_modes=[JSON],
            output_modes=[JSON],
            security_requirements=_requirements(entrypoint.who.scheme),
        )
        for entrypoint in agent.entrypoints.values()
    ]
    if skills or agent.skills:
        return [*skills, *agent.skills]
    return [
        AgentSkill(
            id="chat",
            name=agent.name,
            description=agent.description,
            tags=list(agent.tags) or ["chat"],
            security_requirements=_requirements(agent.tasks_who.scheme),
        )
    ]


def _bearer_scheme(scheme: Scheme) -> SecurityScheme:
    return SecurityScheme(
        http_auth_security_scheme=HTTPAuthSecurityScheme(
            scheme="Bearer", description=f"Needs {scheme.description}."
        )
    )


def _requirements(scheme: Scheme | None) -> list[SecurityRequirement]:
    if scheme is None:
        return []
    return [SecurityRequirement(schemes={scheme.name: StringList()})]
