"""Calls by A2A that are paid out of their address's budget, unless they show a key."""

from typing import Any

from casino_agentkit import Caller, Rule, Scheme
from casino_agentkit.authority import is_token

from casino_lobby.access.request_budget import RequestBudget


class Counted:
    """A rule whose callers pay `weight`, also those whom it refuses; who shows `key` does not."""

    def __init__(self, rule: Rule, budget: RequestBudget, weight: float, key: str | None) -> None:
        self._rule = rule
        self._budget = budget
        self._weight = weight
        self._key = key

    @property
    def scheme(self) -> Scheme | None:
        """The kind of token that the rule asks for."""
        return self._rule.scheme

    def admit(self, caller: Caller, message: Any) -> None:
        """Let the caller pay, then ask the rule.

        Raises CommandRefused: TOO_MANY_REQUESTS, and those of the rule.
        """
        if self._key is None or not is_token(caller.token, self._key):
            self._budget.take(caller.address, self._weight)
        self._rule.admit(caller, message)
