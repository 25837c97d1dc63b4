"""The judgement of an answer of Hold'em whose `amount` is a total for the betting round. Pure."""

from collections.abc import Mapping
from typing import NamedTuple, Self

from casino_contracts import ActionRequest, ActionResponse, Unit
from casino_contracts.hot.action_response import AnyActionResponse

from casino_play.decision import Action
from casino_play.errors import IllegalAnswer


class OfferedTotals(NamedTuple):
    """What a player may do at one decision."""

    unit: Unit
    available: Mapping[str, Action]
    """The possible actions by their kind; those of bet and raise have `min` and `max`, in chips."""
    current_bet: int
    """The highest bet of this betting round, in chips."""

    @classmethod
    def of(cls, question: ActionRequest, response: ActionResponse) -> Self:
        """Return what a question of the past offers.

        It does not name its table's unit: an amount of the answer counts as a multiple of it.
        """
        smallest, largest = question.min_raise_to, question.max_raise_to
        amounts = (question.current_bet, smallest, largest, response.amount)
        unit = Unit.of_amounts(amount for amount in amounts if amount is not None)
        available: dict[str, Action] = {
            kind: {"action_type": kind} for kind in question.legal_actions
        }
        if smallest is not None and largest is not None:
            bounds = {"min": unit.chips(smallest), "max": unit.chips(largest)}
            for kind in {"bet", "raise"} & available.keys():
                available[kind].update(bounds)
        return cls(unit, available, unit.chips(question.current_bet))

    def action(self, response: AnyActionResponse) -> Action:
        """Return the answer as an action of the game; raises IllegalAnswer."""
        kind, named = response.action, response.amount
        if kind not in self.available:
            raise self._illegal(f"{kind} is not possible now", response)
        if kind not in {"bet", "raise"}:
            return {"action_type": kind}
        if named is None:
            raise self._illegal(f"{kind} needs amount, a total for this betting round", response)
        try:
            total = self.unit.chips(named)
        except ValueError as error:
            raise self._illegal(f"amount {error}", response) from error
        smallest, largest = self.available[kind]["min"], self.available[kind]["max"]
        if total < smallest:
            message = f"{kind} to {named} is below the smallest, to {self.unit.amount(smallest)}"
            as_total = self.current_bet + total
            if smallest <= as_total <= largest:
                amount = self.unit.amount(as_total)
                message += f" (amount is a total: did you mean {amount}?)"
            raise self._illegal(message, response)
        if total > largest:
            amount = self.unit.amount(largest)
            raise self._illegal(f"{kind} to {named} is above the largest, to {amount}", response)
        return {"action_type": kind, "amount": total}

    def _illegal(self, message: str, response: AnyActionResponse) -> IllegalAnswer:
        return illegal(message, response, self.unit, self.available)


def illegal(
    message: str,
    response: AnyActionResponse,
    unit: Unit,
    available: Mapping[str, Action],
    bet: int = 0,
) -> IllegalAnswer:
    """Return the error of an answer, with what is legal; `bet` is taken from every bound."""
    legal = [
        f"{kind} (amount {unit.amount(offered['min'] - bet)}"
        f" to {unit.amount(offered['max'] - bet)})"
        if "min" in offered
        else kind
        for kind, offered in available.items()
    ]
    answer: dict[str, object] = {"action": response.action}
    if response.amount is not None:
        answer["amount"] = response.amount
    return IllegalAnswer(f"{message}; legal are {', '.join(legal)}", answer)
