"""Reasons of refusals are members of an enum, written once."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino_agentkit import CommandRefused, KitReason
from casino_contracts import Reason
from casino_lobby.problems.problem import PROBLEM_BY_REASON

ROOT = Path(__file__).parents[2]
PACKAGES = ("services", "shared/agentkit", "shared/contracts", "console")
ENUMS = {
    ROOT / "shared/agentkit/casino_agentkit/reasons.py": KitReason,
    ROOT / "shared/contracts/casino_contracts/reasons.py": Reason,
}
OTHER_PROTOCOLS = {
    ROOT / "console/casino/join/codes.py",
    ROOT / "services/gateway/casino_gateway/a2g/codes.py",
    ROOT / "services/gateway/casino_gateway/bots/codes.py",
    ROOT / "services/gateway/casino_gateway/errors.py",
    ROOT / "services/player_example/casino_player_example/a2g_client/codes.py",
}
"""The enums of other protocols' codes, some of which are spelled as reasons are."""
REASONS = {*KitReason, *Reason}
OTHER_WORDS = {"FAILED", "UNKNOWN"}
"""Reasons that are words of other vocabularies, too."""
REFUSALS = {"CommandRefused": 0, "NotAdmitted": 0, "CallFailed": 1}
"""The position of the reason among the arguments of an exception."""


def product_code() -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules that may use the enums."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if path not in {*ENUMS, *OTHER_PROTOCOLS}:
                yield path, ast.parse(path.read_text())


def literals(tree: ast.AST) -> Iterator[str]:
    """Yield the places where a string literal serves as a reason."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value in REASONS - OTHER_WORDS
        ):
            yield f"{node.lineno}: {node.value}"
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_name(side) == "reason" for side in sides):
                for side in sides:
                    yield from _strings_in(side)
        elif isinstance(node, ast.Call):
            for argument in node.args[REFUSALS.get(_name(node.func), len(node.args)) :][:1]:
                yield from _words_in(argument)
            for keyword in node.keywords:
                if keyword.arg == "reason":
                    yield from _words_in(keyword.value)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _strings_in(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield f"{part.lineno}: {part.value}"


def _words_in(node: ast.expr) -> Iterator[str]:
    """Yield the upper-case words; a reason in prose, such as of a paused table, is none."""
    for place in _strings_in(node):
        if place.partition(": ")[2].isupper():
            yield place


def refused_with(tree: ast.AST) -> Iterator[str]:
    """Yield the members that refusals are raised with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in {"CommandRefused", "NotAdmitted"}:
            for part in ast.walk(node.args[0]):
                if isinstance(part, ast.Attribute) and _name(part.value) in {"Reason", "KitReason"}:
                    yield part.attr


def test_no_reason_is_a_literal() -> None:
    """A literal with a typing error would be a new reason that nobody knows."""
    found = {
        str(path.relative_to(ROOT)): places
        for path, tree in product_code()
        if (places := sorted(set(literals(tree))))
    }
    assert not found


@pytest.mark.parametrize(
    "code",
    [
        'raise CommandRefused("ROOM_FULL", "All seats are taken.")',
        'raise CommandRefused("ROM_FULL", "All seats are taken.")',
        'raise CommandRefused("ROOM_FULL" if full else Reason.CLOSING, "No.")',
        'RemoteRefused(agent, "no", code=1, reason=sent or "UNKNOWN")',
        'refusal.reason == "whatever"',
        'CallFailed(message, "GONE")',
        'reason in {"UNKNOWN"}',
        '_PERMANENT = {"STALE_EPOCH"}',
    ],
)
def test_a_literal_is_found(code: str) -> None:
    """In each form."""
    assert list(literals(ast.parse(code)))


def test_each_reason_is_written_once_and_explained() -> None:
    """Named as it is sent; the line below says what it means."""
    assert not {*KitReason} & {str(reason) for reason in Reason}
    for path, enum in ENUMS.items():
        member = re.compile(r'^    (\w+) = "\1"\n    """[A-Z].*\."""$', re.MULTILINE)
        explained = member.findall(path.read_text())
        assert explained == [reason.name for reason in enum] == [reason.value for reason in enum]


def test_each_reason_is_used() -> None:
    """By product code other than the table of problems."""
    names = {
        node.attr
        for path, tree in product_code()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and _name(node.value) in {"Reason", "KitReason"}
        and path.name != "problem.py"
    }
    assert names == {reason.name for reason in REASONS}


def test_each_refusal_has_a_problem() -> None:
    """Whether the lobby raises it or a table of ours does."""
    raised = {reason for _, tree in product_code() for reason in refused_with(tree)}
    assert {"ROOM_FULL", "UNAUTHORIZED", "PORT_TAKEN"} <= raised
    assert raised | {*Reason} <= PROBLEM_BY_REASON.keys()


def test_a_refusal_sends_plain_text() -> None:
    """A member and a string of another agent look the same to callers and logs."""
    refusals = CommandRefused(Reason.ROOM_FULL, "No."), CommandRefused("ROOM_FULL", "No.")
    assert {repr(refusal.reason) for refusal in refusals} == {"'ROOM_FULL'"}
    assert {str(refusal) for refusal in refusals} == {"ROOM_FULL: No."}


@pytest.mark.parametrize("page", ["durability.md", "wire.md"])
def test_the_documentation_names_reasons_that_exist(page: str) -> None:
    """A word in capitals is a setting or a reason."""
    words = re.findall(r"`([A-Z]+_[A-Z_]+)`", (ROOT / "docs" / page).read_text())
    reasons = {word for word in words if not word.startswith("CASINO_")}
    assert reasons
    assert reasons <= REASONS
