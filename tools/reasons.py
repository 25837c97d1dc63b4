"""Reasons of refusals are members of an enum, written once, explained, used and mapped."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from casino_agentkit import KitReason
from casino_contracts import Reason
from casino_lobby.problems.problem import PROBLEM_BY_REASON

PRODUCT = ("services/", "shared/agentkit/", "shared/contracts/", "console/")
ENUMS = {
    "shared/agentkit/casino_agentkit/reasons.py": KitReason,
    "shared/contracts/casino_contracts/reasons.py": Reason,
}
OTHER_PROTOCOLS = {
    "console/casino/join/codes.py",
    "services/gateway/casino_gateway/a2g/codes.py",
    "services/gateway/casino_gateway/bots/codes.py",
    "services/gateway/casino_gateway/errors.py",
    "services/player_example/casino_player_example/a2g_client/codes.py",
}
"""The enums of other protocols' codes, some of which are spelled as reasons are."""
PROBLEMS = "services/lobby/casino_lobby/problems/problem.py"
REASONS = {*KitReason, *Reason}
OTHER_WORDS = {"FAILED", "UNKNOWN"}
"""Reasons that are words of other vocabularies, too."""
REFUSALS = {"CommandRefused": 0, "NotAdmitted": 0, "CallFailed": 1}
"""The position of the reason among the arguments of an exception."""
_MEMBER = re.compile(r'^    (\w+) = "\1"\n    """[A-Z].*\."""$', re.MULTILINE)


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
                yield f"{path}: {name} has another value, or no sentence below it"
        for name in sorted({reason.name for reason in REASONS} - self._used):
            yield f"the reason {name} is not used"
        for name in sorted((self._raised | {*Reason}) - PROBLEM_BY_REASON.keys()):
            yield f"{PROBLEMS}: the reason {name} has no problem"
        for page in ("durability.md", "wire.md"):
            words = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", (root / "docs" / page).read_text()))
            for word in sorted(words - REASONS):
                if not word.startswith("CASINO_"):
                    yield f"docs/{page}: {word} is neither a setting nor a reason"
