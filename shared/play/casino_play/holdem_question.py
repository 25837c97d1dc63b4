"""A question of Hold'em to one player: `ActionRequest` and the parsed answer."""

from datetime import timedelta
from typing import Any, Final, Literal, NamedTuple

from casino_agentkit import HotOutput
from casino_contracts import HOLDEM, ActionRequest, ActionResponse, Rejection, Unit
from casino_contracts.hot.action_response import AnyActionResponse, read_action_response
from casino_games.cards import NAMES, Card
from casino_games.holdem import Hand
from casino_games.holdem.actions import legal_actions

from casino_play.cards import wire_cards
from casino_play.errors import IllegalAnswer
from casino_play.holdem_answer import AddedChips, OfferedTotals, illegal
from casino_play.holdem_fields import ROUNDS, HandNames
from casino_play.holdem_json import HoldemJson
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

_REPLY: Final[HotOutput[AnyActionResponse]] = HotOutput(ActionResponse, read_action_response)


class AskedHand(NamedTuple):
    """A hand, and how it is named and counted in questions."""

    hand: Hand
    """Holds every card: only those of the player that is asked are read."""
    names: HandNames
    unit: Unit
    json: HoldemJson
    """Writes the requests of this hand."""


class HoldemQuestion:
    """One question to the player that decides now; parses the answer.

    It holds until the hand goes on. With `adds_chips` its amounts are those of the original casino,
    see `AddedChips`.
    """

    def __init__(
        self, hand_facts: AskedHand, question_id: str, *, adds_chips: bool = False
    ) -> None:
        self._hand_facts = hand_facts
        self._id = question_id
        self._unit = hand_facts.unit
        self._available: dict[str, Action] = {
            action["action_type"]: action for action in legal_actions(hand_facts.hand)
        }
        self.adds_chips = adds_chips

    @property
    def reply(self) -> HotOutput[AnyActionResponse]:
        """How an answer is read."""
        return _REPLY

    @property
    def brief(self) -> str:
        """The task as text."""
        return BRIEF_OF_ADDED if self.adds_chips else BRIEF

    def for_invoke_profile(self) -> "HoldemQuestion":
        """Return this question with the amounts of the original casino."""
        return HoldemQuestion(self._hand_facts, self._id, adds_chips=True)

    @property
    def _faced(self) -> AddedChips:
        hand = self._hand_facts.hand
        seat = hand.actor
        return AddedChips(hand.bets[seat], hand.to_call, hand.stacks[seat], self._available)

    @property
    def default(self) -> Action:
        """Check if that is legal, else fold."""
        kind: Literal["check", "fold"] = "check" if "check" in self._available else "fold"
        return {"action_type": kind}

    @property
    def _raise_to(self) -> tuple[int, int] | None:
        """The smallest and the largest total of a bet or raise."""
        offered = self._available.get("bet") or self._available.get("raise")
        return None if offered is None else (offered["min"], offered["max"])

    def request(
        self,
        attempt: int,
        left: timedelta,
        rejected: Rejection | None,
        time_bank_ms: int | None = None,
    ) -> bytes:
        """Return the `ActionRequest` of an attempt as JSON."""
        request_id = f"{self._id}:{attempt}"
        deadline_ms = left // _MILLISECOND
        if rejected is not None or self.adds_chips:
            return self._unusual(request_id, deadline_ms, rejected, time_bank_ms)
        return self._hand_facts.json.request(
            request_id, tuple(self._available), self._raise_to, deadline_ms, time_bank_ms
        )

    def _unusual(
        self,
        request_id: str,
        deadline_ms: int,
        rejected: Rejection | None,
        time_bank_ms: int | None,
    ) -> bytes:
        """Return a request with the reason of a refusal, or with amounts to add."""
        hand, names, unit, writer = self._hand_facts
        amount, faced, raise_to = unit.amount, self._faced, self._raise_to
        me = names.players[hand.actor]
        legal: tuple[Any, ...] = faced.kinds if self.adds_chips else tuple(self._available)
        request = ActionRequest(
            table_id=names.table_id,
            betting_round=ROUNDS[hand.street],
            community_cards=wire_cards(_names(hand.board)),
            hole_cards=wire_cards(_names(hand.hole_of(hand.actor))),
            pot=amount(hand.pot),
            minimum_raise=amount(hand.min_raise),
            current_bet=amount(faced.to_call if self.adds_chips else hand.price),
            player_stack=amount(faced.stack),
            legal_actions=legal,
            request_id=request_id,
            game_type=HOLDEM,
            hand_id=names.hand_id,
            hand_number=names.hand_number,
            player_id=me.player_id,
            seat_number=me.seat_number,
            button_seat=names.players[-1].seat_number,
            to_call=amount(faced.to_call),
            min_raise_to=amount(raise_to[0]) if raise_to else None,
            max_raise_to=amount(raise_to[1]) if raise_to else None,
            deadline_ms=deadline_ms,
            time_bank_ms=time_bank_ms,
            rejected=rejected,
        )
        return b'%b,"players":[%b],"history":[%b]}' % (
            request.wire()[:-1],
            writer.players(),
            writer.history(),
        )

    def action(self, response: AnyActionResponse) -> Action:
        """Return the answer as an action of the game; raises IllegalAnswer."""
        if self.adds_chips:
            return self._action_of_added(response)
        return OfferedTotals(self._unit, self._available, self._hand_facts.hand.price).action(
            response
        )

    def _action_of_added(self, response: AnyActionResponse) -> Action:
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

    def _illegal(self, message: str, response: AnyActionResponse) -> IllegalAnswer:
        faced = self._faced
        offered = dict(zip(faced.kinds, self._available.values(), strict=True))
        return illegal(message, response, self._unit, offered, faced.bet)


_MILLISECOND: Final = timedelta(milliseconds=1)


def _names(cards: tuple[Card, ...]) -> list[str]:
    return [NAMES[card] for card in cards]
