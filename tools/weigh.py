"""Weigh the product's Python: `python tools/weigh.py [ROOT]`.

Prints one JSON line; exit status 1 if a figure misses its limit. A module is a `.py` file that is
no `__init__.py` and no template of a new bot. The limits are a ratchet: whoever makes a figure
better writes it here.
"""

import ast
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

SMALL = 60
"""A module of at most so many lines is counted by `at_most_60_lines`."""
GAME_FILES = ("action_parser", "config", "game", "spec", "state_adapter")
"""Every game has them, so their names are not counted by `same_file_name`."""
LIMITS = {
    "modules": 591,
    "lines": 116_450,
    "median": 198,
    "longest": 400,
    "at_most_60_lines": 57,
    "one_user_beside": 62,
    "same_file_name": 42,
    "same_class_name": 57,
    "mixins": 0,
}
"""The worst that each figure may be: `median` at least, every other at most."""


def dotted(path: Path) -> str:
    """Return the import name of a file; packages begin at the first folder `casino…`."""
    parts = path.with_suffix("").parts
    first = next(i for i, part in enumerate(parts) if part.startswith("casino"))
    return ".".join(parts[first:]).removesuffix(".__init__")


def is_of_game(name: str) -> bool:
    """Return whether a module is one of the five that the game document demands of every game."""
    package, _, file = name.rpartition(".")
    return package.count(".") == 1 and package.startswith("casino_games.") and file in GAME_FILES


def weigh(root: Path) -> dict[str, float]:
    """Return the figures of a checkout."""
    files = [f for top in ("services", "shared", "console") for f in (root / top).rglob("*.py")]
    texts = {f: f.read_text() for f in files if "templates" not in f.parts}
    lines = {dotted(f): t.count("\n") for f, t in texts.items() if f.name != "__init__.py"}
    users: dict[str, set[str]] = defaultdict(set)
    classes: Counter[str] = Counter()
    bases: Counter[str] = Counter()
    mentions: Counter[str] = Counter()
    for file, text in texts.items():
        for node in ast.walk(tree := ast.parse(text)):
            match node:
                case ast.ImportFrom(module=str(module), names=names):
                    for target in (module, *(f"{module}.{alias.name}" for alias in names)):
                        users[target].add(dotted(file))
                case ast.ClassDef(name=of, bases=parents):
                    classes[of] += node in tree.body
                    bases.update(parent.id for parent in parents if isinstance(parent, ast.Name))
                case ast.Name(id=of):
                    mentions[of] += 1
    single = [(name, user) for name in lines if len(users[name]) == 1 for user in users[name]]
    stems = Counter(name.split(".")[-1] for name in lines if not is_of_game(name))
    return {
        "modules": len(lines),
        "lines": sum(text.count("\n") for text in texts.values()),
        "median": median(lines.values()),
        "longest": max(lines.values()),
        "at_most_60_lines": sum(count <= SMALL for count in lines.values()),
        "one_user": len(single),
        "one_user_beside": sum(a.rpartition(".")[0] == b.rpartition(".")[0] for a, b in single),
        "same_file_name": sum(count for count in stems.values() if count > 1),
        "same_class_name": sum(count for count in classes.values() if count > 1),
        "mixins": sum(classes[b] == n == mentions[b] == 1 for b, n in bases.items()),
    }


def main(arguments: list[str]) -> int:
    """Print the figures, and name those that miss their limits."""
    figures = weigh(Path(arguments[0]) if arguments else Path(__file__).parents[1])
    short = {n: (most - figures[n]) * (-1, 1)[n == "median"] for n, most in LIMITS.items()}
    missed = [name for name, by in short.items() if by > 0]
    sys.stdout.write(json.dumps(figures | {"missed": missed}) + "\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
