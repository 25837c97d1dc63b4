"""Summarize any game's public state as labelled one-line facts.

The state comes from an untrusted table: only two levels are read, long texts are cut, and no
shape is required. Player ids are replaced by names. The page's `game_state.js` reads a state by
the same names and limits; `tests/vectors/foreign_states.json` is for both.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from casino_contracts import HOLDEM
from casino_contracts.events.content import ActionTaken

from casino.output import chips

_MAX_FACTS = 12
_MAX_ITEMS = 10
_MAX_TEXT = 40
_MAX_DEPTH = 4
_HIDDEN = {
    "game_type",
    "gameType",
    "current_player",
    "currentPlayer",
    "player_id",
    "playerId",
    "history",
}
_HIDDEN_OF_PLAYERS = {*_HIDDEN, "stack"}
_CARD = re.compile(r"(10|[2-9TJQKA])[hdcs]")
_LOWER_UPPER = re.compile(r"(?<=[a-z])(?=[A-Z])")


def words(name: str) -> str:
    """Return an identifier of the wire format as lower-case words.

    >>> words("PLAY_CARD"), words("toCall")
    ('play card', 'to call')
    """
    return re.sub(r"[\s_-]+", " ", _LOWER_UPPER.sub(" ", name)).strip().lower()


def game_words(game_type: str | None) -> str:
    """Return the name of a game other than Hold'em as words, "" for Hold'em."""
    return "" if game_type in {None, HOLDEM} else _cut(words(str(game_type)))


def action_words(content: ActionTaken) -> str:
    """Return an action's type and other fields as words, such as "play card 7"."""
    details = content.details or {}
    rest = (value for key, value in details.items() if key != "action_type")
    values = ("…" if isinstance(value, dict | list) else str(value) for value in rest)
    return _cut(" ".join((words(content.action or ""), *values)))


def facts_of(state: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Return one-line facts by label; `names` maps player ids to names."""
    facts: dict[str, str] = {}
    for key, value in state.items():
        if key in _HIDDEN:
            continue
        by_player = _by_player(value, names)
        if by_player is None:
            text = _fact(value, names)
            if text:
                facts[_cut(words(key))] = text
        for player_id, item in by_player or ():
            text = _player_fact(item, names)
            name = _cut(names[player_id])
            if text and key == "players":
                facts[name] = text
            elif text:
                label = _cut(words(key))
                facts[label] = (
                    f"{facts[label]}, {name} {text}" if label in facts else f"{name} {text}"
                )
    return dict(list(facts.items())[:_MAX_FACTS])


def _by_player(value: Any, names: Mapping[str, str]) -> list[tuple[str, Any]] | None:
    """Return (player id, item) pairs, or None if the value is not by players."""
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = [(_player_of(item), item) for item in value]
    else:
        return None
    return pairs if pairs and all(key in names for key, _ in pairs) else None


def _player_of(item: Any) -> str:
    """Return the player id that an item of a list names, "" if it names none."""
    named = item.get("player_id", item.get("playerId")) if isinstance(item, dict) else None
    return named if isinstance(named, str) else ""


def _player_fact(item: Any, names: Mapping[str, str]) -> str:
    if not isinstance(item, dict):
        return _line(item, names)
    scalars = [
        (key, _text(value, names))
        for key, value in item.items()
        if key not in _HIDDEN_OF_PLAYERS
        and value not in (None, "")
        and not isinstance(value, dict | list)
        and not _CARD.fullmatch(str(value))
    ]
    cards = " ".join(_cards(item))
    if len(scalars) == 1 and len(item) <= 2:  # noqa: PLR2004  player_id and one field
        return scalars[0][1]
    parts = [f"{words(key)} {text}" for key, text in scalars[:_MAX_ITEMS]]
    return _cut(", ".join(filter(None, (cards, *parts))), 2 * _MAX_TEXT)


def _cards(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str) and _CARD.fullmatch(value):
        yield value
    elif isinstance(value, dict | list) and depth <= _MAX_DEPTH:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _cards(item, depth + 1)


def _fact(value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, dict):
        parts = (
            f"{words(key)} {_line(inner, names)}"
            for key, inner in list(value.items())[:_MAX_ITEMS]
            if not isinstance(inner, dict) and _line(inner, names) not in {"", "0"}
        )
        return _cut(", ".join(parts), 2 * _MAX_TEXT)
    return _line(value, names)


def _line(value: Any, names: Mapping[str, str]) -> str:
    """Return a scalar or a list of scalars as text; for any other list its length."""
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


def _cut(text: str, limit: int = _MAX_TEXT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
