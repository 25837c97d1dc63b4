"""Fetch and parse agent cards, and choose the interface to call."""

from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import orjson
from a2a.client.card_resolver import parse_agent_card
from a2a.types import AgentCard, AgentInterface
from google.protobuf.json_format import ParseError

from casino_agentkit.bounds import ReplyBounds, is_deeper, shown, values_in
from casino_agentkit.client.origin import is_same_origin
from casino_agentkit.client.sdk_binding import BINDINGS
from casino_agentkit.client.transport import HttpReply, Transport
from casino_agentkit.errors import AddressNotAllowed, AgentError, ProtocolFault, Unreachable
from casino_agentkit.protocol import CARD_PATH, EXTENSION, VERSION, VERSION_HEADER
from casino_agentkit.signing.card_signing import BadSignature, signer_of

_HEADERS = {"Accept": "application/json", VERSION_HEADER: VERSION}
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FAST_BINDING = "JSONRPC"

_CARD_FIELDS: Final = (
    "name", "description", "version", "url", "protocolVersion", "preferredTransport",
    "additionalInterfaces", "supportedInterfaces", "capabilities", "securitySchemes", "skills",
)  # fmt: skip
"""Fields of a card that are read; the others are not converted, to save time."""
_SKILL_FIELDS: Final = ("id", "name")
_MOST_SKILLS, _MOST_INTERFACES, _MOST_EXTENSIONS = 256, 16, 16
_PARAMS_KEPT: Final = 65_536
"""Maximum size of the extension's params, without the entrypoints' schemas, in bytes."""
_SKILL_LENGTH = 128


@dataclass(frozen=True)
class FoundCard:
    """An agent card, and the unparsed params of the typed-entrypoint extension."""

    card: AgentCard
    is_typed: bool
    """Whether it declares the extension."""
    params: dict[str, Any]
    signer: str | None = None
    """Thumbprint of the key that signed it, None if it is unsigned."""


def candidates(url: str) -> list[str]:
    """Return the possible URLs of a card, from the URL of a card or an agent.

    >>> candidates("http://host:4101")
    ['http://host:4101/.well-known/agent-card.json', 'http://host:4101']
    """
    path = urlsplit(url).path
    if path.endswith(".json"):
        return [url]
    return [url.rstrip("/") + CARD_PATH, url]


async def fetch_card(
    transport: Transport, url: str, timeout_s: float, bounds: ReplyBounds
) -> FoundCard:
    """Fetch the card at a URL.

    The SDK's resolver does not limit the size of a body. So the transport reads it, and the SDK
    only parses it (cards of A2A 0.3 as well).
    Raises Unreachable, TimedOut, or ProtocolFault if there is no valid card.
    """
    fault: AgentError | None = None
    for candidate in candidates(url):
        reply = await _follow(transport, candidate, timeout_s)
        if reply.status == _OK:
            try:
                content = bounds.parse(reply.body)
                # Before parsing, because parsing a card of A2A 0.3 modifies `content`.
                signer = await signer_of(
                    content, candidate, lambda jku: read_url(transport, jku, timeout_s)
                )
                card = read_card(content, bounds)
            except BadSignature as error:
                raise ProtocolFault(url, f"its card {error}") from error
            except (ParseError, TypeError, ValueError, AttributeError) as error:
                fault = ProtocolFault(url, f"the content of {candidate} is not an agent card")
                fault.__cause__ = error
            else:
                return replace(card, signer=signer)
        else:
            fault = fault or ProtocolFault(
                url, f"no agent card at {candidate}: HTTP status {reply.status}"
            )
    raise fault or Unreachable(url, "there is no URL to read a card from")


