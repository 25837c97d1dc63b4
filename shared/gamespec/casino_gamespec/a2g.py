"""Translate offers, actions and results between this casino's form and that of A2G. Pure.

An offer is here `{"action_type": "raise", "min": 4, "max": 9}`; A2G writes
`{"type": "raise", "minAmount": 4, "maxAmount": 9}`. An action is here
`{"action_type": "raise", "amount": 4}`, in A2G `{"action": "raise", "amount": 4}`. All other keys
are the same on both sides. Which of them a game has is in its specification.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from casino_gamespec.choice import kind_of

Json = dict[str, Any]

_KIND, _OFFERED_KIND, _CHOSEN_KIND = "action_type", "type", "action"
_LIMITS = {"min": "minAmount", "max": "maxAmount"}


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
