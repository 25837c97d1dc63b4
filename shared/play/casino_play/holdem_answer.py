"""The judgement of an answer of Hold'em: `amount` is a total, or the chips to add. Pure."""

from collections.abc import Mapping
from typing import NamedTuple, Self

from casino_contracts import ActionKind, ActionRequest, ActionResponse, Unit

from casino_play.errors import IllegalAnswer
from casino_play.player_decision import Action


class AddedChips(NamedTuple):
    """What a player may do at one decision that adds chips: `amount` is turned into a total.

    So the players of the original casino mean it, which speak the invoke profile: `currentBet` is
    what they have to call, and bet and raise are one action with two names. The game knows totals
    only.

    | answer | action |
    | --- | --- |
    | bet, raise | to the player's own bet plus `amount`, as whichever of the two is possible |
    | bet, raise with exactly what is to call | call; check if that is nothing |
    | bet, raise with the stack or more | all-in |
    | call | call; check if nothing is to call |
    | all-in | all-in, whatever the `amount` |

    Everything else is refused with what is possible: nobody puts in more chips than they said.
    """

    bet: int  # what the player has put in during this betting round
    to_call: int  # what the player adds to call; at most the stack
    stack: int
    available: Mapping[str, Action]
    """The possible actions by their kind; those of bet and raise have totals, `min` and `max`."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """As in the original, a raise of the big blind to which nobody raised is a bet."""
        return tuple(
            "bet" if kind == "raise" and self.to_call == 0 else kind for kind in self.available
        )

    @property
    def least_and_most(self) -> tuple[int, int] | None:
        """The smallest and the largest amount of a bet or raise; None if neither is possible."""
        offered = self._raise
        return (offered["min"] - self.bet, offered["max"] - self.bet) if offered else None

    @property
    def _raise(self) -> Action | None:
        return self.available.get("bet") or self.available.get("raise")

    def action(self, kind: ActionKind, added: int | None) -> Action:
        """Return the action of an answer; raises ValueError."""
        if kind in {"bet", "raise"}:
            return self._raised(kind, added)
        if kind == "call" and self.to_call == 0:
            kind = "check"
        if kind not in self.available:
            raise ValueError(f"{kind} is not possible now")
        return {"action_type": kind}

    def _raised(self, kind: ActionKind, added: int | None) -> Action:
        if added is None:
            raise ValueError(f"{kind} needs amount, the chips that you add")
        if added == self.to_call:
            return self.action("call", None)
        if added >= self.stack and "all-in" in self.available:
            return {"action_type": "all-in"}
        offered, amounts = self._raise, self.least_and_most
        if offered is None or amounts is None:
            raise ValueError(f"{kind} is not possible now")
        least, most = amounts
        if added < least:
            raise ValueError(f"{kind} adds fewer chips than the smallest (amount is what you add)")
        if added > most:
            raise ValueError(f"{kind} adds more chips than the largest (amount is what you add)")
        return {"action_type": offered["action_type"], "amount": self.bet + added}


class OfferedTotals(NamedTuple):
    """What a player may do at one decision that names totals for the betting round."""

    unit: Unit
    available: Mapping[str, Action]
    """The possible actions by their kind; those of bet and raise have `min` and `max`, in chips."""
    current_bet: int  # the highest bet of this betting round, in chips

    @classmethod
    def of(cls, question: ActionRequest, response: ActionResponse) -> Self:
        """Take the answer's amount as a multiple of its table's unit, which is not named."""
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

    def action(self, response: ActionResponse) -> Action:
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

    def _illegal(self, message: str, response: ActionResponse) -> IllegalAnswer:
        return illegal(message, response, self.unit, self.available)


def illegal(
    message: str,
    response: ActionResponse,
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
