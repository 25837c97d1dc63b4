"""From a URL to an agent card, and to the interface through which the agent is called."""

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
_SPEAKS_FAST = "JSONRPC"

_READ: Final = (
    "name", "description", "version", "url", "protocolVersion", "preferredTransport",
    "additionalInterfaces", "supportedInterfaces", "capabilities", "securitySchemes", "skills",
)  # fmt: skip
"""What is read of a card; the rest is not converted, for that costs more than reading it."""
_OF_A_SKILL: Final = ("id", "name")
_MOST_SKILLS, _MOST_INTERFACES, _MOST_EXTENSIONS = 256, 16, 16
_PARAMS_KEPT: Final = 65_536
"""Bytes of our extension's params that are kept, without the entrypoints' schemas."""
_SKILL_LENGTH = 128


@dataclass(frozen=True)
class FoundCard:
    """An agent card, and beside it the params of our extension, as they were written."""

    card: AgentCard
    is_typed: bool
    """Whether it declares our extension."""
    params: dict[str, Any]
    signer: str | None = None
    """The thumbprint of the key that signed it; None: nobody did."""


def candidates(url: str) -> list[str]:
    """Return where a card may be, given the URL of a card, or of an agent.

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
    """Return the card at a URL.

    The SDK's resolver would read a body of any size; so the bytes come through our transport, and
    the SDK only parses them (0.3 cards too).
    Raises Unreachable, TimedOut, or ProtocolFault when what is there is no card.
    """
    fault: AgentError | None = None
    for candidate in candidates(url):
        reply = await _follow(transport, candidate, timeout_s)
        if reply.status == _OK:
            try:
                content = bounds.parse(reply.body)
                # First of all, for reading a card of A2A 0.3 changes what was read.
                signer = await signer_of(
                    content, candidate, lambda jku: read_url(transport, jku, timeout_s)
                )
                found = read_card(content, bounds)
            except BadSignature as error:
                raise ProtocolFault(url, f"its card {error}") from error
            except (ParseError, TypeError, ValueError, AttributeError) as error:
                fault = ProtocolFault(url, f"what is at {candidate} is no agent card")
                fault.__cause__ = error
            else:
                return replace(found, signer=signer)
        else:
            fault = fault or ProtocolFault(
                url, f"no agent card at {candidate}: HTTP status {reply.status}"
            )
    raise fault or Unreachable(url, "nowhere to look for a card")


def read_card(content: Any, bounds: ReplyBounds) -> FoundCard:
    """Return the card in a JSON value.

    Raises ValueError, TypeError, AttributeError or ParseError when it is none, or too large.
    """
    if not isinstance(content, dict):
        raise TypeError("a card is a JSON object")
    read = {key: content[key] for key in _READ if key in content}
    for key, most in (("supportedInterfaces", _MOST_INTERFACES), ("skills", _MOST_SKILLS)):
        if isinstance(read.get(key), list):
            read[key] = read[key][:most]
    if isinstance(read.get("skills"), list):
        read["skills"] = [
            {key: skill[key] for key in _OF_A_SKILL if key in skill} for skill in read["skills"]
        ]
    capabilities = read.pop("capabilities", None) or {}
    params = [
        extension.get("params")
        for extension in (capabilities.get("extensions") or ())[:_MOST_EXTENSIONS]
        if extension.get("uri") == EXTENSION
    ]
    if is_deeper(read, bounds.deepest) or values_in(read, bounds.converted) > bounds.converted:
        raise ValueError("the card is too large")
    return FoundCard(parse_agent_card(read), bool(params), _kept(params, bounds))


def _kept(params: list[Any], bounds: ReplyBounds) -> dict[str, Any]:
    """Return the params of our extension without the schemas, {} where they are too large."""
    told = next((one for one in params if isinstance(one, dict)), {})
    kept = {key: value for key, value in told.items() if key != "entrypoints"}
    if bounds.is_too_deep(kept) or len(orjson.dumps(kept)) > _PARAMS_KEPT:
        return {}
    return kept


async def _follow(transport: Transport, url: str, timeout_s: float) -> HttpReply:
    """Return the reply to a GET; one redirect within the origin is followed."""
    reply = await transport.send("GET", url, _HEADERS, b"", timeout_s)
    if not reply.location or reply.status not in _REDIRECTS:
        return reply
    target = urljoin(url, reply.location)
    try:
        stays = is_same_origin(url, target)
    except ValueError:
        stays = False
    if not stays:
        raise AddressNotAllowed(
            url, f"redirects to another origin, {shown(target)}: give that address instead"
        )
    reply = await transport.send("GET", target, _HEADERS, b"", timeout_s)
    if reply.location and reply.status in _REDIRECTS:
        raise ProtocolFault(url, "redirects more than once")
    return reply


async def read_url(transport: Transport, url: str, timeout_s: float) -> bytes:
    """Return what is at a URL; raises Unreachable, TimedOut, or ProtocolFault for no success."""
    reply = await _follow(transport, url, timeout_s)
    if reply.status != _OK:
        raise ProtocolFault(url, f"HTTP status {reply.status}")
    return reply.body


@dataclass(frozen=True)
class Address:
    """Through which interface of its card an agent is called."""

    interface: AgentInterface
    is_fast: bool
    """JSON-RPC of A2A 1.x: ours to speak; anything else goes through the SDK's client."""


async def choose_interface(transport: Transport, url: str, card: AgentCard) -> Address:
    """Return JSON-RPC 1.x where the card at `url` has it, else the first interface we can call.

    An interface on another origin than the card's is taken where the transport allows the link.
    Raises ProtocolFault when there is none, AddressNotAllowed when none of them may be called.
    """
    refused: AgentError | None = None
    for address in _addresses(card):
        try:
            if not is_same_origin(url, address.interface.url):
                await transport.check_link(url, address.interface.url)
        except AddressNotAllowed as error:
            told = f"its card advertises {address.interface.url}, which is not called from here"
            fix = "advertise an address that others can reach"
            refused = refused or AddressNotAllowed(url, f"{told} ({error.message}): {fix}")
        except ValueError:
            continue
        else:
            return address
    raise refused or ProtocolFault(
        url,
        "its card names no interface with an absolute http URL: give supportedInterfaces"
        " with url, protocolBinding and protocolVersion",
    )


def _addresses(card: AgentCard) -> list[Address]:
    """Return the interfaces that can be called, the fast ones first."""
    spoken = [
        Address(interface, _is_fast(interface))
        for interface in card.supported_interfaces
        if interface.protocol_binding in BINDINGS
    ]
    return sorted(spoken, key=lambda address: not address.is_fast)


def _is_fast(interface: AgentInterface) -> bool:
    version = interface.protocol_version or VERSION
    return (
        interface.protocol_binding == _SPEAKS_FAST
        and version.split(".")[0] == VERSION.split(".")[0]
    )


def skills_of(card: AgentCard) -> frozenset[str]:
    """Return the ids of the skills on a card."""
    return frozenset(skill.id for skill in card.skills if len(skill.id) <= _SKILL_LENGTH)
