"""A question of Hold'em to one player: `ActionRequest` and the parsed answer."""

from datetime import timedelta
from typing import Final, Literal

from casino_agentkit import HotOutput
from casino_contracts import ActionResponse, Rejection
from casino_contracts.fast_struct import FastReader
from casino_games.holdem.game import legal_actions

from casino_play.errors import IllegalAnswer
from casino_play.hand_questions import HandQuestions
from casino_play.holdem_answer import AddedChips, OfferedTotals, illegal
from casino_play.player_decision import Action

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


class HoldemQuestion:
    """One question to the player that decides now; parses the answer.

    It holds until the hand goes on. With `adds_chips` its amounts are those of the original casino,
    see `AddedChips`.
    """

    reply = _REPLY

    def __init__(self, questions: HandQuestions, *, adds_chips: bool = False) -> None:
        self._questions = questions
        self._unit = questions.unit
        self._available: dict[str, Action] = {
            action["action_type"]: action for action in legal_actions(questions.hand)
        }
        self.adds_chips = adds_chips

    @property
    def brief(self) -> str:
        return BRIEF_OF_ADDED if self.adds_chips else BRIEF

    def for_invoke_profile(self) -> "HoldemQuestion":
        """Return this question with the amounts of the original casino."""
        return HoldemQuestion(self._questions, adds_chips=True)

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
        if rejected is None:
            return request.wire()
        return request.wire().replace(
            b',"players":', b',"rejected":%b,"players":' % rejected.wire(), 1
        )

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
