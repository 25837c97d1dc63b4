"""Versions of players that are files: hashes of what they consist of. Pure."""

import ast
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import PurePosixPath

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