def read_card(content: Any, bounds: ReplyBounds) -> FoundCard:
    """Parse the card in a JSON value.

    Raises ValueError, TypeError, AttributeError or ParseError if it is not a card, or too large.
    """
    if not isinstance(content, dict):
        raise TypeError("a card is a JSON object")
    read = {key: content[key] for key in _CARD_FIELDS if key in content}
    for key, most in (("supportedInterfaces", _MOST_INTERFACES), ("skills", _MOST_SKILLS)):
        if isinstance(read.get(key), list):
            read[key] = read[key][:most]
    if isinstance(read.get("skills"), list):
        read["skills"] = [
            {key: skill[key] for key in _SKILL_FIELDS if key in skill} for skill in read["skills"]
        ]
    capabilities = read.pop("capabilities", None) or {}
    params = [
        extension.get("params")
        for extension in (capabilities.get("extensions") or ())[:_MOST_EXTENSIONS]
        if extension.get("uri") == EXTENSION
    ]
    if is_deeper(read, bounds.deepest) or values_in(read, bounds.converted) > bounds.converted:
        raise ValueError("the card is too large")
    return FoundCard(parse_agent_card(read), bool(params), _bounded(params, bounds))


def _bounded(params: list[Any], bounds: ReplyBounds) -> dict[str, Any]:
    """Return the extension's params without the schemas, {} if they are too large."""
    declared = next((item for item in params if isinstance(item, dict)), {})
    about = {key: value for key, value in declared.items() if key != "entrypoints"}
    if bounds.is_too_deep(about) or len(orjson.dumps(about)) > _PARAMS_KEPT:
        return {}
    return about


async def _follow(transport: Transport, url: str, timeout_s: float) -> HttpReply:
    """Send a GET request; at most one redirect within the origin is followed."""
    reply = await transport.send("GET", url, _HEADERS, b"", timeout_s)
    if not reply.location or reply.status not in _REDIRECTS:
        return reply
    target = urljoin(url, reply.location)
    try:
        is_within = is_same_origin(url, target)
    except ValueError:
        is_within = False
    if not is_within:
        raise AddressNotAllowed(
            url, f"redirects to another origin, {shown(target)}: use that address instead"
        )
    reply = await transport.send("GET", target, _HEADERS, b"", timeout_s)
    if reply.location and reply.status in _REDIRECTS:
        raise ProtocolFault(url, "redirects more than once")
    return reply


async def read_url(transport: Transport, url: str, timeout_s: float) -> bytes:
    """Return the body at a URL. Raises Unreachable, TimedOut, or ProtocolFault unless it is 200."""
    reply = await _follow(transport, url, timeout_s)
    if reply.status != _OK:
        raise ProtocolFault(url, f"HTTP status {reply.status}")
    return reply.body


@dataclass(frozen=True)
class Address:
    """The interface of a card to call."""

    interface: AgentInterface
    is_fast: bool
    """Whether it is JSON-RPC of A2A 1.x; any other is called through the SDK's client."""


async def choose_interface(transport: Transport, url: str, card: AgentCard) -> Address:
    """Return the JSON-RPC 1.x interface of the card at `url`, otherwise the first supported one.

    An interface on another origin than the card's is used only if the transport allows the link.
    Raises ProtocolFault if there is none, AddressNotAllowed if none of them may be called.
    """
    refused: AgentError | None = None
    for address in _addresses(card):
        try:
            if not is_same_origin(url, address.interface.url):
                await transport.check_link(url, address.interface.url)
        except AddressNotAllowed as error:
            fault = f"its card advertises {address.interface.url}, which is not called from here"
            fix = "advertise an address that others can reach"
            refused = refused or AddressNotAllowed(url, f"{fault} ({error.message}): {fix}")
        except ValueError:
            continue
        else:
            return address
    raise refused or ProtocolFault(
        url,
        "its card has no interface with an absolute http URL: add supportedInterfaces with url,"
        " protocolBinding and protocolVersion",
    )


def _addresses(card: AgentCard) -> list[Address]:
    """Return the supported interfaces, the fast ones first."""
    supported = [
        Address(interface, _is_fast(interface))
        for interface in card.supported_interfaces
        if interface.protocol_binding in BINDINGS
    ]
    return sorted(supported, key=lambda address: not address.is_fast)


def _is_fast(interface: AgentInterface) -> bool:
    version = interface.protocol_version or VERSION
    return (
        interface.protocol_binding == _FAST_BINDING
        and version.split(".")[0] == VERSION.split(".")[0]
    )


def skills_of(card: AgentCard) -> frozenset[str]:
    """Return the skill ids of a card."""
    return frozenset(skill.id for skill in card.skills if len(skill.id) <= _SKILL_LENGTH)
