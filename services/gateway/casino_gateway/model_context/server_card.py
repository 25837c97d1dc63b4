"""`GET /mcp/server-card`: what a client of MCP knows before its first call.

The form is that of the extension Server Card of MCP, whose schema the card names.
"""

import re
from functools import partial
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
from casino_agentkit.server.addressed_document import AddressedDocument
from starlette.routing import BaseRoute

from casino_gateway import __version__
from casino_gateway.model_context.mcp_endpoint import MCP_PATH
from casino_gateway.model_context.mcp_messages import SERVER_NAME, SERVER_TITLE

_MEDIA_TYPE: Final = "application/mcp-server-card+json"
_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
_KEY_HEADER: Final = {
    "name": "Authorization",
    "description": "`Bearer` and any random key of your own, which keeps your seats yours.",
    "isRequired": False,
    "isSecret": True,
}
_NO_LABEL = re.compile(r"[^A-Za-z0-9.-]")


def server_card_route(public_url: str | None) -> BaseRoute:
    written = partial(server_card, has_mcp=find_spec("mcp") is not None)
    return AddressedDocument(f"{MCP_PATH}/server-card", _MEDIA_TYPE, public_url, written).route()


def server_card(address: str, *, has_mcp: bool) -> bytes:
    """Return the card of the gateway at an address, without a way to connect if it has no MCP."""
    card: dict[str, Any] = {
        "$schema": _SCHEMA,
        "name": f"{_reversed(urlsplit(address).hostname or '')}/{SERVER_NAME}",
        "title": SERVER_TITLE,
        "version": __version__,
        "description": "Seats at tables of No-Limit Hold'em and other games, for play chips.",
    }
    if has_mcp:
        from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS  # noqa: PLC0415  optional

        remote = {
            "type": "streamable-http",
            "url": address + MCP_PATH,
            "headers": [_KEY_HEADER],
            "supportedProtocolVersions": SUPPORTED_PROTOCOL_VERSIONS,
        }
        card["remotes"] = [remote]
    return orjson.dumps(card)


def _reversed(host: str) -> str:
    """Return a host as the namespace of a server's name.

    >>> _reversed("casino.example"), _reversed("127.0.0.1"), _reversed("::1")
    ('example.casino', '127.0.0.1', '--1')
    """
    labels = _NO_LABEL.sub("-", host).split(".")
    return ".".join(labels if labels[-1].isdigit() else reversed(labels))
