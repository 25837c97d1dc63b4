"""Files of others are read, or refused by the one error of their reader, whatever is in them.

`CASINO_FUZZ_FILES=5000 CASINO_FUZZ_SEED=2 pytest tests/security/test_hostile_files.py` reads more;
how long each takes is measured by `bench/matches/hostile_text.py`.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from casino_contracts.foreign_text import LIMITS, ForeignText, TextLimits
from casino_histories import UnreadableHistory, all_read
from casino_histories.pokerstars_reader import read_pokerstars
from support.hostile.archives import archive_cases
from support.hostile.history_texts import POKERSTARS
from support.hostile.readers import READERS, Reader, archive_reader
from support.hostile.texts import ATTACKS, SAMPLES, Case, cases

SEED = int(os.environ.get("CASINO_FUZZ_SEED") or 1)
CASES = int(os.environ.get("CASINO_FUZZ_FILES") or 300)
SIZE = 8_000
PARTS = 10
LARGE = 300_000
"""Of a text that a quadratic reader does not end with: it would take hours."""


def outcome(reader: Reader, case: Case) -> str:
    """Return whether a text is read; raises AssertionError for another error than the reader's."""
    try:
        reader.read(case.content)
    except reader.error as error:
        is_short = len(str(error)) < 2_000
    except Exception as error:
        raise AssertionError(f"{case.name} ends in another error") from error
    else:
        return "read"
    assert is_short, case.name
    return "refused"


@pytest.mark.parametrize("part", range(PARTS))
def test_a_text_is_read_or_refused_by_one_error(part: int) -> None:
    for case in list(cases(SEED, CASES, SIZE))[part::PARTS]:
        outcome(READERS[case.kind], case)


def test_a_backup_is_read_or_refused_by_one_error(tmp_path: Path) -> None:
    reader = archive_reader(tmp_path)
    for case in archive_cases(SEED, max(40, CASES // 10)):
        outcome(reader, case)


@pytest.mark.parametrize(("kind", "number"), [(kind, n) for kind in SAMPLES for n in range(4)])
def test_a_valid_text_is_read(kind: str, number: int) -> None:
    for text in SAMPLES[kind][number : number + 1]:
        assert outcome(READERS[kind], Case(kind, kind, text.encode())) == "read"


@pytest.mark.parametrize("kind", ATTACKS)
def test_a_large_text_is_read_or_refused(kind: str) -> None:
    for name, make in ATTACKS[kind].items():
        content = make(LARGE).encode("utf-8", "surrogatepass")
        outcome(READERS[kind], Case(f"{kind}: {name}", kind, content))


def test_a_long_line_of_pokerstars_takes_time_linear_in_it() -> None:
    """Without the limit on lines: no pattern tries again what it has passed."""
    unlimited = TextLimits(size=sys.maxsize, line=sys.maxsize)

    def read(content: bytes) -> None:
        list(all_read(read_pokerstars(content.decode(), unlimited)))

    for name, make in ATTACKS["history"].items():
        if name.startswith("PokerStars"):
            reader = Reader(read, UnreadableHistory)
            outcome(reader, Case(name, "history", make(LARGE).encode()))


def lines(_frame: FrameType, event: str) -> int:
    """Return 1 for a line of Python."""
    return event == "line"


def steps_of(run: Callable[[], Any], counted: Callable[[FrameType, str], int] = lines) -> int:
    """Return how many steps a call executes."""
    steps = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal steps
        steps += counted(frame, event)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return steps


def refused(text: str) -> None:
    with pytest.raises(UnreadableHistory):
        list(all_read(read_pokerstars(text)))


def test_twice_as_many_seats_and_lines_take_twice_as_many_steps() -> None:
    """Every seat used to be looked for in every line."""
    head = POKERSTARS[: POKERSTARS.index("Seat 1")]

    def text(size: int) -> str:
        seats = "".join(f"Seat {n % 9 + 1}: p{n} (9 in chips)\n" for n in range(size))
        return head + seats + "p1: says nothing\n" * size

    small, large = (steps_of(lambda size=size: refused(text(size))) for size in (300, 1_200))  # type: ignore[misc]
    assert large < 5 * small


def parts_of_keys(frame: FrameType, event: str) -> int:
    """Return how many parts the keys have that a function is called with."""
    keys = (value for value in frame.f_locals.values() if isinstance(value, tuple))
    return sum(map(len, keys)) if event == "call" else 0


@pytest.mark.parametrize(
    ("limits", "is_cheap"), [(LIMITS, True), (TextLimits(parts=sys.maxsize), False)]
)
def test_only_a_limit_keeps_a_key_of_many_parts_cheap(
    limits: TextLimits, *, is_cheap: bool
) -> None:
    """Python's parser copies each beginning of a key: one of 20 kB took 400 MB, and seconds."""

    def read(parts: int) -> None:
        with suppress(ForeignText):
            limits.toml("a." * parts + "a = 1")

    few, many = (steps_of(partial(read, parts), parts_of_keys) for parts in (100, 400))
    assert (many < 5 * few + 5) is is_cheap, (few, many)
