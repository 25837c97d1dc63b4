"""Agent cards as pages, with the addresses at which the caller reaches the agent.

The content is written as JSON without the SDK. A2A has no schemas per skill, so they are in the
params of the typed-entrypoint extension. Empty texts and lists are left out, as protobuf's JSON
does. For clients of A2A 0.3 a card has the fields of that version too.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response

from casino_agentkit.accepted_json import carried
from casino_agentkit.agent import Agent
from casino_agentkit.authority import Scheme
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.card_signing import CardSigner
from casino_agentkit.process.late_imports import import_late
from casino_agentkit.protocol import (
    CAPABILITY_PATH,
    EXTENSION,
    JSON,
    OLDER_VERSION,
    REST_PATH,
    RPC_PATH,
    VERSION,
    keyed_skill,
)
from casino_agentkit.server.addressed_document import CACHED, NO_HOST, reached_address
from casino_agentkit.server.invoke_routes import has_invoke, manifest
from casino_agentkit.server.page_files import conditional_response, entity_tag


def with_older_fields(card: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a card with the fields of A2A 0.3 added, in the same objects.

    A card without an interface of 0.3 has none. It is that of `card_content`: the SDK adds
    the same fields (`agent_card_to_dict`), also to cards with other kinds of security schemes.
    """
    older = [
        interface
        for interface in card["supportedInterfaces"]
        if interface["protocolVersion"] == OLDER_VERSION
    ]
    if not older:
        return card
    capabilities = card["capabilities"]
    written = card | {
        "capabilities": _with_required(capabilities),
        "skills": [_older_skill(skill) for skill in card["skills"]],
    }
    if "securitySchemes" in card:
        written["securitySchemes"] = {
            name: scheme | scheme["httpAuthSecurityScheme"] | {"type": "http"}
            for name, scheme in card["securitySchemes"].items()
        }
    is_extended = capabilities["extendedAgentCard"]
    return _with_missing(
        written,
        {
            "description": "",
            "name": "",
            "preferredTransport": older[0]["protocolBinding"],
            "protocolVersion": older[0]["protocolVersion"],
            **({"supportsAuthenticatedExtendedCard": True} if is_extended else {}),
            "url": older[0]["url"],
            "version": "",
        },
    )


def _with_required(capabilities: dict[str, Any]) -> dict[str, Any]:
    if "extensions" not in capabilities:
        return capabilities
    extensions = [extension | {"required": False} for extension in capabilities["extensions"]]
    return capabilities | {"extensions": extensions}


