"""Charge A2A calls without a key to the request budget of their address."""

from collections.abc import Callable
from typing import Any

from casino_agentkit import Caller, Rule, Scheme

from casino_lobby.access.request_budget import RequestBudget


class Counted:
    """Wraps a rule and charges `weight` per call, refused ones included, unless it `is_free`."""

    def __init__(
        self, rule: Rule, budget: RequestBudget, weight: float, is_free: Callable[[Caller], bool]
    ) -> None:
        self._rule = rule
        self._budget = budget
        self._weight = weight
        self._is_free = is_free

    @property
    def scheme(self) -> Scheme | None:
        """The security scheme that the wrapped rule requires."""
        return self._rule.scheme

    def admit(self, caller: Caller, message: Any) -> None:
        """Charge the caller, then apply the rule.

        Raises CommandRefused: TOO_MANY_REQUESTS, and refusal reasons of the rule.
        """
        if not self._is_free(caller):
            self._budget.take(caller.address, self._weight)
        self._rule.admit(caller, message)
