"""A game's public state, whatever game it is, as facts of a line each. Pure.

The state is a stranger's: it is looked into two levels deep, long texts are cut, and nothing is
asked of it. A player's id reads as his name.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from casino_contracts import HOLDEM, GameActedPayload

from casino.formatting import chips

_MOST_FACTS = 12
_MOST_ITEMS = 10
_MOST_TEXT = 40
_DEEPEST = 4
_HIDDEN = {"game_type", "current_player", "player_id", "history", "stack"}
_CARD = re.compile(r"(10|[2-9TJQKA])[hdcs]")
_LOWER_UPPER = re.compile(r"(?<=[a-z])(?=[A-Z])")


def words(name: str) -> str:
    """Return a name of the wire as words.

    >>> words("PLAY_CARD"), words("toCall")
    ('play card', 'to call')
    """
    return re.sub(r"[\s_-]+", " ", _LOWER_UPPER.sub(" ", name)).strip().lower()


def game_words(game_type: str | None) -> str:
    """Return the name of a game other than Hold'em as words, "" for Hold'em."""
    return "" if game_type in {None, HOLDEM} else _cut(words(str(game_type)))


def action_words(payload: GameActedPayload) -> str:
    """Return an action as words: its type, and what it says besides, such as "play card 7"."""
    rest = (value for key, value in payload.details.items() if key != "action_type")
    values = ("…" if isinstance(value, dict | list) else str(value) for value in rest)
    return _cut(" ".join((words(payload.action), *values)))


def facts_of(state: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Return what a state says by what it is about; `names` are the players' by their ids."""
    facts: dict[str, str] = {}
    for key, value in state.items():
        if key in _HIDDEN:
            continue
        by_player = _by_player(value, names)
        if by_player is None:
            told = _told(value, names)
            if told:
                facts[_cut(words(key))] = told
        for player_id, item in by_player or ():
            told = _of_player(item, names)
            name = _cut(names[player_id])
            if told and key == "players":
                facts[name] = told
            elif told:
                label = _cut(words(key))
                facts[label] = (
                    f"{facts[label]}, {name} {told}" if label in facts else f"{name} {told}"
                )
    return dict(list(facts.items())[:_MOST_FACTS])


def _by_player(value: Any, names: Mapping[str, str]) -> list[tuple[str, Any]] | None:
    """Return what is told of each player, None for a value that is not by players."""
    if not isinstance(value, list) or not value:
        return None
    pairs = [(item.get("player_id") if isinstance(item, dict) else None, item) for item in value]
    known = [(key, item) for key, item in pairs if isinstance(key, str) and key in names]
    return known if len(known) == len(pairs) else None


def _of_player(item: Mapping[str, Any], names: Mapping[str, str]) -> str:
    scalars = [
        (key, _text(value, names))
        for key, value in item.items()
        if key not in _HIDDEN
        and value not in (None, "")
        and not isinstance(value, dict | list)
        and not _CARD.fullmatch(str(value))
    ]
    cards = " ".join(_cards(item))
    if len(scalars) == 1 and len(item) <= 2:  # noqa: PLR2004  the player and one thing
        return scalars[0][1]
    parts = [f"{words(key)} {text}" for key, text in scalars[:_MOST_ITEMS]]
    return _cut(", ".join(filter(None, (cards, *parts))), 2 * _MOST_TEXT)


def _cards(value: Any, depth: int = 0) -> Iterator[str]:
    """Find the cards in a value, such as "Qs", however its lists are named."""
    if isinstance(value, str) and _CARD.fullmatch(value):
        yield value
    elif isinstance(value, dict | list) and depth <= _DEEPEST:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _cards(item, depth + 1)


def _told(value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, dict):
        parts = (
            f"{words(key)} {_line(inner, names)}"
            for key, inner in list(value.items())[:_MOST_ITEMS]
            if not isinstance(inner, dict) and _line(inner, names)
        )
        return _cut(", ".join(parts), 2 * _MOST_TEXT)
    return _line(value, names)


def _line(value: Any, names: Mapping[str, str]) -> str:
    """Return a scalar, or a list of them; of a list of other things how many they are."""
    if not isinstance(value, list):
        return _text(value, names)
    if any(isinstance(item, dict | list) for item in value):
        return str(len(value))
    return _cut(" ".join(_text(item, names) for item in value))


def _text(value: Any, names: Mapping[str, str]) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return _cut(chips(value))
        case _:
            return _cut(names.get(str(value), str(value)))


def _cut(text: str, most: int = _MOST_TEXT) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
