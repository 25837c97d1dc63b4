"""The specification of a game whose author wrote none, made from its settings and a rehearsal.

It is marked as made, in its front matter and its text. Its schemas are open: they describe what
every game shares, because a rehearsal does not show everything that a game may say.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import digest
from inspect import cleandoc
from typing import Any

from pydantic import PydanticUserError

from casino_games.errors import GameError
from casino_games.game import Json
from casino_games.hosting.checked_game import Call, at_once
from casino_games.hosting.game_properties import GameTraits, traits_of
from casino_games.hosting.rehearsal import Rehearsal, first_rehearsal
from casino_games.registry import config_class, docstring, game_class, is_specified, specification
from casino_games.spec_document import MESSAGES, block, build, document, example_block
from casino_games.spec_schemas import DIALECT, OFFERS
from casino_games.specification import GameSpecification

_TAG = b"a2a-casino/made/v1"
_TURNS_SHOWN = 12
_LONGEST_RULES = 4000
_FIRST = "first_offered"
"""The default action of a game that names none: no action has this name."""
_OVERVIEW = """\
**This specification is made**: the game's author wrote none.
It was made from the game's settings and from actions that were seen in a rehearsal.

The game is played for {plays_for}."""
_ANSWERING = """\
These actions were seen in a rehearsal; there may be others.
Every question comes with `availableActions`: exactly what is accepted now.
Answer with one of them, repeating its keys.
One that has `min` and `max` is a range: leave these two out and give an `amount`, a whole number \
from `min` to `max`.

When the clock runs out, the {default} is taken."""


@dataclass(frozen=True, slots=True)
class MadeSpecification:
    """A made specification; its version follows from its content."""

    game_type: str
    traits: GameTraits
    sections: Mapping[str, str]
    version: str

    @property
    def name(self) -> str:
        return self.game_type.replace("_", " ").replace("-", " ").title()

    def front_matter(self) -> Json:
        return {
            "gameType": self.game_type,
            "version": self.version,
            "name": self.name,
            "category": "other",
            "gameModel": self.traits.game_model,
            "players": {"min": self.traits.min_players, "max": self.traits.max_players},
            "houseEdge": "unknown",
            "defaultTimeoutAction": self.traits.timeout_action or _FIRST,
            "schemaFormat": "json-schema",
            "made": True,
        }

    def document(self) -> str:
        return document(self.front_matter(), self.name, self.sections)


_made: dict[type, MadeSpecification] = {}
"""By class of the game: a rehearsal takes a while."""


def specification_of(game_type: str, call: Call = at_once) -> GameSpecification | MadeSpecification:
    """Return the registered or else a made specification; raises `GameError`."""
    if is_specified(game_type):
        return specification(game_type)
    rules = game_class(game_type)
    if rules not in _made:
        _made[rules] = _make(game_type, traits_of(game_type), call)
    return _made[rules]


def document_of(game_type: str, call: Call = at_once) -> str:
    """Return a game's specification as Markdown; raises `GameError`."""
    spec = specification_of(game_type, call)
    return spec.document() if isinstance(spec, MadeSpecification) else build(spec)


def _make(game_type: str, traits: GameTraits, call: Call) -> MadeSpecification:
    try:
        most = traits.min_players if traits.is_minimum_said else traits.max_players
        seen = first_rehearsal(game_type, {}, range(traits.min_players, most + 1), call)
    except GameError as error:
        seen = Rehearsal([], [], None)
        examples = f"None: with its default settings the game could not be rehearsed ({error})."
    else:
        turns = seen.turns[:_TURNS_SHOWN]
        shown = {"players": seen.players, "turns": turns, "result": seen.result}
        examples = f"The first {len(turns)} turns.\n\n{example_block(shown)}"
    plays_for = "chips" if traits.plays_for_chips else "points, which move no chips"
    sections = {
        "Overview": _OVERVIEW.format(plays_for=plays_for),
        "Rules": _rules(game_type),
        "Actions": _actions(traits, seen.turns),
        "Messages": MESSAGES,
        **{
            f"{part.title()} Schema": block(
                {
                    "$schema": DIALECT,
                    "$id": f"urn:a2a-casino:game:{game_type}:made:{part}",
                    **schema,
                }
            )
            for part, schema in _schemas(seen.turns).items()
        },
        "Examples": examples,
        "Strategy Hints": "None are known.",
    }
    stable = {title: text for title, text in sections.items() if title != "Examples"}
    number = int.from_bytes(digest(_TAG, json.dumps(stable).encode(), "sha256")[:4]) % 10**9
    return MadeSpecification(game_type, traits, sections, f"0.0.{number}")


def _rules(game_type: str) -> str:
    """Return the description of the game's class or module, quoted, and its settings."""
    words = cleandoc(docstring(game_type) or "The game has no description.")
    quoted = [f"> {line}".rstrip() for line in words[:_LONGEST_RULES].splitlines()]
    fields = [
        f"- `{name}`: {json.dumps(schema, default=str)}"
        for name, schema in _settings(game_type).items()
        if name != "stacks"
    ]
    return "\n".join([*quoted, "", "Settings (`gameConfig`):", "", *(fields or ["- none"])])


def _settings(game_type: str) -> dict[str, Any]:
    """Return the schema of each setting; none where pydantic cannot describe them."""
    try:
        schema = config_class(game_type).model_json_schema()
    except (PydanticUserError, ValueError, TypeError):  # a field of a type without a schema
        return {}
    properties: dict[str, Any] = schema.get("properties", {})
    return properties


def _actions(traits: GameTraits, turns: list[Json]) -> str:
    rows = [
        f"| `{kind}` | {', '.join(f'`{name}`' for name in parameters)} |"
        for kind, parameters in _kinds(turns).items()
    ]
    default = f"action `{traits.timeout_action}`" if traits.timeout_action else "first one"
    answering = _ANSWERING.format(default=default)
    return "\n".join(["| action_type | with |", "| --- | --- |", *rows, "", answering])


def _kinds(turns: list[Json]) -> dict[str, list[str]]:
    """Return the parameters of each kind of action that was offered."""
    kinds: dict[str, dict[str, None]] = {}
    for turn in turns:
        for offer in turn["availableActions"]:
            parameters = kinds.setdefault(offer["action_type"], {})
            parameters.update(dict.fromkeys(key for key in offer if key != "action_type"))
    return {kind: list(parameters) for kind, parameters in sorted(kinds.items())}


def _schemas(turns: list[Json]) -> dict[str, Json]:
    """Return open schemas of what every game shares, with the forms of A2A and of A2G."""
    anything = {"type": "object"}
    kind = {"type": "string", "examples": list(_kinds(turns))}
    offer = {"type": "object", "properties": {"type": kind}, "required": ["type"]}
    return {
        "state": {
            "type": "object",
            "properties": {
                "public": anything,
                "private": anything,
                OFFERS: {"type": "array", "items": offer},
            },
            "required": ["public", "private"],
        },
        "action": {
            "type": "object",
            "anyOf": [
                {"properties": {key: kind}, "required": [key]} for key in ("action_type", "action")
            ],
        },
        "result": {
            "type": "object",
            "properties": {
                "scores": {"type": "object", "additionalProperties": {"type": "number"}},
                "winner": {"type": ["string", "null"]},
                "winners": {"type": "array", "items": {"type": ["string", "object"]}},
                "public": anything,
            },
            "required": ["scores", "winner", "public"],
        },
    }
