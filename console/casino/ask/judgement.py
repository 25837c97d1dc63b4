"""Whether a table would accept an answer, by what the question itself allows. Pure."""

from casino_contracts import ActionRequest, ActionResponse, GameActionRequest, GameActionResponse

from casino.formatting import chips


def objection(
    question: ActionRequest | GameActionRequest, answer: ActionResponse | GameActionResponse
) -> str | None:
    """Return why a table would refuse the answer; None if the question allows it.

    Of a game other than Hold'em, only the type of the action is compared.
    """
    if isinstance(question, ActionRequest) and isinstance(answer, ActionResponse):
        return _objection(question, answer)
    if isinstance(question, GameActionRequest) and isinstance(answer, GameActionResponse):
        kinds = [str(action.get("action_type")) for action in question.available_actions]
        kind = str(answer.action.get("action_type"))
        return None if kind in kinds else f"{kind} is not possible now; legal are {_list(kinds)}"
    return "the answer belongs to a question of another kind"


def _objection(question: ActionRequest, answer: ActionResponse) -> str | None:
    kind, amount = answer.action, answer.amount
    smallest, largest = question.min_raise_to, question.max_raise_to
    fault = None
    if kind not in question.legal_actions:
        fault = f"{kind} is not possible now"
    elif kind not in {"bet", "raise"}:
        return None
    elif amount is None:
        fault = f"{kind} needs amount, a total for this betting round"
    elif smallest is not None and amount < smallest:
        fault = f"{kind} to {chips(amount)} is below the smallest, to {chips(smallest)}"
        as_total = question.current_bet + amount
        if largest is not None and smallest <= as_total <= largest:
            fault += f" (amount is a total: did you mean {chips(as_total)}?)"
    elif largest is not None and amount > largest:
        fault = f"{kind} to {chips(amount)} is above the largest, to {chips(largest)}"
    if fault is None:
        return None
    return f"{fault}; legal are {_list(_legal(question))}"


def _legal(question: ActionRequest) -> list[str]:
    smallest, largest = question.min_raise_to, question.max_raise_to
    if smallest is None or largest is None:
        return [*question.legal_actions]
    bounds = f" (amount {chips(smallest)} to {chips(largest)})"
    return [kind + bounds if kind in {"bet", "raise"} else kind for kind in question.legal_actions]


def _list(kinds: list[str]) -> str:
    return ", ".join(kinds)
