"""Check an action from outside against the offers of a question, before the table gets it.

So a slip of a person or of a foreign program does not cost the table's second attempt. Types are
compared without regard to case, `-` and `_`; the result is spelled exactly as it was offered.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from casino_agentkit.violations import violations_of
from casino_contracts import Defaulted
from casino_gamespec.choice import answer, default_action, kind_of, range_of
from pydantic import ValidationError

from casino_seats.errors import ActionRefused, RefusedAction

Json = dict[str, Any]
KIND = "action_type"
_AMOUNT = "amount"
_DEFAULT_KINDS = frozenset({"defaulttimeoutaction", "default_timeout_action"})


def checked(action: Mapping[str, Any], offers: Sequence[Json]) -> Json:
    """Return the action as the table takes it.

    `action` has an `action_type`, the amount if the offer has a range, and the further fields of
    the offer if several offers have the same type. Raises ActionRefused: ILLEGAL_ACTION if it is
    not offered, INVALID_AMOUNT if its amount is missing, no whole number, or out of range.

    >>> checked({"action_type": "Bet", "amount": 7}, [{"action_type": "BET", "min": 4, "max": 9}])
    {'action_type': 'BET', 'amount': 7}
    """
    same_kind = [offer for offer in offers if kind_of(offer) == kind_of(action)]
    if not same_kind:
        kinds = ", ".join(dict.fromkeys(str(offer.get(KIND)) for offer in offers))
        raise ActionRefused(
            RefusedAction.ILLEGAL_ACTION,
            f"{_shown(action.get(KIND))} is not offered; offered are {kinds}",
            tuple(offers),
        )
    fields = {key: value for key, value in action.items() if key != KIND}
    fitting = [offer for offer in same_kind if _fits(fields, offer)]
    if not fitting or any(offer != fitting[0] for offer in fitting):
        names = sorted({key for offer in same_kind for key in _literals(offer)})
        raise ActionRefused(
            RefusedAction.ILLEGAL_ACTION,
            f"{same_kind[0][KIND]} needs the fields {', '.join(names)} of one of its offers",
            tuple(offers),
        )
    offer = fitting[0]
    limits = range_of(offer)
    if limits is None:
        return answer(offer)
    least, most = limits
    amount = action.get(_AMOUNT)
    if isinstance(amount, float) and amount.is_integer():
        amount = int(amount)
    if type(amount) is not int or not least <= amount <= most:
        raise ActionRefused(
            RefusedAction.INVALID_AMOUNT,
            f"{offer[KIND]} needs an amount, a whole number from {least} to {most}",
            tuple(offers),
        )
    return answer(offer, amount)


def default_meant(
    action: Mapping[str, Any], offers: Sequence[Json], named: str | None
) -> Json | None:
    """Return the default action if an action only names it, else None.

    `named` is the specification's `defaultTimeoutAction`, which may not be offered now, or not
    without further fields; the word `defaultTimeoutAction` means it, too.

    >>> default_meant({"action_type": "fold"}, [{"action_type": "check"}], "fold")
    {'action_type': 'check'}
    """
    kind = kind_of(action)
    if not offers or kind not in {kind_of({KIND: named or KIND}), *_DEFAULT_KINDS}:
        return None
    if any(kind == kind_of(offer) for offer in offers):
        try:
            checked(action, offers)
        except ActionRefused:
            return default_action(offers, named) if action.keys() == {KIND} else None
        return None
    return default_action(offers, named)


def default_said(value: object) -> Defaulted | None:
    """Return the `defaulted` of an answer; None is absent. Raises ValueError with its faults."""
    if value is None:
        return None
    try:
        return Defaulted.model_validate(value)
    except ValidationError as error:
        faults = (f"defaulted.{one.field}: {one.message}" for one in violations_of(error))
        raise ValueError("; ".join(faults).replace(".:", ":")) from error


def _literals(offer: Json) -> Json:
    no_field = {KIND, "min", "max"} if range_of(offer) else {KIND}
    return {key: value for key, value in offer.items() if key not in no_field}


def _fits(fields: Json, offer: Json) -> bool:
    """Return whether an action can mean an offer: it has all of its literal fields, or none."""
    literals = _literals(offer)
    shared = {key: value for key, value in fields.items() if key in literals}
    return all(literals[key] == value for key, value in shared.items()) and (
        len(shared) == len(literals) or not shared
    )


def _shown(kind: object) -> str:
    return str(kind)[:64] if isinstance(kind, str) else "that"
