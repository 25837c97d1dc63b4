"""A question of Hold'em to one player: `ActionRequest` and the parsed answer."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from casino_contracts import (
    HOLDEM,
    ActionRequest,
    ActionResponse,
    Rejection,
    Unit,
)

from casino_play.added_chips import AddedChips
from casino_play.cards import wire_cards
from casino_play.decision import Action
from casino_play.errors import IllegalAnswer
from casino_play.offered_totals import OfferedTotals, illegal

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


class Situation(NamedTuple):
    """Everything that one player may know at one decision."""

    table_id: str
    unit: Unit
    hand_id: str
    hand_number: int
    question_id: str
    button_seat: int
    """The number of the button's seat."""
    player_id: str
    seat_number: int
    state: Mapping[str, Any]
    private: Mapping[str, Any]
    players: Iterable[bytes]
    """Each `PlayerView` as JSON."""
    history: Iterable[bytes]
    """Each `PastAction` as JSON."""


class HoldemQuestion:
    """One question to one player; parses the answer.

    With `adds_chips` its amounts are those of the original casino, see `added_chips`.
    """

    reply = ActionResponse

    def __init__(
        self, situation: Situation, available: list[Action], *, adds_chips: bool = False
    ) -> None:
        self._situation = situation
        self._unit = situation.unit
        self._amount = situation.unit.amount
        self._available: dict[str, Action] = {action["action_type"]: action for action in available}
        self._raise = self._available.get("bet") or self._available.get("raise")
        self.adds_chips = adds_chips
        self.brief = BRIEF_OF_ADDED if adds_chips else BRIEF

    def for_invoke_profile(self) -> "HoldemQuestion":
        """Return this question with the amounts of the original casino."""
        return HoldemQuestion(self._situation, [*self._available.values()], adds_chips=True)

    @property
    def _faced(self) -> AddedChips:
        state, player_id = self._situation.state, self._situation.player_id
        me = next(player for player in state["players"] if player["player_id"] == player_id)
        to_call = min(state["current_bet"] - me["bet"], me["stack"])
        return AddedChips(me["bet"], to_call, me["stack"], self._available)

    @property
    def default(self) -> Action:
        """Check if that is legal, else fold."""
        return {"action_type": "check" if "check" in self._available else "fold"}

    def request(
        self,
        attempt: int,
        left: timedelta,
        rejected: Rejection | None,
        time_bank_ms: int | None = None,
    ) -> bytes:
        """Return the `ActionRequest` of an attempt as JSON.

        Players and history are its largest part and change by one entry per decision, so they are
        encoded once and appended to the other fields.
        """
        situation = self._situation
        state, amount = situation.state, self._amount
        faced = self._faced
        legal: tuple[Any, ...] = faced.kinds if self.adds_chips else tuple(self._available)
        request = ActionRequest(
            table_id=situation.table_id,
            betting_round=state["betting_round"],
            community_cards=wire_cards(state["community_cards"]),
            hole_cards=wire_cards(situation.private["hole_cards"]),
            pot=amount(state["pot"]),
            minimum_raise=amount(state["minimum_raise"]),
            current_bet=amount(faced.to_call if self.adds_chips else state["current_bet"]),
            player_stack=amount(faced.stack),
            legal_actions=legal,
            request_id=f"{situation.question_id}:{attempt}",
            game_type=HOLDEM,
            hand_id=situation.hand_id,
            hand_number=situation.hand_number,
            player_id=situation.player_id,
            seat_number=situation.seat_number,
            button_seat=situation.button_seat,
            to_call=amount(faced.to_call),
            min_raise_to=amount(self._raise["min"]) if self._raise else None,
            max_raise_to=amount(self._raise["max"]) if self._raise else None,
            deadline_ms=int(left.total_seconds() * 1000),
            time_bank_ms=time_bank_ms,
            rejected=rejected,
        )
        return b"".join(
            (
                request.wire()[:-1],
                b',"players":[',
                b",".join(situation.players),
                b'],"history":[',
                b",".join(situation.history),
                b"]}",
            )
        )

    def action(self, response: ActionResponse) -> Action:
        """Return the answer as an action of the game; raises IllegalAnswer."""
        if self.adds_chips:
            return self._action_of_added(response)
        offered = OfferedTotals(self._unit, self._available, self._situation.state["current_bet"])
        return offered.action(response)

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
