"""The content of an agent card of A2A 1.0, as JSON, without the SDK.

A2A has no schemas per skill, so they are in the params of the typed-entrypoint extension. Empty
texts and lists are left out, as protobuf's JSON does.
"""

from collections.abc import Mapping
from typing import Any, Final

from casino_agentkit.agent import Agent
from casino_agentkit.authority import Scheme
from casino_agentkit.json_numbers import carried
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


def card_content(
    agent: Agent,
    base_url: str,
    about: Mapping[str, Any] | None = None,
    *,
    a2a_03: bool = True,
) -> dict[str, Any]:
    """Return the card of an agent at `base_url` (without a trailing slash), as of A2A 1.0.

    `about` is added to the params of the typed-entrypoint extension. With `a2a_03`, the card names
    the interface for clients of A2A 0.3, last. What an agent declares in the SDK's types (security,
    skills, required extensions) is left out: `casino_agentkit.server.sdk.card` adds it.
    Raises ValueError or TypeError if `about` is no JSON.
    """
    return _filled(
        {
            "name": agent.name,
            "description": agent.description,
            "supportedInterfaces": [
                {"url": base_url + path, "protocolBinding": binding, "protocolVersion": version}
                for path, binding, version in (_INTERFACES if a2a_03 else _INTERFACES[:-1])
            ],
            "version": agent.version,
            "capabilities": {
                "streaming": agent.streaming,
                "pushNotifications": agent.push is not None,
                **_filled({"extensions": _extensions(agent, about or {})}),
                "extendedAgentCard": agent.extended_card is not None,
            },
            "securitySchemes": _schemes(agent),
            "defaultInputModes": list(agent.input_modes),
            "defaultOutputModes": list(agent.output_modes),
            "skills": _skills(agent),
        }
    )


def _filled(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not empty."""
    return {name: value for name, value in fields.items() if value not in ("", [], {})}


def _extensions(agent: Agent, about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the extension of typed entrypoints, if it says anything."""
    if not (agent.entrypoints or about):
        return []
    schemas = [dict(entrypoint.schemas()) for entrypoint in agent.entrypoints.values()]
    # It is not required, so that any A2A client may send messages, if only to get an explanation.
    return [
        {
            "uri": EXTENSION,
            "description": "Every skill is an entrypoint with an input and an output schema.",
            "params": carried({"entrypoints": schemas, **about}),
        }
    ]


def _schemes(agent: Agent) -> dict[str, Any]:
    """Return the declarations of the rules' schemes: bearer tokens in the Authorization header."""
    rules = (agent.tasks_who, *(entrypoint.who for entrypoint in agent.entrypoints.values()))
    return {
        scheme.name: {
            "httpAuthSecurityScheme": {
                "description": f"Needs {scheme.description}.",
                "scheme": "Bearer",
            }
        }
        for rule in rules
        if (scheme := rule.scheme) is not None
    }


def _skills(agent: Agent) -> list[dict[str, Any]]:
    """Return the skills, which A2A requires: the entrypoints, otherwise the executor."""
    skills = [
        _filled(
            {
                "id": entrypoint.skill,
                "name": entrypoint.skill,
                "description": entrypoint.description,
                "tags": list(agent.tags) or [entrypoint.skill],
                "inputModes": [JSON],
                "outputModes": [JSON],
                "securityRequirements": _requirements(entrypoint.who.scheme),
            }
        )
        for entrypoint in agent.entrypoints.values()
    ]
    if skills or agent.skills:
        return skills
    return [
        _filled(
            {
                "id": "chat",
                "name": agent.name,
                "description": agent.description,
                "tags": list(agent.tags) or ["chat"],
                "securityRequirements": _requirements(agent.tasks_who.scheme),
            }
        )
    ]


def _requirements(scheme: Scheme | None) -> list[dict[str, Any]]:
    return [] if scheme is None else [{"schemes": {scheme.name: {}}}]
