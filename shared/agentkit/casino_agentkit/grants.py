"""Tokens received in handshakes, by scope, and the rule that checks them.

A player's `signup` brings a token for one table; its `act` then requires that token for requests
of that table.
"""

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from casino_agentkit.authority import Caller, Scheme, is_token, refusal_of

_MAX_TOKENS = 4_096

Key = tuple[str, bytes]
"""A scope, and the digest of a token."""


class Grants:
    """Tokens by scope, such as a table's id; at most `kept` in all.

    Handshakes are open to anybody. So tokens that were never used are evicted first, then the least
    recently used: a flood of handshakes does not evict the token of a running table.

    >>> grants = Grants()
    >>> grants.add("table-1", "sesame")
    >>> grants.opens("table-1", "sesame"), grants.opens("table-1", "another")
    (True, False)
    """

    def __init__(self, kept: int = _MAX_TOKENS) -> None:
        self._kept = kept
        self._unused: OrderedDict[Key, None] = OrderedDict()
        self._used: OrderedDict[Key, None] = OrderedDict()
        self._of_scope: Counter[str] = Counter()
        self._last: dict[str, tuple[str, Key]] = {}
        """By scope, the token that opened it last, and its key: a running table's, as a rule."""

    def add(self, scope: str, token: str | None) -> None:
        """Store a token for a scope; None is ignored."""
        if token is None:
            return
        key = _key(scope, token)
        if key in self._unused or key in self._used:
            return
        self._unused[key] = None
        self._of_scope[scope] += 1
        if len(self._unused) + len(self._used) > self._kept:
            self._evict()

    def knows(self, scope: str) -> bool:
        """Return whether a scope has a token."""
        return scope in self._of_scope

    def opens(self, scope: str, token: str) -> bool:
        """Return whether a token belongs to a scope, and mark it as used."""
        last = self._last.get(scope)
        if last is not None and is_token(token, last[0]):
            self._used.move_to_end(last[1])
            return True
        key = _key(scope, token)
        if key in self._used:
            self._used.move_to_end(key)
        elif key in self._unused:
            del self._unused[key]
            self._used[key] = None
        else:
            return False
        self._last[scope] = token, key
        return True

    def _evict(self) -> None:
        key, _ = (self._unused if len(self._unused) > 1 else self._used).popitem(last=False)
        scope = key[0]
        if scope in self._last and self._last[scope][1] == key:
            del self._last[scope]
        self._of_scope[scope] -= 1
        if not self._of_scope[scope]:
            del self._of_scope[scope]


def _key(scope: str, token: str) -> Key:
    # A digest, so that the time of the look-up reveals nothing about the token.
    return scope, hashlib.blake2b(token.encode(errors="replace"), digest_size=16).digest()


class GrantRule:
    """Admits callers with a token of the message's scope, if the scope has any.

    A scope without a token is open: its handshake had none (a peer that implements only the
    protocol document), or took place before this process started.
    """

    def __init__(self, scheme: Scheme, grants: Grants, scope_of: Callable[[Any], str]) -> None:
        self.scheme = scheme
        self._grants = grants
        self._scope_of = scope_of

    def admit(self, caller: Caller, message: Any) -> None:
        """Check the caller's token. Raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        scope = self._scope_of(message)
        if self._grants.knows(scope) and not self._grants.opens(scope, caller.token):
            raise refusal_of(caller, self.scheme)
