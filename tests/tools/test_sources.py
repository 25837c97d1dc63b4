"""What the checks of sources, packages and pages find."""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import packages
import sources


def lines(faults: Iterable[tuple[int, str]]) -> list[int]:
    return sorted(line for line, _ in faults)


@pytest.mark.parametrize(
    "code",
    [
        "import time",
        "import random",
        "from random import shuffle",
        "from asyncio import sleep",
        "import numpy as np",
        "open('cards')",
        "async def deal(): pass",
        "def deal():\n    global seed",
        "Random()",
        "np.random.shuffle(cards)",
    ],
)
def test_what_makes_a_hand_unrepeatable_is_refused(code: str) -> None:
    assert list(sources.purity(f"{sources.GAMES}cards.py", ast.parse(code)))


def test_an_assignment_to_a_field_is_found() -> None:
    tree = ast.parse("room.phase = 'open'\nself.room.state, x = None, 1\nroom.epoch += 1\ny.z = 1")
    assert lines(sources.assignments(tree, {"room"})) == [1, 2, 3]


def test_a_handler_with_two_writes_is_found() -> None:
    handler = "    class A(BaseHTTPRequestHandler):\n        x = 1\n\n        y = 2\n"
    text = f"def f():\n{handler}    z = 3\n"
    assert lines(sources.two_writes(text)) == [2]
    assert not lines(sources.two_writes(text.replace("x = 1", "wbufsize = -1")))


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[this](page.md#top)\n[web](https://example.org)\n[gone](gone.md)\n")
    assert list(sources.broken_links(page)) == [(3, "gone.md does not exist")]


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
def test_a_reason_in_quotes_is_found(code: str) -> None:
    assert list(sources.literals(ast.parse(code)))


def test_uses_of_reasons_are_found(tmp_path: Path) -> None:
    usage = sources.Usage()
    code = 'raise CommandRefused(Reason.NEW if x else Reason.CLOSING, "No.")\nKitReason.FORBIDDEN'
    assert sources.members(ast.parse(code)) == ({"NEW", "CLOSING", "FORBIDDEN"}, {"NEW", "CLOSING"})
    assert not list(usage.see("services/lobby/casino_lobby/app.py", ast.parse(code)))
    for path in (*sources.ENUMS, "docs/operations.md", "docs/protocol.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("`ROM_FULL` `CASINO_LOBBY_PORT`")
    faults = set(usage.faults(tmp_path))
    assert "docs/protocol.md: ROM_FULL is neither a setting nor a reason" in faults
    assert "the reason ROOM_FULL is not used" in faults
    assert "the reason CLOSING is not used" not in faults
    assert f"{sources.PROBLEMS}: the reason NEW has no problem" in faults
    assert any(
        fault.endswith("ROOM_FULL has another value, or no sentence about it") for fault in faults
    )


@pytest.mark.parametrize(
    ("exported", "fault"),
    [
        (["LIMIT", "Table"], "deal is missing"),
        (["LIMIT", "LIMIT", "Table", "deal"], "LIMIT is listed twice"),
        (["LIMIT", "Player", "Table", "deal"], "Player does not exist"),
        (["LIMIT", "deal", "Table"], "the names are not sorted"),
    ],
)
def test_each_fault_of_exports_is_found(exported: list[str], fault: str) -> None:
    package = ModuleType("package")
    vars(package).update(LIMIT=1, Table=object, deal=len, os=pytest, _private=2)
    vars(package)["__all__"] = ["LIMIT", "Table", "deal"]
    assert list(packages.of_exports(package)) == []
    vars(package)["__all__"] = exported
    assert fault in packages.of_exports(package)
