"""Build and serve agent cards.

A2A has no schemas per skill, so they are in the params of the typed-entrypoint extension.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import orjson
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
from google.protobuf.json_format import ParseDict
from starlette.requests import Request
from starlette.responses import Response

from casino_agentkit.agent import Agent
from casino_agentkit.authority import Scheme
from casino_agentkit.protocol import EXTENSION, JSON, REST_PATH, RPC_PATH, VERSION
from casino_agentkit.signing.card_signing import CardSigner

_MAX_CACHED = 64
_INTERFACES = "supportedInterfaces"
_HOST = re.compile(r"[A-Za-z0-9._-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_WILDCARD_HOST = re.compile(r"^(0\.0\.0\.0|\[::\]|\[0:0:0:0:0:0:0:0\])(?=:|$)")


def make_card(agent: Agent, base_url: str, about: Mapping[str, Any] | None = None) -> AgentCard:
    """Return the card of an agent at `base_url` (without a trailing slash).

    `about` is added to the params of the typed-entrypoint extension.
    """
    extension = AgentExtension(
        uri=EXTENSION,
        description="Every skill is an entrypoint with an input and an output schema.",
        required=False,  # so that any A2A client may send messages, if only to get an explanation
    )
    schemas = [dict(entrypoint.schemas()) for entrypoint in agent.entrypoints.values()]
    schemes = {entrypoint.who.scheme for entrypoint in agent.entrypoints.values()} - {None}
    ParseDict({"entrypoints": schemas, **(about or {})}, extension.params)
    return AgentCard(
        name=agent.name,
        description=agent.description,
        version=agent.version,
        supported_interfaces=[
            AgentInterface(
                url=base_url + RPC_PATH, protocol_binding="JSONRPC", protocol_version=VERSION
            ),
            AgentInterface(
                url=base_url + REST_PATH, protocol_binding="HTTP+JSON", protocol_version=VERSION
            ),
        ],
        capabilities=AgentCapabilities(
            streaming=agent.streaming, push_notifications=False, extensions=[extension]
        ),
        security_schemes={scheme.name: _bearer_scheme(scheme) for scheme in schemes if scheme},
        default_input_modes=[JSON],
        default_output_modes=[JSON],
        skills=[
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
        ],
    )


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


def _whole_numbers(node: Any) -> Any:
    """Restore integers: params is a protobuf Struct, whose numbers are doubles."""
    if isinstance(node, float) and node.is_integer():
        return int(node)
    if isinstance(node, dict):
        return {key: _whole_numbers(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_whole_numbers(value) for value in node]
    return node


class CardPage:
    """Serves an agent's card, with the public URL or, without one, the request's Host.

    0.0.0.0 and [::] are never advertised, because they cannot be called. A `signer` signs the card
    only for the agent's own addresses.
    """

    def __init__(
        self,
        agent: Agent,
        base_path: str,
        public_url: str | None,
        signer: CardSigner | None = None,
    ) -> None:
        self._agent = agent
        self._base_path = base_path
        self._public_url = public_url.rstrip("/") if public_url else None
        self._signer = signer
        self._plain: dict[str, Any] | None = None
        self._cards: OrderedDict[str, bytes] = OrderedDict()

    async def serve(self, request: Request) -> Response:
        """Respond to GET and HEAD, with 304 if the caller's etag is current."""
        if self._public_url is None:
            host, scheme = request.headers.get("host", ""), request.url.scheme
            if not _HOST.fullmatch(host):
                return Response("the Host header is not a valid host", status_code=400)
            address = f"{scheme}://{_WILDCARD_HOST.sub('127.0.0.1', host)}"
            server = request.scope.get("server")
            is_own = self._signer is not None and self._signer.is_own(host, scheme, server)
        else:
            address, is_own = self._public_url, True
        capability = request.scope.get("casino.capability", "")
        if capability:  # not cached: the address is a credential
            content = self._content(address + capability)
            if self._signer is not None and is_own:
                content = self._signer.signed(content, address)
            return Response(
                orjson.dumps(content),
                media_type=JSON,
                headers={"cache-control": "no-store", "referrer-policy": "no-referrer"},
            )
        body = self.card(address, is_signed=is_own)
        etag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
        headers = {"etag": etag, "cache-control": "public, max-age=60", "vary": "host"}
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(body, media_type=JSON, headers=headers)

    def card(self, address: str, *, is_signed: bool = False) -> bytes:
        """Return the card's JSON for an origin of the process."""
        signer = self._signer if is_signed else None
        key = address if signer is None else f"signed {address}"
        body = self._cards.get(key)
        if body is None:
            content = self._content(address)
            if signer is not None:
                content = signer.signed(content, address)
            body = self._cards[key] = orjson.dumps(content)
            if len(self._cards) > _MAX_CACHED:  # each Host header adds one
                self._cards.popitem(last=False)
        return body

    def _content(self, address: str) -> dict[str, Any]:
        """Return the card for an origin; only its interfaces depend on it."""
        if self._plain is None:
            card = make_card(self._agent, self._base_path, self._agent.about())
            self._plain = _whole_numbers(agent_card_to_dict(card))
        return self._plain | {
            _INTERFACES: [
                interface | {"url": address + interface["url"]}
                for interface in self._plain[_INTERFACES]
            ]
        }
