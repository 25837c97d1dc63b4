"""Games written from the game-interface document, as they import it and as they lie in folders.

The document's own names, `core` and `arena.registry`, and the `games` of folders are importable
only in a process that loads games of others (`import_games`), and only where nothing else has
these names: a game's own copy of the original framework comes first.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from typing import Any

from casino_games.action_parser import ActionParser
from casino_games.errors import ActionParseError, BrokenRegistration
from casino_games.game import ArenaConfig
from casino_games.registry import GAME_REGISTRY, GameEntry, register_game
from casino_games.state_adapter import StateAdapter

_GAMES = "games"
_FILES = ("__init__", "game", "state_adapter", "action_parser", "config")
"""The files of a game, by the document."""
_SEPARATORS = ("/", "\\")
_OWN, _MAIN = "casino_games.", "casino_games.holdem"
"""The modules of built-in games, and the one that tables know by its name."""


class DocumentGame:
    """The document's `core.Game`: the defaults of what is optional.

    A table checks that the rest is there. It is no `Game` of this package, whose seeds may be
    texts and whose `step` returns public events.
    """

    def get_players(self) -> list[str]:
        return []

    def get_teams(self) -> dict[str, Any] | None:
        return None

    def serialize(self) -> dict[str, Any]:
        """Return the whole state, which has every player's secrets."""
        game: Any = self
        private = {player_id: game.get_private_state(player_id) for player_id in self.get_players()}
        return {"public": game.get_public_state(), "private_states": private}


_PARTS = {
    "Game": DocumentGame,
    "StateAdapter": StateAdapter,
    "ActionParser": ActionParser,
    "ActionParseError": ActionParseError,
}
_MODULES: dict[str, dict[str, Any]] = {
    "core": _PARTS,
    "core.game": {"Game": DocumentGame},
    "core.state_adapter": {"StateAdapter": StateAdapter},
    "core.action_parser": {"ActionParser": ActionParser, "ActionParseError": ActionParseError},
    "arena": {"ArenaConfig": ArenaConfig},
    "arena.registry": {"GAME_REGISTRY": GAME_REGISTRY, "register_game": register_game},
}
"""What the document's modules have."""


class DocumentNames(MetaPathFinder, Loader):
    """Finds the modules of the document, and the games of folders as `games.NAME`."""

    def __init__(self) -> None:
        self.games: dict[str, Path] = {}
        """The folder in which a module of `games` lies."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: Any = None
    ) -> ModuleSpec | None:
        top, _, rest = name.partition(".")
        if top == _GAMES and rest in self.games:
            return PathFinder.find_spec(name, [str(self.games[rest])])
        is_known = name in _MODULES or (name == _GAMES and self.games)
        if not is_known or PathFinder.find_spec(name, path) is not None:
            return None
        return spec_from_loader(name, self, is_package=name == top)

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let a module be made as usual."""

    def exec_module(self, module: Any) -> None:
        vars(module).update(_MODULES.get(module.__name__, {}))


FOUND = DocumentNames()
"""Put on the import path by `import_games`."""


def import_games(names: str) -> list[str]:
    """Import modules that register games, and games of folders; raises `BrokenRegistration`.

    `names` are separated by commas. One with a `/` is a folder: of a game, of games, or one with
    `games` in it. Returns the built-in games in whose place a folder has one of the same name.
    """
    replaced: list[str] = []
    for name in filter(None, map(str.strip, names.split(","))):
        if FOUND not in sys.meta_path:
            sys.meta_path.insert(0, FOUND)
        if any(separator in name for separator in _SEPARATORS):
            replaced += _register_folder(Path(name).expanduser().absolute())
            continue
        try:
            module = import_module(name)
        except (Exception, SystemExit) as error:
            raise BrokenRegistration(
                f"the module {name!r:.200} cannot be imported: {type(error).__name__}: {error}"
            ) from error
        if module.__file__ is None:
            raise BrokenRegistration(f"{name!r:.200} is no module; a folder is written ./{name}")
    return replaced


def _register_folder(folder: Path) -> Iterator[str]:
    """Register games under the names of their own folders; yields those that were built in."""
    if (folder / "game.py").is_file():
        found = [folder]
    else:
        parent = folder / _GAMES if (folder / _GAMES).is_dir() else folder
        found = sorted(path.parent for path in parent.glob("*/game.py"))
    if not found:
        raise BrokenRegistration(f"{folder}: has no game, a folder with {_listed(_FILES)}")
    beside = found if folder in found else found[0].parent.iterdir()  # they may import each other
    for module in beside:
        if module.suffix not in {"", ".py"} or not module.stem[0].isalpha():
            continue
        if FOUND.games.setdefault(module.stem, module.parent) != module.parent:
            raise BrokenRegistration(
                f"{module}: another folder has {_GAMES}.{module.stem}; rename one of them"
            )
    for place in found:
        registered = GAME_REGISTRY.get(place.name)
        before = registered["game_module"] if registered else ""
        if before == f"{_GAMES}.{place.name}":
            continue
        is_built_in = before.startswith(_OWN) and before != _MAIN
        if before and not is_built_in:
            raise BrokenRegistration(
                f"{place}: another game is registered as {place.name!r}; rename this folder"
            )
        GAME_REGISTRY[place.name] = _entry_of(place)
        if is_built_in:
            yield place.name


def _entry_of(place: Path) -> GameEntry:
    """Return the registration of section 6 of the document, with the classes in the five files."""
    if missing := [name for name in _FILES if not (place / f"{name}.py").is_file()]:
        raise BrokenRegistration(f"{place}: a game of the document also has {_listed(missing)}")
    module = f"{_GAMES}.{place.name}"
    game, adapter, parser, config = (
        f"{module}.{name}.{_class_in(place, name, base, method)}"
        for name, base, method in (
            ("game", "Game", "step"),
            ("state_adapter", "StateAdapter", "state_to_prompt"),
            ("action_parser", "ActionParser", "parse"),
            ("config", "BaseModel", ""),
        )
    )
    return {
        "game_module": module,
        "game_class": game,
        "game_factory": f"{module}.create_game",
        "state_adapter_class": adapter,
        "action_parser_class": parser,
        "config_class": config,
    }


def _class_in(place: Path, name: str, base: str, method: str) -> str:
    """Return the class of a file that has a base class or a method, and no subclass there.

    Of several the one that is called as the game.
    """
    path = place / f"{name}.py"
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (OSError, SyntaxError, ValueError) as error:
        raise BrokenRegistration(f"{path}: {error}") from error
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    bases = {kind: set(_bases(node)) for kind, node in classes.items()}

    def fits(kind: str) -> bool:
        return (
            base in bases[kind]
            or any(
                isinstance(part, ast.FunctionDef) and part.name == method
                for part in classes[kind].body
            )
            or any(fits(parent) for parent in bases[kind] & classes.keys() - {kind})
        )

    inherited = set().union(*bases.values())
    found = [kind for kind in classes if kind not in inherited and fits(kind)]
    title = place.name.replace("_", "").replace("-", "").casefold()
    named = [kind for kind in found if kind.casefold().startswith(title)]
    for choice in (found, named):
        if len(choice) == 1:
            return choice[0]
    raise BrokenRegistration(
        f"{path}: needs one class that implements {base}, and has {_listed(found) or 'none'};"
        " a registration in GAME_REGISTRY can name it"
    )


def _bases(node: ast.ClassDef) -> Iterator[str]:
    for written in node.bases:
        if isinstance(written, ast.Attribute):
            yield written.attr
        elif isinstance(written, ast.Name):
            yield written.id


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name if name[0].isupper() else f"{name}.py" for name in names)
