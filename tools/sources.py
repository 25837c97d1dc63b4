"""Checks what sources say, in one pass over them: `python tools/sources.py`.

Sizes, purity of the games, owners of fields, reasons of refusals, replies in one write, links in
the documentation. Exit code 1 and a line for each fault.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from casino_agentkit import KitReason
from casino_contracts import Reason
from casino_lobby.problem import PROBLEM_BY_REASON

ROOT = Path(__file__).parents[1]
Fault = tuple[int, str]

MOST_LINES = 400
OWNERS = {
    "services/lobby/casino_lobby/": {"room", "served", "_room"},
    "services/table/casino_table/": {"table", "_table"},
}
"""The names of variables that hold a room, or a table: only the domain assigns to their fields."""
GAMES = "shared/games/casino_games/"
RULES_NEED = {
    "abc", "collections", "dataclasses", "enum", "hmac", "inspect", "itertools", "json", "math",
    "random", "re", "typing", "pydantic", "treys", "casino_games",
}  # fmt: skip
"""What modules of games may import; a new name here is a decision."""
ONE_NEEDS = {
    f"{GAMES}action_parser.py": "casino_agentkit",  # what players' answers in text are read with
    f"{GAMES}document_games.py": "ast importlib pathlib sys",  # reads others' games in folders
    f"{GAMES}registry.py": "importlib",  # the one edge: what is installed, and names in text
    f"{GAMES}holdem/batch_ranking.py": "numpy",
    f"{GAMES}holdem/odds.py": "numpy",
}
IMPURE = {"open", "print", "input", "eval", "exec", "__import__", "globals", "breakpoint"}
_HANDLER = re.compile(
    r"^( *)class \w+\(BaseHTTPRequestHandler\):\n((?:\1 +.*\n|\n)*)", re.MULTILINE
)
_LINK = re.compile(r"\]\(([^)#:]+)\)")

PRODUCT = ("services/", "shared/agentkit/", "shared/contracts/", "console/")
ENUMS = {
    "shared/agentkit/casino_agentkit/errors.py": KitReason,
    "shared/contracts/casino_contracts/reasons.py": Reason,
}
OTHER_PROTOCOLS = {
    "console/casino/join/joined_player.py",
    "services/gateway/casino_gateway/a2g/a2g_codes.py",
    "services/gateway/casino_gateway/bots/bot_frames.py",
    "services/gateway/casino_gateway/errors.py",
    "services/player_example/casino_player_example/a2g_client/a2g_messages.py",
}
"""The enums of other protocols' codes, some of which are spelled as reasons are."""
PROBLEMS = "services/lobby/casino_lobby/problem.py"
REASONS = {*KitReason, *Reason}
OTHER_WORDS = {"FAILED", "UNKNOWN"}
"""Reasons that are words of other vocabularies, too."""
REFUSALS = {"CommandRefused": 0, "NotAdmitted": 0, "CallFailed": 1}
"""The position of the reason among the arguments of an exception."""
_MEMBER = re.compile(r'^    (\w+) = "\1"(?:  # \S.*|\n    """[A-Z].*\.""")$', re.MULTILINE)


def purity(path: str, tree: ast.AST) -> Iterator[Fault]:
    """Yield what keeps a game from being repeated: clocks, files, tasks, global random state."""
    may_import = RULES_NEED.union(ONE_NEEDS.get(path, "").split())
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                packages = {alias.name.partition(".")[0] for alias in names}
                yield from _refused(node, sorted(packages - (may_import - {"random"})))
            case ast.ImportFrom(module=str(module), names=names, level=0):
                package = module.partition(".")[0]
                yield from _refused(node, [package] if package not in may_import else [])
                if package == "random":
                    yield from _refused(node, [a.name for a in names if a.name != "Random"])
            case ast.Name(id=name) if name in IMPURE:
                yield from _refused(node, [name])
            case ast.AsyncFunctionDef() | ast.Await() | ast.AsyncFor() | ast.AsyncWith():
                yield from _refused(node, ["async"])
            case ast.Global(names=names):
                yield from _refused(node, names)
            case ast.Call(func=ast.Name(id="Random"), args=args) if len(args) != 1:
                yield node.lineno, "Random begins with a seed"
            case ast.Attribute(value=ast.Attribute(attr="random"), attr=name):
                yield from _refused(node, [name] if name != "Generator" else [])


def _refused(node: ast.stmt | ast.expr, names: list[str]) -> Iterator[Fault]:
    for name in names:
        yield node.lineno, f"games are pure: no {name}"