def _older_skill(skill: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {"description": "", "id": "", "name": ""}
    if required := skill.get("securityRequirements"):
        fields["security"] = [{name: [] for name in each["schemes"]} for each in required]
    return _with_missing(skill, fields)


def _with_missing(written: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return written | {name: value for name, value in fields.items() if name not in written}


_INTERFACE_PATHS: Final = (
    (RPC_PATH, "JSONRPC", VERSION),
    (REST_PATH, "HTTP+JSON", VERSION),
    (RPC_PATH, "JSONRPC", OLDER_VERSION),
)


def card_content(
    agent: Agent, base_url: str, about: Mapping[str, Any] | None = None, *, a2a_03: bool = True
) -> dict[str, Any]:
    """Return the card of an agent at `base_url` (without a trailing slash), as of A2A 1.0.

    `about` is added to the params of the typed-entrypoint extension. With `a2a_03`, the card names
    the interface for clients of A2A 0.3, last. What an agent declares in the SDK's types (security,
    skills, required extensions) is left out: `casino_agentkit.server.sdk.sdk_card` adds it.
    Raises ValueError or TypeError if `about` is no JSON.
    """
    return _filled(
        {
            "name": agent.name,
            "description": agent.description,
            "supportedInterfaces": [
                {"url": base_url + path, "protocolBinding": binding, "protocolVersion": version}
                for path, binding, version in (
                    _INTERFACE_PATHS if a2a_03 else _INTERFACE_PATHS[:-1]
                )
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


_MAX_CACHED: Final = 64  # each Host header adds a card
_INTERFACES: Final = "supportedInterfaces"
_SKILLS: Final = "skills"
_OLDER_URL: Final = "url"
"""The address in a card of A2A 0.3, whose fields the SDK adds for an interface of that version."""
_ENTRYPOINTS: Final = "entrypoints"
"""The entrypoints in the form of the invoke profile; clients of A2A ignore them."""
_SDK_CARD: Final = "casino_agentkit.server.sdk.sdk_card"


class CardPage:
    """Serves an agent's card, with the public URL or, without one, the request's Host.

    A `signer` signs the card only for the agent's own addresses.
    """

    def __init__(
        self,
        agent: Agent,
        base_path: str,
        public_url: str | None,
        signer: CardSigner | None = None,
        *,
        a2a_03: bool = True,
        grpc_port: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._agent = agent
        self._base_path = base_path
        self._public_url = public_url or None
        self._signer = signer
        self._a2a_03 = a2a_03
        self._grpc_port = grpc_port
        self._cards = LruDict[str, bytes](_MAX_CACHED)

    async def serve(self, request: Request) -> Response:
        """Respond to GET and HEAD, with 304 if the caller's etag is current."""
        address = reached_address(request, self._public_url)
        if address is None:
            return Response(NO_HOST, status_code=400)
        is_own = self._public_url is not None or self._is_own(request)
        if self._agent.declares_sdk_types:
            await import_late(_SDK_CARD)
        capability = request.scope.get("casino.capability", "")
        if capability:  # not cached: the address is a credential
            return Response(
                self._written(address, capability, self._signer if is_own else None),
                media_type=JSON,
                headers={"cache-control": "no-store", "referrer-policy": "no-referrer"},
            )
        body = self.card(address, is_signed=is_own)
        return conditional_response(
            request, body, entity_tag(body), media_type=JSON, headers=CACHED
        )

    def _is_own(self, request: Request) -> bool:
        host, server = request.headers["host"], request.scope.get("server")
        return self._signer is not None and self._signer.is_own(host, request.url.scheme, server)

    def card(self, address: str, *, is_signed: bool = False) -> bytes:
        signer = self._signer if is_signed else None
        key = address if signer is None else f"signed {address}"
        body = self._cards.get(key)
        if body is None:
            body = self._written(address, "", signer)
            self._cards.put(key, body)
        return body

    def _written(self, address: str, capability: str, signer: CardSigner | None) -> bytes:
        """Return the card's JSON for an origin, signed if there is a signer."""
        content = self._addressed(self._served, address, capability)
        if signer is not None:
            current = self._current and self._addressed(self._current, address, capability)
            content = signer.signed(content, address, current)
        return orjson.dumps(content)

    @cached_property
    def _served(self) -> dict[str, Any]:
        if self._current is None:
            # Imported lazily: most agents do not need it.
            from casino_agentkit.server.sdk.sdk_card import served_card  # noqa: PLC0415

            card = served_card(self._agent, self._base_path, self._about, a2a_03=self._a2a_03)
        else:
            card = with_older_fields(self._current)
        if self._a2a_03 and has_invoke(self._agent):
            return card | {_ENTRYPOINTS: manifest(self._agent)}
        return card

    @cached_property
    def _current(self) -> dict[str, Any] | None:
        """The card of A2A 1.0, with paths as addresses; None if it needs the SDK's types."""
        if self._agent.declares_sdk_types:
            return None
        return card_content(self._agent, self._base_path, self._about, a2a_03=self._a2a_03)

    @cached_property
    def _about(self) -> Mapping[str, Any]:
        return self._agent.about()

    def _addressed(self, card: dict[str, Any], address: str, capability: str) -> dict[str, Any]:
        base = address + capability
        interfaces = [
            interface | {"url": base + interface["url"]} for interface in card[_INTERFACES]
        ]
        if port := self._grpc_port():
            interfaces.append(grpc_interface(address, port, capability + self._base_path))
        addressed: dict[str, Any] = {_INTERFACES: interfaces}
        if capability and (keyed := self._keyed(card, capability)):
            addressed[_SKILLS] = [*card[_SKILLS], *keyed]
        if _OLDER_URL in card:
            addressed[_OLDER_URL] = base + card[_OLDER_URL]
        return card | addressed

    def _keyed(self, card: dict[str, Any], capability: str) -> list[dict[str, Any]]:
        """Return the skills whose names may carry the token of a capability address."""
        names = {
            skill: keyed_skill(skill, capability.removeprefix(CAPABILITY_PATH))
            for skill, entrypoint in self._agent.entrypoints.items()
            if entrypoint.token_in_name
        }
        return [
            skill | {"id": name, "name": name}
            for skill in card.get(_SKILLS, ())
            if (name := names.get(skill.get("id", "")))
        ]


def grpc_interface(address: str, port: int, tenant: str) -> dict[str, str]:
    """Return the interface of gRPC on the host of an origin.

    The URL is host and port, as clients give it to gRPC. gRPC has no paths, so the path of an agent
    that is not at the root, and a capability, are the tenant.
    """
    host = urlsplit(address).hostname or ""
    url = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    interface = {"url": url, "protocolBinding": "GRPC", "protocolVersion": VERSION}
    return interface | ({"tenant": tenant} if tenant else {})
