"""The files of a match's players: what they consist of, and their versions."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from casino_match.domain.plan import Plan
from casino_match.domain.plan_file import file_of, is_function
from casino_match.domain.player_version import files_of, version_of
from casino_match.errors import PlayerFailed

_STYLES = "casino_player_example.styles"


def function_files(folder: Path, player: str) -> dict[str, bytes]:
    """Return a function's file and neighbours, by names below its folder; raises PlayerFailed."""
    path = folder / file_of(player)
    contents = files_of(path.name, lambda name: _content(path.parent / name))
    if not contents:
        raise PlayerFailed(f"players: there is no file {path}")
    return contents


def function_version(folder: Path, player: str) -> str:
    """Return the version of a function's files; raises PlayerFailed."""
    return version_of(function_files(folder, player))


@lru_cache(maxsize=1)
def style_version() -> str:
    """Return the version of the styles: the hash of all their files."""
    spec = find_spec(_STYLES)
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    return version_of(
        {path.name: path.read_bytes() for folder in folders for path in folder.glob("*.py")}
    )


def files_of_players(plan: Plan, folder: Path) -> dict[str, dict[str, bytes]]:
    """Return the files of each function, for a machine without the folder; raises PlayerFailed."""
    return {
        file_of(entrant.player): function_files(folder, entrant.player)
        for entrant in plan.players
        if is_function(entrant.player)
    }


def _content(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise PlayerFailed(f"players: {path} cannot be read: {error.strerror}") from error
