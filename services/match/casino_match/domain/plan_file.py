"""Read the plan of a match: `match.toml`, or values as a command has them. Pure.

Players are named as `equity`, `bots/mine.py`, a URL, or `NAME=…`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from casino_agentkit import Duration
from casino_agentkit.violations import violations_text
from casino_contracts.foreign_text import LIMITS, ForeignText, TextLimits
from casino_play.bot_file import DEFAULT_FUNCTION
from casino_player_example.style_catalogue import STYLES
from pydantic import TypeAdapter, ValidationError

from casino_match.domain.plan import Deal, Plan
from casino_match.errors import InvalidPlan

STYLE: Final = "style:"
_NAMED = re.compile(r"([^=/:]+)=(.+)", re.DOTALL)
_LONGEST_MADE: Final = 60
"""Of a name that is made of the player: a number may follow."""

_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)
_DURATIONS: Final = (("rules", "clock"), ("faults", "patience"))
_BLOCKS: Final = 200
"""Number of blocks of a match whose plan does not say how many decks a block has."""
_LEAST_DECKS, _MOST_DECKS = 100, 5_000
"""Of such a block."""
_LEAST_PLAYERS: Final = 2
_SHOWN: Final = 3
"""Number of faults that a message names."""
_LONGEST_FAULTS: Final = 1_000
"""Of them together: they name fields of the file."""


def is_remote(player: str) -> bool:
    """Return whether a player is an agent, which is named by its URL."""
    return player.startswith(("http://", "https://"))


def is_function(player: str) -> bool:
    """Return whether a player is a function of a file, such as `bots/mine.py:act`."""
    return not is_remote(player) and not player.startswith(STYLE)


def file_of(player: str) -> str:
    """Return the file of a function, as it is written in the plan.

    >>> file_of("bots/mine.py:act")
    'bots/mine.py'
    """
    return player.rpartition(":")[0] or player


def player_of(text: str) -> str:
    """Return a player's full form; raises InvalidPlan for what names none.

    >>> player_of("equity"), player_of("bots/mine.py"), player_of("bots/mine.py:raise_all")
    ('style:equity', 'bots/mine.py:act', 'bots/mine.py:raise_all')
    """
    if is_remote(text):
        return text
    style = text.removeprefix(STYLE)
    if style in STYLES:
        return STYLE + style
    file, colon, function = text.rpartition(":")
    if colon and file.endswith(".py") and function.isidentifier():
        return text
    if text.endswith(".py"):
        return f"{text}:{DEFAULT_FUNCTION}"
    raise InvalidPlan(
        f"players: {text[:100]!r} is no player: write a style ({', '.join(STYLES)}), a Python file"
        " such as bots/mine.py or bots/mine.py:act, or the http URL of an agent"
    )


def entrant_of(text: str) -> dict[str, Any]:
    """Return the player, and the name if there is one, of `NAME=BOT` or `BOT`."""
    named = _NAMED.fullmatch(text)
    if named is None:
        return {"player": player_of(text)}
    return {"name": named[1], "player": player_of(named[2])}


def entrants_of(items: Iterable[Any]) -> list[dict[str, Any]]:
    """Return a plan's players, named, of texts as a command has them; raises InvalidPlan."""
    entrants: list[dict[str, Any]] = []
    for number, item in enumerate(items):
        if isinstance(item, str):
            entrants.append(entrant_of(item))
        elif isinstance(item, Mapping) and isinstance(item.get("player"), str):
            _check_arguments(number, item.get("arguments", {}))
            entrants.append({**item, "player": player_of(item["player"])})
        else:
            raise InvalidPlan(
                f'players.{number}: write a text such as "equity", or a table with `player`'
            )
    taken = {entrant["name"] for entrant in entrants if isinstance(entrant.get("name"), str)}
    names: Counter[str] = Counter()
    for entrant in entrants:
        if "name" not in entrant:
            entrant["name"] = _free_name(_name_of_player(entrant["player"]), taken, names)
            taken.add(entrant["name"])
    return entrants


def _check_arguments(number: int, arguments: Any) -> None:
    try:
        json.dumps(arguments, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidPlan(
            f"players.{number}.arguments: must be values of JSON ({error}): write a text or a"
            " finite number"
        ) from error


def _name_of_player(player: str) -> str:
    if is_remote(player):
        name = urlsplit(player).netloc.rpartition("@")[2]
    elif player.startswith(STYLE):
        name = player.removeprefix(STYLE)
    else:
        name = re.split(r"[/\\]", file_of(player))[-1].removesuffix(".py")
    return "".join(letter for letter in name if letter.isprintable())[:_LONGEST_MADE] or "player"


def _free_name(name: str, taken: set[str], names: Counter[str]) -> str:
    """Return a name that is not taken; `names` has how far each was numbered."""
    while True:
        names[name] += 1
        candidate = name if names[name] == 1 else f"{name}-{names[name]}"
        if candidate not in taken:
            return candidate


def values_of(text: str, limits: TextLimits = LIMITS) -> dict[str, Any]:
    """Return the values of a TOML file; raises InvalidPlan with the line of a fault."""
    try:
        return limits.toml(text)
    except ForeignText as error:
        raise InvalidPlan(f"the plan is not valid TOML: {error}") from error


def merged(values: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with others in their place; tables are merged field by field."""
    result = {**values}
    for name, value in over.items():
        below = result.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[name] = merged(below, value)
        else:
            result[name] = value
    return result


def complete(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with names, full forms and the size of the blocks; raises InvalidPlan."""
    result = {**values}
    players = values.get("players")
    if not isinstance(players, (list, tuple)):
        raise InvalidPlan("players: must be a list of at least 2 players")
    if len(players) < _LEAST_PLAYERS:
        raise InvalidPlan("players: name at least 2 players, such as mybot.py and tight")
    result["players"] = entrants_of(players)
    if "name" not in result:
        result["name"] = _name_of([str(player["name"]) for player in result["players"]])
    deal = values.get("deal", {})
    if isinstance(deal, Mapping) and "decks_per_block" not in deal:
        decks = deal.get("decks", Deal.model_fields["decks"].default)
        if isinstance(decks, int):
            size = min(max(-(-decks // _BLOCKS), _LEAST_DECKS), _MOST_DECKS)
            result["deal"] = {**deal, "decks_per_block": size}
    return result


def plan_of(values: Mapping[str, Any]) -> Plan:
    """Return the plan of complete values; raises InvalidPlan, which names fields and fixes."""
    checked = {**values}
    for part, field in _DURATIONS:
        table = checked.get(part)
        if isinstance(table, Mapping) and isinstance(table.get(field), str):
            checked[part] = {**table, field: _duration(table[field], f"{part}.{field}")}
    try:
        return Plan.model_validate(checked)
    except ValidationError as error:
        raise InvalidPlan(faults_of(error)) from error


def faults_of(error: ValidationError) -> str:
    """Return the first faults of a plan, each with its field."""
    return violations_text(error, "plan", at_most=_SHOWN)[:_LONGEST_FAULTS]


def _duration(text: str, field: str) -> timedelta:
    try:
        duration = _DURATION.validate_python(text)
    except ValidationError as error:
        raise InvalidPlan(violations_text(error, field, at_most=1)) from error
    if duration <= timedelta():
        raise InvalidPlan(f"{field}: must be more than 0")
    return duration


def _name_of(names: list[str]) -> str:
    """Return a match's name by its players, of characters that any file system takes."""
    text = "-".join(names) if len(names) < 4 else f"{names[0]}-and-{len(names) - 1}"  # noqa: PLR2004
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:48] or "match"
