"""Checks that names and texts use the field's words: `python tools/words.py [PATH …]`.

The glossary (docs/glossary.md) says which word means what. This list holds the words that were
replaced, so that none of them comes back. Exit code 1 and one line for each use that is found.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = "tests/"
PYTHON = ("services/", "shared/", "console/", "tools/", "bench/", TESTS)
TEXT = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/")

PARTS = {
    "told": "message, detail, or what it holds",
    "teller": "factory, or what it creates",
    "evening": "session",
    "town": "network, casino",
    "reign": "epoch",
    "reigns": "epoch",
    "herald": "broadcaster, publisher",
    "stranger": "third party",
    "strangers": "third parties",
    "eye": "viewer",
    "eyes": "viewers",
    "house": "dependencies, context (the bank's only in the games)",
    "faces": "interfaces, renderers",
}
"""Words that are no part of an identifier, with what to use instead."""
NAMES = {
    "given": "request, values, or what it holds",
    "known": "cached, or what it holds",
    "found": "result, match, or what it holds",
    "asked": "request, or what it holds",
    "one": "item, or what it is",
    "some": "what it holds",
}
"""Identifiers that say how a value came instead of what it is; the tests may use them."""
PHRASES = {
    r"told": "reported, sent, says",
    r"reigns?": "epoch",
    r"heralds?": "broadcaster",
    r"strangers?": "third parties, anybody else",
    r"eyes?": "viewers",
    r"(?<!full )house": "casino, lobby, service (the bank's only in the games)",
    r"lets? go|letting go": "closes, releases, disconnects",
    r"faces?(?! (?:up|down|cards?|value))": "interface",
    r"he|him|his|she|her": "they, it",
}
"""Words and phrases of texts, as patterns, with what to use instead."""
BANKS = re.compile(
    r"shared/games/|contracts/casino_contracts/(events|games)|gamespec/casino_gamespec/front_matter|presenters/generic|domain/table"
    r"|web/|tests/games/|docs/(games|specifications|wire|page|streams)\.md|docs/reference/"
)
"""Files that speak of the bank, which is the house."""
RELEASED = ("shared/games/casino_games/blackjack/spec.py",)
"""Files whose texts stand in released specifications, which do not change under their version."""

_TEXT = re.compile(rf"(?<![\w-])({'|'.join(PHRASES)})(?![\w-])", re.IGNORECASE)
_CODE = re.compile(r"```.*?```|``[^`]*``|`[^`\n]*`|<!--.*?-->|\]\([^)]*\)", re.DOTALL)


def main(paths: list[str]) -> int:
    """Check the files of the repository, or those below some paths."""
    files = subprocess.run(  # noqa: S603  the paths are the caller's own
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *paths],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    count = 0
    for file in files:
        for line, message in _faults(file):
            sys.stdout.write(f"{file}:{line}: {message}\n")
            count += 1
    return int(count > 0)


def _faults(file: str) -> Iterator[tuple[int, str]]:
    path = ROOT / file
    if not path.exists():
        return
    if file.endswith(".py") and file.startswith(PYTHON) and file != "tools/words.py":
        tree = ast.parse(path.read_text())
        yield from _of_names(file, tree)
        if file not in RELEASED:
            yield from _of_strings(file, tree)
    elif file.endswith(".md") and file.startswith(TEXT) and file != "docs/glossary.md":
        text = _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), path.read_text())
        yield from _of_text(file, text, 1)


def _of_names(file: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        name = _bound_name(node)
        if name is None:
            continue
        line = getattr(node, "lineno", 1)
        instead = NAMES.get(name.strip("_"))
        if instead and not file.startswith(TESTS):
            yield line, f"the name `{name}`: {instead}"
        for part in name.lower().split("_"):
            if part in PARTS and not (part == "house" and BANKS.search(file)):
                yield line, f"`{part}` in the name `{name}`: {PARTS[part]}"


def _bound_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return None


def _of_strings(file: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what is wrong in docstrings, messages and other texts of several words.

    Only docstrings are checked of tests: their other texts are input and expected output.
    """
    for text, line in _docstrings(tree) if file.startswith(TESTS) else _texts(tree):
        prose = _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        yield from _of_text(file, prose, line)


def _docstrings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text), lineno=line)):
                yield text, line


def _texts(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text), lineno=line) if " " in text:
                yield text, line


def _of_text(file: str, text: str, line: int) -> Iterator[tuple[int, str]]:
    for match in _TEXT.finditer(text):
        word = match[0].lower()
        if word == "house" and BANKS.search(file):
            continue
        instead = next(say for phrase, say in PHRASES.items() if re.fullmatch(phrase, word))
        yield line + text.count("\n", 0, match.start()), f"`{match[0]}`: {instead}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
