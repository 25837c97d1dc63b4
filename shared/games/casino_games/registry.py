"""Which games there are. A game's module is imported when somebody plays it, not before.

A game comes in three ways: it stands in `GAME_REGISTRY`; `register_game` puts it there by
dotted paths; or an installed distribution offers it under the entry point group `casino.games`,
with the game type as the name and as the value a module that has a `REGISTRATION`.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from random import Random
from typing import Any, TypedDict, cast

from pydantic import BaseModel

from casino_games.action_parser import ActionParser
from casino_games.errors import BrokenRegistration, GameError, UnknownGame
from casino_games.game import ArenaConfig, Game
from casino_games.specification import GameSpecification
from casino_games.state_adapter import StateAdapter

ENTRY_POINT_GROUP = "casino.games"


class GameEntry(TypedDict):
    """Where the parts of a game are, as dotted paths."""

    game_module: str
    game_class: str
    game_factory: str
    state_adapter_class: str
    action_parser_class: str
    config_class: str
    specification: str


def _ours(package: str, name: str) -> GameEntry:
    """Return the entry of a game of this package, whose parts are all named alike."""
    module = f"casino_games.{package}"
    return {
        "game_module": module,
        "game_class": f"{module}.game.{name}Game",
        "game_factory": f"{module}.create_game",
        "state_adapter_class": f"{module}.state_adapter.{name}StateAdapter",
        "action_parser_class": f"{module}.action_parser.{name}ActionParser",
        "config_class": f"{module}.config.{name}Config",
        "specification": f"{module}.spec.SPECIFICATION",
    }


GAME_REGISTRY: dict[str, GameEntry] = {
    "blackjack": _ours("blackjack", "Blackjack"),
    "kuhn_poker": _ours("kuhn", "Kuhn"),
    "leduc_poker": _ours("leduc", "Leduc"),
    "roulette": _ours("roulette", "Roulette"),
    "simple_card": _ours("simple_card", "SimpleCard"),
    "texas-holdem": _ours("holdem", "Holdem"),
}
"""The games known by name; whoever knows more adds to it, before anything is played."""


def installed_games() -> dict[str, str]:
    """Return the games that installed distributions offer: type to module, nothing imported."""
    return {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}


class Registry:
    """Finds the parts of games; a name in `entries` goes before an installed one."""

    def __init__(
        self, entries: dict[str, GameEntry], installed: Callable[[], Mapping[str, str]]
    ) -> None:
        self._entries = entries
        self._installed = installed
        self._parts: dict[tuple[str, str], Any] = {}  # asked for with every hand

    def game_types(self) -> list[str]:
        """Return every game type, sorted."""
        return sorted({*self._entries, *self._installed()})

    def register(self, game_type: str, entry: GameEntry) -> None:
        """Add a game; adding it again is nothing, a second one of its name a `GameError`."""
        if not game_type:
            raise GameError("a game needs a type that is not empty")
        if self._entries.setdefault(game_type, entry) != entry:
            raise GameError(f"another game is registered as {game_type!r:.80} already")

    def part(self, game_type: str, key: str) -> Any:
        """Return what an entry's path leads to; `UnknownGame` or `BrokenRegistration`."""
        found = self._parts.get((game_type, key))
        if found is not None:
            return found
        entry = self._entry(game_type)
        path = entry.get(key)
        if not isinstance(path, str) or not path:
            raise BrokenRegistration(f"the game {game_type!r:.80} is registered without a {key}")
        found = self._parts[game_type, key] = _resolve(game_type, key, path)
        return found

    def _entry(self, game_type: str) -> GameEntry:
        entry = self._entries.get(game_type)
        if entry is not None:
            return entry
        module = self._installed().get(game_type)
        if module is None:
            known = ", ".join(self.game_types())
            raise UnknownGame(f"no game is called {game_type!r:.80}; the known ones are: {known}")
        return cast("GameEntry", _resolve(game_type, "entry point", f"{module}.REGISTRATION"))


_registry = Registry(GAME_REGISTRY, installed_games)


def game_types() -> list[str]:
    """Return the types of all games that can be played here, sorted."""
    return _registry.game_types()


def register_game(
    game_type: str,
    game_class: str,
    game_factory: str,
    state_adapter_class: str,
    action_parser_class: str,
    config_class: str,
    game_module: str,
    specification: str = "",
) -> None:
    """Add a game by the dotted paths of its parts; nothing is imported before somebody plays it.

    The same again changes nothing; another game of the same type is refused with a `GameError`.
    """
    _registry.register(
        game_type,
        {
            "game_module": game_module,
            "game_class": game_class,
            "game_factory": game_factory,
            "state_adapter_class": state_adapter_class,
            "action_parser_class": action_parser_class,
            "config_class": config_class,
            "specification": specification,
        },
    )


def create_game(game_type: str, arena_config: ArenaConfig) -> Game:
    """Return a game that waits for its `reset`; `UnknownGame` or `InvalidConfig`."""
    return cast("Game", _registry.part(game_type, "game_factory")(arena_config))


def restore_game(game_type: str, data: Mapping[str, Any]) -> Game:
    """Return the game of a snapshot; `UnknownGame` or `InvalidSnapshot`."""
    return game_class(game_type).deserialize(data)


def game_class(game_type: str) -> type[Game]:
    """Return the class of a game, which knows how many may play; or raise `UnknownGame`."""
    return cast("type[Game]", _registry.part(game_type, "game_class"))


def config_class(game_type: str) -> type[BaseModel]:
    """Return the model of a game's settings; or raise `UnknownGame`."""
    return cast("type[BaseModel]", _registry.part(game_type, "config_class"))


def minimum_players(game_type: str) -> int:
    """Return how many players a game needs; or raise `UnknownGame`."""
    return game_class(game_type).min_players


def state_adapter(game_type: str) -> StateAdapter:
    """Return what makes prompts of this game's states; or raise `UnknownGame`."""
    return cast("StateAdapter", _registry.part(game_type, "state_adapter_class")())


def action_parser(
    game_type: str,
    fallback_to_random: bool = True,  # noqa: FBT001, FBT002 - the interface's signature
    rng: Random | None = None,
) -> ActionParser:
    """Return what reads this game's actions out of text; or raise `UnknownGame`."""
    parser = _registry.part(game_type, "action_parser_class")
    return cast("ActionParser", parser(fallback_to_random=fallback_to_random, rng=rng))


def specification(game_type: str) -> GameSpecification:
    """Return what tells a stranger how to play a game; or raise `UnknownGame`."""
    return cast("GameSpecification", _registry.part(game_type, "specification"))


def _resolve(game_type: str, key: str, path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise BrokenRegistration(
            f"the {key} of the game {game_type!r:.80} is {path!r:.200}, which cannot be loaded: "
            f"{error}"
        ) from error
