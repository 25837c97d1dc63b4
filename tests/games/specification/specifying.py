"""Reads specification documents by their text alone, and plays games for their tests."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema
import jsonschema_rs
import yaml
from casino_games import ArenaConfig, ArenaPlayer, Game, create_game, game_class
from games.playing import some_answer

HEADINGS = [
    "Overview",
    "Rules",
    "Actions",
    "Messages",
    "State Schema",
    "Action Schema",
    "Result Schema",
    "Examples",
    "Strategy Hints",
]
SCHEMA_HEADINGS = {"state": "State Schema", "action": "Action Schema", "result": "Result Schema"}


@dataclass(frozen=True)
class Document:
    """A specification, taken apart by nothing but the rules of the protocol's document."""

    front_matter: dict[str, Any]
    sections: dict[str, str]

    def blocks(self, heading: str) -> list[Any]:
        found = re.findall(r"```json\n(.*?)\n```", self.sections[heading], re.DOTALL)
        return [json.loads(block) for block in found]

    def schema(self, part: str) -> dict[str, Any]:
        (block,) = self.blocks(SCHEMA_HEADINGS[part])
        assert isinstance(block, dict)
        return block


def parse(text: str) -> Document:
    """Split a document into its front matter and its sections, in their order."""
    _, head, body = text.split("---\n", 2)
    _, *parts = re.split(r"^## (.+)$", body, flags=re.MULTILINE)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return Document(yaml.safe_load(head), {title: part.strip() for title, part in sections.items()})


class TwoValidators:
    """One schema, held by two libraries that have nothing in common."""

    def __init__(self, schema: dict[str, Any]) -> None:
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema_rs.meta.validate(schema)
        self._python = jsonschema.Draft202012Validator(schema)
        self._rust = jsonschema_rs.Draft202012Validator(schema)

    def accept(self, value: Any) -> None:
        """Fail with the fault when either of them finds one."""
        self._python.validate(value)
        self._rust.validate(value)

    def accept_quickly(self, value: Any) -> None:
        """Fail with the fault when the one that is a hundred times faster finds one."""
        self._rust.validate(value)

    def refuses(self, value: Any) -> bool:
        """Tell whether both find a fault; they have to agree."""
        valid = self._python.is_valid(value), self._rust.is_valid(value)
        assert valid[0] == valid[1], value
        return not valid[0]


def dealt_game(game_type: str, hand: int, config: dict[str, Any] | None = None) -> Game:
    """Return a dealt game; consecutive hands are of all numbers of players in turn."""
    sizes = game_class(game_type)
    players = sizes.min_players + hand % (sizes.max_players - sizes.min_players + 1)
    seats = tuple(ArenaPlayer(f"p{number}") for number in range(players))
    game = create_game(game_type, ArenaConfig(seats, game_config=config or {}))
    game.reset(f"{game_type} {hand}")
    return game


def decisions(game: Game, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Yield a random legal answer for every decision of a game, and step it afterwards."""
    while not game.is_over():
        action = some_answer(game.get_available_actions(), rng)
        yield action
        game.step(action)
