"""The check of a function's answer: the verdict of a table, and a short way to most of them."""

from typing import Any, Final, TypeVar

from casino_agentkit import Malformed
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.agent_reply import read_output
from casino_contracts import ActionKind, ActionResponse, Unit
from casino_contracts.numbers import MAX_SAFE
from casino_games.holdem import Hand
from casino_games.holdem.game import legal_actions
from casino_play.bot_file import answer_json
from casino_play.holdem_question import OfferedTotals
from pydantic import TypeAdapter

Chosen = tuple[ActionKind, int]
"""An action, and the total of a bet or raise, otherwise 0."""

_ANSWER: Final[TypeAdapter[ActionResponse]] = TypeAdapter(ActionResponse)
_BOUNDS: Final = ReplyBounds()
_UNIT: Final = Unit()
_AGENT: Final = "function"
_MOST_FIELDS: Final = 2

ResponseT = TypeVar("ResponseT")


def plain_choice(answer: Any, hand: Hand) -> Chosen | None:
    """Return the choice of a valid plain answer; None leaves it to `read_answer` and `choice`."""
    if type(answer) is not dict or len(answer) > _MOST_FIELDS:
        return None
    kind = answer.get("action")
    amount = answer.get("amount")
    if type(kind) is not str or len(answer) != 1 + ("amount" in answer):
        return None
    for key in answer:
        if type(key) is not str:  # an object that equals the text is no JSON
            return None
    if amount is not None and (type(amount) is not int or not 0 <= amount <= MAX_SAFE):
        return None
    return legal_choice(kind, amount, hand)


def legal_choice(kind: str, amount: object, hand: Hand) -> Chosen | None:
    """Return a choice if it is legal as it is; `amount` is read for a bet or raise alone."""
    if kind == "bet" or kind == "raise":  # noqa: PLR1714  a set takes longer
        return (kind, amount) if _is_total(kind, amount, hand) else None  # type: ignore[return-value]
    return (kind, 0) if _is_legal(kind, hand) else None  # type: ignore[return-value]


def _is_total(kind: str, amount: object, hand: Hand) -> bool:
    least = hand.min_raise_to
    return (
        type(amount) is int
        and 0 < least <= amount <= hand.max_raise_to
        and least == hand.price + hand.min_raise  # otherwise only an all-in is left
        and kind == ("raise" if hand.price else "bet")
    )


def _is_legal(kind: str, hand: Hand) -> bool:
    if kind == "call" or kind == "fold":  # noqa: PLR1714
        return hand.to_call > 0
    if kind == "check":
        return not hand.to_call
    if kind == "all-in":
        return hand.max_raise_to > 0 or 0 < hand.to_call == hand.stacks[hand.actor]
    return False


def read_answer(answer: Any) -> ActionResponse:
    """Return what a function answered in Hold'em, as a table reads it; raises Malformed."""
    return read_as(_ANSWER, answer)


def read_as(schema: TypeAdapter[ResponseT], answer: Any) -> ResponseT:
    """Return what a function answered, as a table reads messages of a kind; raises Malformed."""
    try:
        text = answer_json(answer)
    except ValueError as error:
        raise Malformed(_AGENT, str(error)) from error
    try:
        value = _BOUNDS.parse(text.encode())
    except ValueError as error:
        raise Malformed(_AGENT, f"the answer {error}") from error
    result = {"message": {"parts": [{"data": value}]}}
    response: ResponseT = read_output(_AGENT, result, schema, _BOUNDS)
    return response


def choice(response: ActionResponse, hand: Hand) -> Chosen:
    """Return an answer as an action of the hand; raises IllegalAnswer, as a table does."""
    offered = {action["action_type"]: action for action in legal_actions(hand)}
    action = OfferedTotals(_UNIT, offered, hand.price).action(response)
    return action["action_type"], action.get("amount", 0)
