"""Tokens that others gave to this agent in a handshake, by what they open.

A player's `signup` brings a token for one table; its `act` then answers for that table only to
whoever shows the token.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from casino_agentkit.authority import Caller, Scheme, is_token, refusal_of

_SCOPES_KEPT = 1_000
_TOKENS_OF_A_SCOPE = 8


class Grants:
    """Tokens by scope, such as a table's id; the scopes used longest ago are forgotten first.

    >>> grants = Grants()
    >>> grants.add("table-1", "sesame")
    """

    def __init__(self) -> None:
        self._tokens: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def add(self, scope: str, token: str | None) -> None:
        """Keep a token for a scope; None: this handshake brought none."""
        if token is None:
            return
        others = tuple(known for known in self._tokens.pop(scope, ()) if known != token)
        self._tokens[scope] = (*others, token)[-_TOKENS_OF_A_SCOPE:]
        if len(self._tokens) > _SCOPES_KEPT:
            self._tokens.popitem(last=False)

    def of(self, scope: str) -> tuple[str, ...]:
        """Return the tokens of a scope."""
        tokens = self._tokens.get(scope, ())
        if tokens:
            self._tokens.move_to_end(scope)
        return tokens


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
        """Compare the caller's token; raises Refusal: UNAUTHORIZED, FORBIDDEN."""
        tokens = self._grants.of(self._scope_of(message))
        if not tokens or any(is_token(caller.token, token) for token in tokens):
            return
        raise refusal_of(caller, self.scheme)
