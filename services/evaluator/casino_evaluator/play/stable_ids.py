"""Stable ids in what is shown, because the lobby's player ids differ from room to room."""

from collections.abc import Mapping
from typing import Any

CANDIDATE = "candidate"
OPPONENT = "opponent"

Json = dict[str, Any]


def renamed(value: Any, ids: Mapping[str, str]) -> Any:
    """Return a JSON value with ids replaced, in texts and keys.

    >>> renamed({"scores": {"player-1": 3}, "winner": "player-1"}, {"player-1": "candidate"})
    {'scores': {'candidate': 3}, 'winner': 'candidate'}
    """
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, Mapping):
        return {ids.get(key, key): renamed(inner, ids) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(inner, ids) for inner in value]
    return value


def third_parties(public: Json) -> list[str]:
    """Return the players of a public state, after `renamed`, that are neither of the two."""
    players = public.get("players")
    if not isinstance(players, list):
        return []
    ids = [player.get("player_id") for player in players if isinstance(player, dict)]
    return [str(player_id) for player_id in ids if player_id not in {CANDIDATE, OPPONENT}]
