"""Build agent cards.

A2A has no schemas per skill, so they are in the params of the typed-entrypoint extension.
"""

from collections.abc import Mapping
from typing import Any, Final

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
from google.protobuf.json_format import ParseDict

from casino_agentkit.agent import Agent, Security
from casino_agentkit.authority import Scheme
from casino_agentkit.protocol import (
    EXTENSION,
    JSON,
    OLDER_VERSION,
    REST_PATH,
    RPC_PATH,
    VERSION,
)

_INTERFACES: Final = (
    (RPC_PATH, "JSONRPC", VERSION),
    (REST_PATH, "HTTP+JSON", VERSION),
    (RPC_PATH, "JSONRPC", OLDER_VERSION),
)


def make_card(
    agent: Agent,
    base_url: str,
    about: Mapping[str, Any] | None = None,
    *,
    a2a_03: bool = True,
) -> AgentCard:
    """Return the card of an agent at `base_url` (without a trailing slash).

    `about` is added to the params of the typed-entrypoint extension. With `a2a_03`, the card names
    the interface for clients of A2A 0.3, last.
    """
    schemes = {
        rule.scheme
        for rule in (
            agent.tasks_who,
            *(entrypoint.who for entrypoint in agent.entrypoints.values()),
        )
    } - {None}
    declared = agent.security or Security({})
    return AgentCard(
        name=agent.name,
        description=agent.description,
        version=agent.version,
        supported_interfaces=[
            AgentInterface(url=base_url + path, protocol_binding=binding, protocol_version=version)
            for path, binding, version in (_INTERFACES if a2a_03 else _INTERFACES[:-1])
        ],
        capabilities=AgentCapabilities(
            streaming=agent.streaming,
            push_notifications=agent.push is not None,
            extended_agent_card=agent.extended_card is not None,
            extensions=_extensions(agent, about or {}),
        ),
        security_schemes={
            **{scheme.name: _bearer_scheme(scheme) for scheme in schemes if scheme},
            **declared.schemes,
        },
        security_requirements=declared.requirements,
        default_input_modes=agent.input_modes,
        default_output_modes=agent.output_modes,
        skills=_skills(agent),
    )


def _extensions(agent: Agent, about: Mapping[str, Any]) -> list[AgentExtension]:
    """Return the extensions on a card; that of typed entrypoints only if it says anything."""
    if not (agent.entrypoints or about):
        return [*map(_required, agent.required_extensions)]
    typed = AgentExtension(
        uri=EXTENSION,
        description="Every skill is an entrypoint with an input and an output schema.",
        required=False,  # so that any A2A client may send messages, if only to get an explanation
    )
    schemas = [dict(entrypoint.schemas()) for entrypoint in agent.entrypoints.values()]
    ParseDict({"entrypoints": schemas, **about}, typed.params)
    return [typed, *map(_required, agent.required_extensions)]


def _required(extension: AgentExtension) -> AgentExtension:
    required = AgentExtension()
    required.CopyFrom(extension)
    required.required = True
    return required


def _skills(agent: Agent) -> list[AgentSkill]:
    """Return the skills on a card, which A2A requires: those declared, otherwise the executor."""
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
    """Return a card's declaration of a scheme: a bearer token in the Authorization header."""
    return SecurityScheme(
        http_auth_security_scheme=HTTPAuthSecurityScheme(
            scheme="Bearer", description=f"Needs {scheme.description}."
        )
    )


def _requirements(scheme: Scheme | None) -> list[SecurityRequirement]:
    if scheme is None:
        return []
    return [SecurityRequirement(schemes={scheme.name: StringList()})]
