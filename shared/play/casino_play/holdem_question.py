"""A question of Hold'em to one player, `ActionRequest`, and the judgement of its answer. Pure.

An answer's `amount` is a total for the betting round, or the chips to add. One that is not legal
raises `IllegalAnswer`; `Turn.decide` (`turn.py`) then asks once more, and notes the fault.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, Literal, NamedTuple, Self

from casino_agentkit import HotOutput
from casino_contracts import (
    ActionKind,
    ActionRequest,
    ActionResponse,
    CardProof,
    Rejection,
    Unit,
)
from casino_contracts.fast_struct import FastReader
from casino_games.holdem.game import legal_actions

from casino_play.errors import IllegalAnswer
from casino_play.hand_questions import HandQuestions
from casino_play.turn import Action

BRIEF = (
    "You are a player in a game of No-Limit Texas Hold'em and it is your turn."
    " Choose one of legalActions. For bet and raise give amount as the TOTAL you will have put in"
    " during this betting round, from minRaiseTo to maxRaiseTo; all other actions need no amount."
)
BRIEF_OF_ADDED = (
    "You are a player in a game of No-Limit Texas Hold'em and it is your turn."
    " Choose one of legalActions. For bet and raise give amount as the chips that you ADD, at least"
    " currentBet (what you have to call) plus minimumRaise; all other actions need no amount."
)

_REPLY: Final = HotOutput(ActionResponse, FastReader(ActionResponse).read)
_MILLISECOND: Final = timedelta(milliseconds=1)


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
            if total <= self.current_bet and smallest <= as_total <= largest:  # no total itself
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


class HoldemQuestion:
    """One question to the player that decides now; parses the answer.

    It holds until the hand goes on. With `adds_chips` its amounts are those of the original casino,
    see `AddedChips`.
    """

    reply = _REPLY

    def __init__(
        self,
        questions: HandQuestions,
        *,
        adds_chips: bool = False,
        proof: CardProof | None = None,
    ) -> None:
        self._questions = questions
        self._unit = questions.unit
        self._available: dict[str, Action] = {
            action["action_type"]: action for action in legal_actions(questions.hand)
        }
        self.adds_chips = adds_chips
        self.proof = proof
        """That the table committed to the hole cards, where the player is told."""

    @property
    def brief(self) -> str:
        return BRIEF_OF_ADDED if self.adds_chips else BRIEF

    def for_invoke_profile(self) -> "HoldemQuestion":
        """Return this question with the amounts of the original casino."""
        return HoldemQuestion(self._questions, adds_chips=True, proof=self.proof)

    @property
    def _faced(self) -> AddedChips:
        hand = self._questions.hand
        seat = hand.actor
        return AddedChips(hand.bets[seat], hand.to_call, hand.stacks[seat], self._available)

    @property
    def default(self) -> Action:
        """Check if that is legal, else fold."""
        kind: Literal["check", "fold"] = "check" if "check" in self._available else "fold"
        return {"action_type": kind}

    def request(
        self,
        attempt: int,
        left: timedelta,
        rejected: Rejection | None,
        time_bank_ms: int | None = None,
    ) -> bytes:
        deadline_ms = left // _MILLISECOND
        if self.adds_chips:
            legal, current_bet = self._faced.kinds, self._questions.hand.to_call
        else:
            legal, current_bet = tuple(self._available), None
        request = self._questions.request(attempt, deadline_ms, time_bank_ms, legal, current_bet)
        wire = request.wire()
        if rejected is not None:
            wire = wire.replace(b',"players":', b',"rejected":%b,"players":' % rejected.wire(), 1)
        if self.proof is not None:
            wire = b'%b,"proof":%b}' % (wire[:-1], self.proof.wire())
        return wire

    def action(self, response: ActionResponse) -> Action:
        if self.adds_chips:
            return self._action_of_added(response)
        return OfferedTotals(self._unit, self._available, self._questions.hand.price).action(
            response
        )

    def _action_of_added(self, response: ActionResponse) -> Action:
        faced = self._faced
        amount = response.amount if response.action in {"bet", "raise"} else None
        try:
            added = None if amount is None else self._unit.chips(amount)
        except ValueError as error:
            raise self._illegal(f"amount {error}", response) from error
        try:
            return faced.action(response.action, added)
        except ValueError as error:
            raise self._illegal(str(error), response) from error

    def _illegal(self, message: str, response: ActionResponse) -> IllegalAnswer:
        faced = self._faced
        offered = dict(zip(faced.kinds, self._available.values(), strict=True))
        return illegal(message, response, self._unit, offered, faced.bet)
