"""From a URL to an agent card, and to the interface through which the agent is called."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import orjson
from a2a.client.card_resolver import parse_agent_card
from a2a.types import AgentCard, AgentInterface
from google.protobuf.json_format import MessageToDict, ParseError

from casino_agentkit.errors import AgentError, ProtocolFault, Unreachable
from casino_agentkit.transport import HttpReply, Transport
from casino_agentkit.wire import CARD_PATH, EXTENSION, VERSION, VERSION_HEADER

_HEADERS = {"Accept": "application/json", VERSION_HEADER: VERSION}
_REDIRECTS = 3
_OK, _NOT_FOUND = 200, 404
_SPEAKS_FAST = "JSONRPC"


def candidates(url: str) -> list[str]:
    """Return where a card may be, given the URL of a card, or of an agent.

    >>> candidates("http://host:4101")
    ['http://host:4101/.well-known/agent-card.json', 'http://host:4101']
    """
    path = urlsplit(url).path
    if path.endswith(".json"):
        return [url]
    return [url.rstrip("/") + CARD_PATH, url]


async def fetch_card(transport: Transport, url: str, timeout_s: float) -> AgentCard:
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
                content = orjson.loads(reply.body)
                return parse_agent_card(content)
            except (orjson.JSONDecodeError, ParseError, TypeError, ValueError) as error:
                fault = ProtocolFault(url, f"what is at {candidate} is no agent card")
                fault.__cause__ = error
        else:
            fault = fault or ProtocolFault(
                url, f"no agent card at {candidate}: HTTP status {reply.status}"
            )
    raise fault or Unreachable(url, "nowhere to look for a card")


async def _follow(transport: Transport, url: str, timeout_s: float) -> HttpReply:
    for _ in range(_REDIRECTS + 1):
        reply = await transport.send("GET", url, _HEADERS, b"", timeout_s)
        if not reply.location or reply.status not in {301, 302, 303, 307, 308}:
            return reply
        url = urljoin(url, reply.location)
    raise ProtocolFault(url, "redirects without end")


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


def choose_interface(url: str, card: AgentCard) -> Address:
    """Return JSON-RPC 1.x where the card has it, else its first interface with an http(s) URL.

    Raises ProtocolFault when there is none.
    """
    callable_ = [
        interface
        for interface in card.supported_interfaces
        if urlsplit(interface.url).scheme in {"http", "https"} and urlsplit(interface.url).netloc
    ]
    for interface in callable_:
        if (
            interface.protocol_binding == _SPEAKS_FAST
            and (interface.protocol_version or VERSION).split(".")[0] == VERSION.split(".")[0]
        ):
            return Address(interface, is_fast=True)
    if not callable_:
        raise ProtocolFault(
            url,
            "its card names no interface with an absolute http URL: give supportedInterfaces"
            " with url, protocolBinding and protocolVersion",
        )
    return Address(callable_[0], is_fast=False)


def declares_typed_calls(card: AgentCard) -> bool:
    """Tell whether the card declares our extension."""
    return any(extension.uri == EXTENSION for extension in card.capabilities.extensions)


def params(card: AgentCard) -> dict[str, Any]:
    """Return the params of our extension as JSON values, {} where the card does not declare it."""
    for extension in card.capabilities.extensions:
        if extension.uri == EXTENSION:
            return MessageToDict(extension.params)
    return {}
