"""The names that a typed call uses on the wire, and ids for its messages."""

from itertools import count
from typing import Final
from uuid import uuid4

EXTENSION: Final = "urn:a2a-casino:typed-entrypoints:v1"
"""An agent card that declares this extension has typed entrypoints."""

JSON: Final = "application/json"
VERSION: Final = "1.0"
VERSION_HEADER: Final = "A2A-Version"
EXTENSIONS_HEADER: Final = "A2A-Extensions"

RPC_PATH: Final = "/a2a/jsonrpc"
REST_PATH: Final = "/a2a/rest"
CARD_PATH: Final = "/.well-known/agent-card.json"
CAPABILITY_PATH: Final = "/t/"
"""`/t/TOKEN/REST` is `/REST` called with that token, for peers that cannot send a header."""

BODY_LIMIT: Final = 1024 * 1024
"""Bytes of a request or a reply; more is refused unread."""


class MessageIds:
    """Unique ids for messages: a prefix of this process and a number.

    They are unique, not secret, and cost a tenth of a random one.
    """

    def __init__(self, prefix: str | None = None) -> None:
        self._prefix = prefix or uuid4().hex[:16]
        self._numbers = count(1)

    def next(self) -> str:
        """Return an id that was not given before."""
        return f"{self._prefix}{next(self._numbers):x}"
