"""Authorisation: the caller of a request, and rules for who may call an entrypoint.

Each entrypoint declares a `Rule`. The fast path, the SDK's bindings and a service's own routes all
set the caller in a context variable and check the rule before running the entrypoint.
"""

import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from casino_agentkit.errors import CommandRefused, KitReason

TOKEN_LIMIT = 512  # maximum length of a token, in characters; a longer one is ignored


class Caller(NamedTuple):
    """The sender of a request.

    `token` is the bearer token of the header, otherwise that of the capability address; "" for
    none. `address` is the network address. `capability` is the token of the capability address
    only, for agents that require both kinds. `is_forwarded` says whether a proxy passed the request
    on, so that `address` is the proxy's. `traceparent` is the header of this name, "" without one.
    """

    token: str = ""
    address: str = ""
    capability: str = ""
    is_forwarded: bool = False
    traceparent: str = ""


FORWARDED = frozenset(
    {
        *(b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto"),
        *(b"x-real-ip", b"x-client-ip", b"true-client-ip", b"cf-connecting-ip"),
    }
)
"""Headers, in lower case, that a proxy adds to a request that it passes on."""

_ANONYMOUS = Caller()
_caller: ContextVar[Caller] = ContextVar("caller", default=_ANONYMOUS)


def caller() -> Caller:
    """Return the caller of the current request, an empty one outside a request."""
    return _caller.get()


@contextmanager
def called_by(sender: Caller) -> Iterator[None]:
    reset_token = _caller.set(sender)
    try:
        yield
    finally:
        _caller.reset(reset_token)


def set_caller(sender: Caller) -> None:
    """Set the caller for the rest of this asyncio task, which serves one request only."""
    _caller.set(sender)


def bearer(authorization: str) -> str:
    """Return the bearer token of an `Authorization` header, "" without one.

    >>> bearer("Bearer sesame")
    'sesame'
    """
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and len(token) <= TOKEN_LIMIT else ""


def is_token(shown: str, expected: str) -> bool:
    """Compare two tokens in constant time."""
    return hmac.compare_digest(shown.encode(errors="replace"), expected.encode())


class Scheme(NamedTuple):
    """Name and description of a kind of token in a card's `securitySchemes`."""

    name: str
    description: str


class Rule(Protocol):
    """Decides who may call an entrypoint."""

    @property
    def scheme(self) -> Scheme | None:
        """The kind of token required, None if anyone may call."""

    def admit(self, caller: Caller, message: Any) -> None:
        """Raise CommandRefused: UNAUTHORIZED (no token), FORBIDDEN (wrong token)."""


class _Anyone:
    """Rule of public entrypoints."""

    scheme = None

    def admit(self, caller: Caller, message: Any) -> None: ...


ANYONE: Rule = _Anyone()


@dataclass(frozen=True)
class KeyRule:
    """Admits callers with one expected token.

    `expected` returns the token for a message, or None if no token is required. `setting` names
    the key that a service on loopback may lack: without one, no caller comes through a proxy.
    """

    scheme: Scheme
    expected: Callable[[Any], str | None]
    setting: str | None = None

    def admit(self, caller: Caller, message: Any) -> None:
        expected = self.expected(message)
        if expected is None and self.setting is not None:
            refuse_forwarded(caller, self.setting)
        if expected is None or is_token(caller.token, expected):
            return
        raise refusal_of(caller, self.scheme)


def refuse_forwarded(caller: Caller, setting: str) -> None:
    """Refuse a request that a proxy passed on, to a service without the key of a `setting`.

    Such a service admits everybody on its own machine, where a proxy may serve anybody else.
    Raises CommandRefused: FORBIDDEN.
    """
    if caller.is_forwarded:
        raise CommandRefused(
            KitReason.FORBIDDEN,
            "Without a key this service is for callers on its own machine that no proxy passes on:"
            f" set {setting}.",
        )


@dataclass(frozen=True)
class AddressKeyRule:
    """Admits callers with one key, in the capability address, or in the header without one.

    So the header is free for another token of callers that use the address.
    """

    scheme: Scheme
    key: str

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  of every rule
        key = caller.capability or caller.token
        if not is_token(key, self.key):
            raise refusal_of(Caller(key), self.scheme)


def refusal_of(caller: Caller, scheme: Scheme) -> CommandRefused:
    if not caller.token:
        return CommandRefused(
            KitReason.UNAUTHORIZED, f"Send {scheme.description}, as `Authorization: Bearer ...`."
        )
    return CommandRefused(KitReason.FORBIDDEN, f"The token is not {scheme.description}.")
