"""Who is calling, and who may call: the one check that every way into an agent ends in.

Each entrypoint declares a `Rule`. The fast path, the SDK's bindings and a service's own routes all
put the caller into a context variable and ask the rule before anything is done.
"""

import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from casino_agentkit.errors import CommandRefused

TOKEN_LIMIT = 512
"""Characters of a token; a longer one is no token of ours."""


class Caller(NamedTuple):
    """Who sent the request.

    `token` is the bearer token of the header, or else that of a capability address; "" for none.
    `address` is the network address. `capability` is the token of the capability address alone,
    for agents that ask for a token of each kind.
    """

    token: str = ""
    address: str = ""
    capability: str = ""


_NOBODY = Caller()
_caller: ContextVar[Caller] = ContextVar("caller", default=_NOBODY)


def caller() -> Caller:
    """Return the caller of the request that is being answered; an empty one outside of any."""
    return _caller.get()


@contextmanager
def called_by(someone: Caller) -> Iterator[None]:
    """Answer for this caller within the block."""
    reset = _caller.set(someone)
    try:
        yield
    finally:
        _caller.reset(reset)


def bearer(authorization: str) -> str:
    """Return the token of an `Authorization` header, "" when it holds none.

    >>> bearer("Bearer sesame")
    'sesame'
    """
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and len(token) <= TOKEN_LIMIT else ""


def is_token(shown: str, expected: str) -> bool:
    """Compare two tokens in a time that does not depend on where they differ."""
    return hmac.compare_digest(shown.encode(errors="replace"), expected.encode())


class Scheme(NamedTuple):
    """How an agent card names a kind of token in `securitySchemes`."""

    name: str
    description: str


class Rule(Protocol):
    """Decides who may call an entrypoint."""

    @property
    def scheme(self) -> Scheme | None:
        """The kind of token that is needed; None: anyone may call."""
        ...

    def admit(self, caller: Caller, message: Any) -> None:
        """Admit the caller; raises CommandRefused: UNAUTHORIZED (no token), FORBIDDEN (another)."""
        ...


class _Anyone:
    """The rule of what is public."""

    scheme = None

    def admit(self, caller: Caller, message: Any) -> None:
        """Let everybody pass."""


ANYONE: Rule = _Anyone()
"""Anyone may call."""


@dataclass(frozen=True)
class KeyRule:
    """Lets callers pass that show a certain token.

    `expected` returns the token for a message, or None where none is needed.
    """

    scheme: Scheme
    expected: Callable[[Any], str | None]

    def admit(self, caller: Caller, message: Any) -> None:
        """Compare the caller's token; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        expected = self.expected(message)
        if expected is None or is_token(caller.token, expected):
            return
        raise refusal_of(caller, self.scheme)


def refusal_of(caller: Caller, scheme: Scheme) -> CommandRefused:
    """Return the refusal for a caller that showed no token, or not the right one."""
    if not caller.token:
        return CommandRefused(
            "UNAUTHORIZED",
            f"Send {scheme.description}, as `Authorization: Bearer ...`.",
        )
    return CommandRefused("FORBIDDEN", f"The token that was sent is not {scheme.description}.")