def assignments(tree: ast.AST, owners: set[str]) -> Iterator[Fault]:
    """Yield assignments to a field of a variable or an attribute with one of these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            holder = node.value
            name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", "")
            if name in owners:
                yield node.lineno, f"{name}.{node.attr}: only the domain assigns; call a method"


def two_writes(text: str) -> Iterator[Fault]:
    """Yield HTTP handlers that write head and body apart: the body would wait 40 ms."""
    for match in _HANDLER.finditer(text):
        if "wbufsize = -1" not in match[2]:
            yield text.count("\n", 0, match.start()) + 1, "a reply in two writes: wbufsize = -1"


def broken_links(page: Path) -> Iterator[Fault]:
    """Yield links of a page to files that are not there."""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for target in _LINK.findall(line):
            if not (page.parent / target).exists():
                yield number, f"{target} does not exist"


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the lines on which a string literal serves as a reason."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(word)) if word in REASONS - OTHER_WORDS:
                yield node.lineno, f"{word!r}: a reason is a member of Reason or KitReason"
            case ast.Compare(left=left, comparators=others) if any(
                _name(side) == "reason" for side in (left, *others)
            ):
                for side in (left, *others):
                    yield from _words_in(side, lower=True)
            case ast.Call(func=func, args=args, keywords=keywords):
                for argument in args[REFUSALS.get(_name(func), len(args)) :][:1]:
                    yield from _words_in(argument)
                for keyword in keywords:
                    if keyword.arg == "reason":
                        yield from _words_in(keyword.value)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _words_in(node: ast.expr, *, lower: bool = False) -> Iterator[tuple[int, str]]:
    """Yield upper-case words; a reason in prose, such as of a paused table, is none."""
    for part in ast.walk(node):
        match part:
            case ast.Constant(value=str(word)) if lower or word.isupper():
                yield part.lineno, f"{word!r}: a reason is a member of Reason or KitReason"


def members(tree: ast.AST) -> tuple[set[str], set[str]]:
    """Return the members that a module uses, and those that it raises refusals with."""
    used, raised = set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=name) if _name(value) in {"Reason", "KitReason"}:
                used.add(name)
            case ast.Call(func=func, args=[first, *_]) if REFUSALS.get(_name(func)) == 0:
                raised |= members(first)[0]
    return used, raised


class Usage:
    """Where reasons are used, over all modules."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._raised: set[str] = set()

    def see(self, path: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
        """Look at a module of the product, and yield its faults."""
        if path.startswith(PRODUCT) and path not in {*ENUMS, *OTHER_PROTOCOLS}:
            used, raised = members(tree)
            self._raised |= raised
            if path != PROBLEMS:
                self._used |= used
            yield from literals(tree)

    def faults(self, root: Path) -> Iterator[str]:
        """Yield what is wrong with the enums, after every module was seen."""
        for name in sorted({*KitReason} & {str(reason) for reason in Reason}):
            yield f"{name} is a member of both Reason and KitReason"
        for path, enum in ENUMS.items():
            explained = set(_MEMBER.findall((root / path).read_text()))
            for name in sorted({reason.name for reason in enum} - explained):
                yield f"{path}: {name} has another value, or no sentence about it"
        for name in sorted({reason.name for reason in REASONS} - self._used):
            yield f"the reason {name} is not used"
        for name in sorted((self._raised | {*Reason}) - PROBLEM_BY_REASON.keys()):
            yield f"{PROBLEMS}: the reason {name} has no problem"
        for page in ("operations.md", "protocol.md"):
            words = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", (root / "docs" / page).read_text()))
            for word in sorted(words - REASONS):
                if not word.startswith("CASINO_"):
                    yield f"docs/{page}: {word} is neither a setting nor a reason"


def _faults(path: str, usage: Usage) -> Iterator[Fault]:
    text = (ROOT / path).read_text()
    yield from two_writes(text)
    if path == "README.md" or re.fullmatch(r"docs/[^/]+\.md", path):
        yield from broken_links(ROOT / path)
    if not path.endswith(".md") and len(text.splitlines()) > MOST_LINES:
        yield MOST_LINES, f"more than {MOST_LINES} lines: divide it by subject"
    if path.endswith(".py") and path.startswith(("services/", "shared/", "console/")):
        tree = ast.parse(text)
        yield from usage.see(path, tree)
        if path.startswith(GAMES):
            yield from purity(path, tree)
        for package, owners in OWNERS.items():
            if path.startswith(package) and "/domain/" not in path:
                yield from assignments(tree, owners)


def main() -> int:
    """Check every file of the repository."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing += ["*.py", "*.js", "*.md"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603  fixed words
    files = [path for path in listed.stdout.splitlines() if (ROOT / path).exists()]
    usage = Usage()
    faults = [f"{path}:{line}: {text}" for path in files for line, text in _faults(path, usage)]
    faults += usage.faults(ROOT)
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
