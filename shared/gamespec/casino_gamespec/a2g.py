"""Translate offers, actions and results between this casino's form and that of A2G. Pure.

An offer is here `{"action_type": "raise", "min": 4, "max": 9}`; A2G writes
`{"type": "raise", "minAmount": 4, "maxAmount": 9}`. An action is here
`{"action_type": "raise", "amount": 4}`, in A2G `{"action": "raise", "amount": 4}`. All other keys
are the same on both sides. Which of them a game has is in its specification.

Other A2G servers name only `type`; the parameters are their own: `minAmount` and `maxAmount`,
`minBet` and `maxBet`, a list such as `betTypes`, an amount such as `callAmount` that only informs.
What is to be sent back is said by the game's Action Schema alone. So an offer of theirs has several
readings, and the first is taken whose answer conforms to it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import ceil, floor
from typing import Any, TypeGuard

from casino_gamespec.choice import answer, kind_of

Json = dict[str, Any]

_KIND, _OFFERED_KIND, _CHOSEN_KIND = "action_type", "type", "action"
_LIMITS = {"min": "minAmount", "max": "maxAmount"}

_MAX_READINGS = 64
_MAX_CHOICES = 500
_OWN_KEYS = {"type", "action", "action_type"}


def a2g_offer(offer: Mapping[str, Any]) -> Json:
    """Return an offer of this casino as A2G writes it.

    >>> a2g_offer({"action_type": "PLACE_BET", "bet": "red", "min": 1, "max": 50})
    {'type': 'PLACE_BET', 'bet': 'red', 'minAmount': 1, 'maxAmount': 50}
    """
    limits = _LIMITS if offer.keys() >= _LIMITS.keys() else {}
    names = {_KIND: _OFFERED_KIND, **limits}
    return {names.get(key, key): value for key, value in offer.items()}


def a2g_action(action: Mapping[str, Any]) -> Json:
    """Return an action of this casino as the payload of `submit_action`.

    >>> a2g_action({"action_type": "raise", "amount": 40})
    {'action': 'raise', 'amount': 40}
    """
    return {_CHOSEN_KIND if key == _KIND else key: value for key, value in action.items()}


def a2g_result(result: Mapping[str, Any]) -> Json:
    """Return a result of this casino as the payload of `round_result`.

    `grossAmount` is the winner's score: the chips won in the round, its own bets not counted.
    The games here take no rake.

    >>> a2g_result({"scores": {"ann": 3, "ben": -3}, "winners": ["ann"], "totalRake": 0})["winners"]
    [{'playerId': 'ann', 'grossAmount': 3, 'rake': 0, 'netAmount': 3}]
    """
    scores = result.get("scores", {})
    winners = [
        {
            "playerId": winner,
            "grossAmount": scores.get(winner, 0),
            "rake": 0,
            "netAmount": scores.get(winner, 0),
        }
        for winner in result.get("winners", ())
    ]
    return {**result, "winners": winners, "totalRake": result.get("totalRake", 0)}


def from_a2g(payload: Mapping[str, Any], offers: Sequence[Mapping[str, Any]]) -> Json:
    """Return the payload of `submit_action` as an action of this casino.

    A kind is compared without regard to case, `-` and `_`, and spelled as in `offers`. Keys that
    no offer of this kind has are left out, because additions of a client are ignored. An action
    that is not offered is returned too, to be refused by whoever checks it.

    >>> from_a2g({"action": "Raise", "amount": 7}, [{"action_type": "RAISE", "min": 4, "max": 9}])
    {'action_type': 'RAISE', 'amount': 7}
    """
    action = {_KIND: payload.get(_CHOSEN_KIND, payload.get(_KIND, ""))}
    alike = [offer for offer in offers if kind_of(offer) == kind_of(action)]
    parameters = {"amount"}.union(*alike) - {_KIND, *_LIMITS}
    action.update((key, value) for key, value in payload.items() if key in parameters)
    return {**action, _KIND: alike[0][_KIND]} if alike else action


def read_offers(
    offers: Sequence[object], conforms: Callable[[Json], bool] = lambda _payload: True
) -> list[Json]:
    """Return the offers as this casino writes them; several for one with a list of choices.

    `conforms` returns whether a payload of `submit_action` conforms to the Action Schema. An offer
    without a reading that does is left out, because nothing is inferred.

    >>> read_offers([{"type": "place_bet", "betTypes": ["red"], "minBet": 1, "maxBet": 9}])
    [{'action_type': 'place_bet', 'betType': 'red', 'min': 1, 'max': 9}]
    >>> read_offers([{"type": "call", "callAmount": 50}, {"type": "fold"}])
    [{'action_type': 'call'}, {'action_type': 'fold'}]
    """
    readable = (
        offer
        for written in offers
        if isinstance(written, Mapping) and isinstance(written.get("type"), str)
        for offer in _read(written, conforms)
    )
    return list(islice(readable, _MAX_CHOICES))


def _read(written: Mapping[str, Any], conforms: Callable[[Json], bool]) -> list[Json]:
    """Return an offer by its first reading of which an answer conforms, else nothing."""
    for reading in islice(_readings(written), _MAX_READINGS):
        if conforms(a2g_action(answer(reading[0]))):
            return [offer for offer in reading if conforms(a2g_action(answer(offer)))]
    return []


def _readings(written: Mapping[str, Any]) -> Iterator[list[Json]]:
    """Yield what an offer may mean, the likeliest first; each reading is one or more offers."""
    kind = {"action_type": written["type"]}
    parameters = {key: value for key, value in written.items() if key not in _OWN_KEYS}
    limits = _limits(parameters)
    lists = {key: value for key, value in parameters.items() if isinstance(value, list) and value}
    amounts = {
        key: value
        for key, value in parameters.items()
        if key not in lists and key.casefold().endswith("amount") and key != "amount"
    }
    plain = {key: value for key, value in parameters.items() if key not in {*lists, *amounts}}
    fixed = [{}, *({"amount": value} for value in amounts.values()), amounts]
    for names in _names_of(lists):
        for literal in _subsets(plain):
            for more in fixed:
                yield [
                    {**kind, **literal, **more, **choice, **limits}
                    for choice in _choices(names, lists)
                ]


def _limits(parameters: Json) -> Json:
    """Take both limits out of the parameters, narrowed to whole numbers; empty without both."""
    for low in parameters:
        if not low.startswith("min"):
            continue
        high = "max" + low.removeprefix("min")
        least, most = parameters[low], parameters.get(high)
        if _is_number(least) and _is_number(most) and ceil(least) <= floor(most):
            del parameters[low], parameters[high]
            return {"min": ceil(least), "max": floor(most)}
    return {}


def _is_number(value: object) -> TypeGuard[int | float]:
    is_finite = isinstance(value, float) and abs(value) < float(2**53)
    return type(value) is int or is_finite


def _names_of(lists: Json) -> Iterator[dict[str, str]]:
    """Yield the key of the answer for each list: `betTypes` is answered by `betType` or `bet`."""
    yield {key: _singular(key) for key in lists}
    if lists:
        yield {key: _singular(key).removesuffix("Type") for key in lists}
        yield {key: key for key in lists}


def _singular(key: str) -> str:
    return key.removesuffix("s")


def _choices(names: Mapping[str, str], lists: Json) -> list[Json]:
    """Return each combination of one value of each list."""
    combinations: list[Json] = [{}]
    for key, values in lists.items():
        if len(combinations) * len(values) > _MAX_CHOICES:
            values = values[: max(1, _MAX_CHOICES // len(combinations))]  # noqa: PLW2901
        combinations = [
            {**before, names[key]: value} for before in combinations for value in values
        ]
    return combinations


def _subsets(parameters: Json) -> Iterator[Json]:
    """Yield the parameters that are repeated: all, all but one each, none."""
    yield parameters
    for left_out in parameters if len(parameters) > 1 else ():
        yield {key: value for key, value in parameters.items() if key != left_out}
    if parameters:
        yield {}
