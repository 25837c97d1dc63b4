"""How a plan file and a command name players: `equity`, `bots/mine.py`, a URL, `NAME=…`. Pure."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from casino_player_example.styles.catalogue import STYLES

from casino_match.errors import InvalidPlan

STYLE: Final = "style:"
DEFAULT_FUNCTION: Final = "act"
_NAMED = re.compile(r"([^=/:]+)=(.+)", re.DOTALL)
_LONGEST_NAME: Final = 60


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
    """Return the players of a plan, each with a name of its own.

    Texts are read as a command's arguments. Raises InvalidPlan.
    """
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
            entrant["name"] = _free_name(_name_of(entrant["player"]), taken, names)
            taken.add(entrant["name"])
    return entrants


def _check_arguments(number: int, arguments: Any) -> None:
    """Raise InvalidPlan for arguments that JSON cannot hold, such as dates."""
    try:
        json.dumps(arguments, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidPlan(
            f"players.{number}.arguments: must be values of JSON ({error}): write a text or a"
            " finite number"
        ) from error


def _name_of(player: str) -> str:
    if is_remote(player):
        name = urlsplit(player).netloc.rpartition("@")[2]
    elif player.startswith(STYLE):
        name = player.removeprefix(STYLE)
    else:
        name = re.split(r"[/\\]", file_of(player))[-1].removesuffix(".py")
    return "".join(letter for letter in name if letter.isprintable())[:_LONGEST_NAME] or "player"


def _free_name(name: str, taken: set[str], names: Counter[str]) -> str:
    """Return a name that is not taken; `names` has how far each was numbered."""
    while True:
        names[name] += 1
        candidate = name if names[name] == 1 else f"{name}-{names[name]}"
        if candidate not in taken:
            return candidate
