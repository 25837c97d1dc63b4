"""Wire constants of typed calls; ids of messages, and what ids, keys and reason codes may be."""

import re
from itertools import count
from typing import Final
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

EXTENSION: Final = "urn:a2a-casino:typed-entrypoints:v1"
"""URI of the typed-entrypoint extension on an agent card."""

JSON: Final = "application/json"
TEXT: Final = "text/plain"
VERSION: Final = "1.0"
OLDER_VERSION: Final = "0.3"
VERSION_HEADER: Final = "A2A-Version"
EXTENSIONS_HEADER: Final = "A2A-Extensions"
TRACE_HEADER: Final = "traceparent"  # of W3C Trace Context, in lower case

RPC_PATH: Final = "/a2a/jsonrpc"
REST_PATH: Final = "/a2a/rest"
ENTRYPOINTS_PATH: Final = "/entrypoints"
"""Where the invoke profile calls: `/entrypoints/SKILL/invoke`."""
CARD_PATH: Final = "/.well-known/agent-card.json"
OLDER_CARD_PATH: Final = "/.well-known/agent.json"
"""Where clients of A2A before 0.3 look for a card; those of 0.3 try it second."""
CAPABILITY_PATH: Final = "/t/"
"""`/t/TOKEN/PATH` is `/PATH` with that token, for peers that cannot send a header."""

INPUT_LIMIT: Final = 64 * 1024
"""Maximum size of a request, in bytes, unless its entrypoint or route declares a `LargeBody`."""
BODY_LIMIT: Final = 1024 * 1024
"""Maximum size of a reply, and of any request; more is refused unread."""

_REASON: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_ID: Final = re.compile(r"[\x21-\x7e]{1,256}")


def keyed_address(url: str, key: str) -> str:
    """Return the capability address of an agent's URL, which carries the agent's key.

    >>> keyed_address("http://bot.example:4101/", "sesame")
    'http://bot.example:4101/t/sesame/'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{CAPABILITY_PATH}{key}{parts.path}"))


def keyed_skill(skill: str, token: str) -> str:
    """Return a skill's name with a token, for callers that drop the path of an address.

    >>> keyed_skill("recordGameEvent", "sesame")
    'recordGameEvent.sesame'
    """
    return f"{skill}.{token}"


class MessageIds:
    """Message ids of a random prefix and a counter: guessable, ten times cheaper than random."""

    def __init__(self) -> None:
        self._prefix = uuid4().hex[:16]
        self._numbers = count(1)

    def next(self) -> str:
        return f"{self._prefix}{next(self._numbers):x}"


def reason_of(text: object) -> str:
    """Return the reason code of a refusal, "" if it is not an upper-case word."""
    return text if isinstance(text, str) and _REASON.fullmatch(text) else ""


def is_key(text: object) -> bool:
    return isinstance(text, str) and _KEY.fullmatch(text) is not None


def is_id(text: object) -> bool:
    """Return whether a value is valid as a task or context id: 1 to 256 printable characters."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None
