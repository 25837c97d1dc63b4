"""Tokens that others gave to this agent in a handshake, by what they open.

A player's `signup` brings a token for one table; its `act` then answers for that table only to
whoever shows the token.
"""

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from casino_agentkit.authority import Caller, Scheme, refusal_of

_KEPT = 4_096

Key = tuple[str, bytes]
"""A scope and the digest of a token."""


class Grants:
    """Tokens by scope, such as a table's id; at most `kept` in all.

    Anybody may make a handshake, so tokens that were never shown are forgotten first, then those
    that were shown longest ago: a flood of handshakes takes nothing from a table that plays.

    >>> grants = Grants()
    >>> grants.add("table-1", "sesame")
    >>> grants.opens("table-1", "sesame"), grants.opens("table-1", "another")
    (True, False)
    """

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._unused: OrderedDict[Key, None] = OrderedDict()
        self._used: OrderedDict[Key, None] = OrderedDict()
        self._of_scope: Counter[str] = Counter()

    def add(self, scope: str, token: str | None) -> None:
        """Keep a token for a scope; None: this handshake brought none."""
        if token is None:
            return
        key = _key(scope, token)
        if key in self._unused or key in self._used:
            return
        self._unused[key] = None
        self._of_scope[scope] += 1
        if len(self._unused) + len(self._used) > self._kept:
            self._forget_one()

    def knows(self, scope: str) -> bool:
        """Tell whether there is a token for a scope."""
        return scope in self._of_scope

    def opens(self, scope: str, token: str) -> bool:
        """Tell whether a token is one of a scope, and note that it was shown."""
        key = _key(scope, token)
        if key in self._used:
            self._used.move_to_end(key)
            return True
        if key not in self._unused:
            return False
        del self._unused[key]
        self._used[key] = None
        return True

    def _forget_one(self) -> None:
        (scope, _), _ = (self._unused if len(self._unused) > 1 else self._used).popitem(last=False)
        self._of_scope[scope] -= 1
        if not self._of_scope[scope]:
            del self._of_scope[scope]


def _key(scope: str, token: str) -> Key:
    # By its digest: how long the look-up takes tells nothing about the token.
    return scope, hashlib.blake2b(token.encode(errors="replace"), digest_size=16).digest()


class GrantRule:
    """Lets callers pass that show a token of the message's scope, where the scope has any.

    A scope without a token is open: its handshake brought none (a peer that knows only the protocol
    document), or was made before this process started.
    """

    def __init__(self, scheme: Scheme, grants: Grants, scope_of: Callable[[Any], str]) -> None:
        self.scheme = scheme
        self._grants = grants
        self._scope_of = scope_of

    def admit(self, caller: Caller, message: Any) -> None:
        """Look the caller's token up; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        scope = self._scope_of(message)
        if self._grants.knows(scope) and not self._grants.opens(scope, caller.token):
            raise refusal_of(caller, self.scheme)
