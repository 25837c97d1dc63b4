"""The files of a match's players: what they consist of, and their versions."""

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from casino_match.domain.plan import Plan
from casino_match.domain.plan_file import file_of, is_function
from casino_match.errors import PlayerFailed

SHA256 = "sha256:"


def version_of(files: Mapping[str, bytes]) -> str:
    """Return the version of a player's files, by their names.

    It is the SHA-256 of a single file, and of several that of the lines which `sha256sum` prints
    for them, in the order of their names.

    >>> version_of({"bot.py": b"pass"})[:15]
    'sha256:d74ff0ee'
    """
    hashes = {name: sha256(content).hexdigest() for name, content in files.items()}
    if len(hashes) == 1:
        return SHA256 + next(iter(hashes.values()))
    lines = "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))
    return SHA256 + sha256(lines.encode()).hexdigest()


def files_of(first: str, read: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """Return a Python file and what its text imports of its folder, by names there."""
    files: dict[str, bytes] = {}
    waiting = [first]
    while waiting:
        name = waiting.pop()
        content = None if name in files else read(name)
        if content is not None:
            files[name] = content
            waiting += _imported(content, PurePosixPath(name).parent)
    return files


def _imported(content: bytes, folder: PurePosixPath) -> Iterator[str]:
    """Yield the files that a file's imports could mean."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for name in names:
                    yield from _candidates(PurePosixPath(), name.name)
            case ast.ImportFrom(module=module, names=names, level=level):
                start = PurePosixPath() if level == 0 else _above(folder, level - 1)
                for name in names:
                    yield from _candidates(start, f"{module}.{name.name}" if module else name.name)


def _above(folder: PurePosixPath, levels: int) -> PurePosixPath:
    for _ in range(levels):
        folder = folder.parent
    return folder


def _candidates(start: PurePosixPath, dotted: str) -> Iterator[str]:
    """Yield a module's file and the packages that it lies in."""
    path = start
    for part in dotted.split("."):
        path /= part
        yield f"{path}.py"
        yield f"{path}/__init__.py"


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
