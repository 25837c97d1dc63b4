"""Registry of the games, whose modules are imported on first use.

A game is registered in three ways: in `GAME_REGISTRY`, also by a module or a folder that a process
is set to import (`document_games.py`); by `register_game` with dotted paths; or by an installed
distribution with an entry point of the group `casino.games`, whose name is the game type and whose
value is a module with a `REGISTRATION`.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from inspect import Parameter, signature
from random import Random
from typing import Any, NotRequired, TypedDict, cast

from pydantic import BaseModel

from casino_games.action_parser import ActionParser, AdaptedParser, JsonActionParser
from casino_games.errors import BrokenRegistration, GameError, UnknownGame
from casino_games.game import ArenaConfig, Game
from casino_games.specification import GameSpecification
from casino_games.state_adapter import AdaptedStateAdapter, JsonStateAdapter, StateAdapter

ENTRY_POINT_GROUP = "casino.games"


class GameEntry(TypedDict):
    """Dotted paths of the parts of a game; `specification` is optional."""

    game_module: str
    game_class: str
    game_factory: str
    state_adapter_class: str
    action_parser_class: str
    config_class: str
    specification: NotRequired[str]


def _built_in(package: str, name: str) -> GameEntry:
    """Return the entry of a game of this package, whose parts have uniform names."""
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
    "blackjack": _built_in("blackjack", "Blackjack"),
    "kuhn_poker": _built_in("kuhn_poker", "Kuhn"),
    "leduc_poker": _built_in("leduc_poker", "Leduc"),
    "roulette": _built_in("roulette", "Roulette"),
    "simple_card": _built_in("simple_card", "SimpleCard"),
    "texas-holdem": _built_in("holdem", "Holdem"),
}
"""Registered games by type; additions must be made before any game is played."""


def installed_games() -> dict[str, str]:
    """Return the games of installed distributions, type to module, without importing them."""
    return {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}


class Registry:
    """Resolves the parts of games; `entries` take precedence over installed games."""

    def __init__(
        self, entries: dict[str, GameEntry], installed: Callable[[], Mapping[str, str]]
    ) -> None:
        self._entries = entries
        self._installed = installed
        self._parts: dict[tuple[str, str], Any] = {}  # cache, used for every hand

    def game_types(self) -> list[str]:
        return sorted({*self._entries, *self._installed()})

    def register(self, game_type: str, entry: GameEntry) -> None:
        """Add a game; idempotent. Raises `GameError` for another game of the same type."""
        if not game_type:
            raise GameError("a game needs a type that is not empty")
        if self._entries.setdefault(game_type, entry) != entry:
            raise GameError(f"another game is registered as {game_type!r:.80} already")

    def part(self, game_type: str, key: str) -> Any:
        """Return the object at an entry's path; raises `UnknownGame`, `BrokenRegistration`."""
        part = self._parts.get((game_type, key))
        if part is not None:
            return part
        entry = self._entry(game_type)
        path = entry.get(key)
        if not isinstance(path, str) or not path:
            raise BrokenRegistration(f"the game {game_type!r:.80} is registered without a {key}")
        part = self._parts[game_type, key] = _resolve(game_type, key, path)
        return part

    def is_registered_with(self, game_type: str, key: str) -> bool:
        """Return whether an entry has a path under a key; raises as `part` does."""
        return bool(self._entry(game_type).get(key))

    def _entry(self, game_type: str) -> GameEntry:
        entry = self._entries.get(game_type)
        if entry is not None:
            return entry
        module = self._installed().get(game_type)
        if module is None:
            types = ", ".join(self.game_types())
            raise UnknownGame(f"no game is called {game_type!r:.80}; the known ones are: {types}")
        return cast("GameEntry", _resolve(game_type, "entry point", f"{module}.REGISTRATION"))


_registry = Registry(GAME_REGISTRY, installed_games)


def game_types() -> list[str]:
    """Return the types of all registered games, sorted."""
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
    """Register a game by the dotted paths of its parts, which are imported on first use.

    Idempotent; raises `GameError` for another game of the same type.
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
    """Return a game before its `reset`; raises `UnknownGame`, `InvalidConfig`."""
    return cast("Game", _registry.part(game_type, "game_factory")(arena_config))


def restore_game(game_type: str, data: Mapping[str, Any]) -> Game:
    """Return the game of a snapshot; raises `UnknownGame`, `InvalidSnapshot`."""
    return game_class(game_type).deserialize(data)


def game_class(game_type: str) -> type[Game]:
    """Return the class of a game; raises `UnknownGame`."""
    return cast("type[Game]", _registry.part(game_type, "game_class"))


def docstring(game_type: str) -> str | None:
    """Return the docstring of a game's class, or of its module; raises `UnknownGame`."""
    rules = game_class(game_type)
    return rules.__doc__ or import_module(rules.__module__).__doc__


def config_class(game_type: str) -> type[BaseModel]:
    """Return the model of a game's settings; raises `UnknownGame`."""
    return cast("type[BaseModel]", _registry.part(game_type, "config_class"))


def minimum_players(game_type: str) -> int:
    """Return a game's minimum number of players; raises `UnknownGame`."""
    return game_class(game_type).min_players


def state_adapter(game_type: str) -> StateAdapter:
    """Return a new adapter of a game's states to prompts; raises `UnknownGame`."""
    adapter = _new(game_type, "state_adapter_class")
    return adapter if isinstance(adapter, JsonStateAdapter) else AdaptedStateAdapter(adapter)


def action_parser(
    game_type: str,
    fallback_to_random: bool = True,  # noqa: FBT001, FBT002 - the interface's signature
    rng: Random | None = None,
) -> ActionParser:
    """Return a new parser of a game's actions; raises `UnknownGame`.

    A parser whose constructor takes neither argument is given `fallback_to_random` as attribute.
    """
    parser = _new(game_type, "action_parser_class", fallback_to_random=fallback_to_random, rng=rng)
    parser.fallback_to_random = fallback_to_random
    return parser if isinstance(parser, JsonActionParser) else AdaptedParser(parser)


def _new(game_type: str, key: str, **arguments: Any) -> Any:
    """Return a part, made with those arguments that it takes; raises `BrokenRegistration`."""
    part = _registry.part(game_type, key)
    try:
        parameters = signature(part).parameters
        is_open = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
        taken = {name: arguments[name] for name in arguments if is_open or name in parameters}
        return part(**taken)
    except Exception as error:
        raise BrokenRegistration(
            f"the {key} of the game {game_type!r:.80} cannot be made: "
            f"{type(error).__name__}: {error}"
        ) from error


def specification(game_type: str) -> GameSpecification:
    """Return the specification of a game; raises `UnknownGame`."""
    return cast("GameSpecification", _registry.part(game_type, "specification"))


def is_specified(game_type: str) -> bool:
    """Return whether a game is registered with a specification; raises `UnknownGame`."""
    return _registry.is_registered_with(game_type, "specification")


def _resolve(game_type: str, key: str, path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (Exception, SystemExit) as error:
        raise BrokenRegistration(
            f"the {key} of the game {game_type!r:.80} is {path!r:.200}, which cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
