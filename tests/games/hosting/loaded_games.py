"""Games of folders for a test, as a process is set to load them; afterwards nothing is left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casino.starters.starter import write_game
from casino_games import GAME_REGISTRY, import_games
from casino_games.document_games import FOUND

TESTS = Path(__file__).parents[2]
PAGE_GAMES = TESTS / "foreign" / "page_game"
DOCUMENTS = {"core", "arena"}


def template_at(folder: Path, name: str = "my_game") -> Path:
    """Write a game as `casino new-game` does; returns its own folder."""
    write_game(name, folder)
    return folder / "games" / name


@contextmanager
def loaded(*names: object) -> Iterator[None]:
    """Import games by what a setting names."""
    with restored():
        import_games(",".join(map(str, names)))
        yield


@contextmanager
def restored() -> Iterator[None]:
    """Forget at the end what was imported and registered."""
    registered, finders, modules = dict(GAME_REGISTRY), list(sys.meta_path), set(sys.modules)
    try:
        yield
    finally:
        new = {name for name in set(sys.modules) - modules if name.split(".")[0] in DOCUMENTS}
        new |= {name for name in sys.modules if name.startswith("games.") and _is_found(name)}
        for name in new:
            del sys.modules[name]
        FOUND.games.clear()
        sys.meta_path[:] = finders
        GAME_REGISTRY.clear()
        GAME_REGISTRY.update(registered)


def _is_found(name: str) -> bool:
    return name.split(".")[1] in FOUND.games
