"""Charge A2A calls without a key to the request budget of their address."""

from typing import Any

from casino_agentkit import Caller, Rule, Scheme
from casino_agentkit.authority import is_token

from casino_lobby.access.request_budget import RequestBudget


class Counted:
    """Wraps a rule and charges `weight` per call, refused ones included; none with `key`."""

    def __init__(self, rule: Rule, budget: RequestBudget, weight: float, key: str | None) -> None:
        self._rule = rule
        self._budget = budget
        self._weight = weight
        self._key = key

    @property
    def scheme(self) -> Scheme | None:
        """The security scheme that the wrapped rule requires."""
        return self._rule.scheme

    def admit(self, caller: Caller, message: Any) -> None:
        """Charge the caller, then apply the rule.

        Raises CommandRefused: TOO_MANY_REQUESTS, and refusal reasons of the rule.
        """
        if self._key is None or not is_token(caller.token, self._key):
            self._budget.take(caller.address, self._weight)
        self._rule.admit(caller, message)
