"""How much a run sends: few cases in the short form, as many as `make fuzz-paths` asks for."""

import logging
import os
import random
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SEED: Final = int(os.environ.get("CASINO_FUZZ_SEED", "1") or secrets.randbits(32))
"""The short form sends the same at every run; `make fuzz-paths` sends something new."""
CASE: Final = os.environ.get("CASINO_FUZZ_CASE", "")
"""The only case to be sent, such as `requests.17`."""
CASES: Final = int(os.environ.get("CASINO_FUZZ_PATHS") or 120)
"""Connections with requests, and with replies."""
INPUTS: Final = int(os.environ.get("CASINO_FUZZ_INPUTS") or 400)
"""Messages of each kind that are read or written in two ways."""
_SHOWN, _SHOWN_BYTES, _BEFORE = 5, 2_000, 100


def numbers(what: str, count: int) -> Iterator[tuple[str, random.Random]]:
    """Return the name and the dice of each case; a case depends on nothing else."""
    if CASE:
        chosen = [int(CASE.rpartition(".")[2])] if CASE.startswith(f"{what}.") else []
    else:
        chosen = list(range(count))
    for number in chosen:
        name = f"{what}.{number}"
        yield name, random.Random(f"{SEED}/{name}")


def shown(found: object, begin: int = 0) -> str:
    """Return what Python writes of a value, cut if it is long."""
    return repr(found)[begin : begin + _SHOWN_BYTES]


def _place(one: object, other: object) -> int:
    """Return where the texts of two values begin to differ, or a little before it."""
    texts = repr(one), repr(other)
    same = [a == b for a, b in zip(*texts, strict=False)]
    return max(0, (same.index(False) if False in same else len(same)) - _BEFORE)


class Differences:
    """What differed in a run, with what repeats it."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def add(self, case: str, sent: object, one: object, other: object) -> None:
        begin = _place(one, other)
        lines = "".join(f"\n    \u2026{shown(end, begin)}" for end in (one, other))
        self._found.append(f"CASINO_FUZZ_SEED={SEED} CASINO_FUZZ_CASE={case}: {shown(sent)}{lines}")

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        return "\n".join([f"{len(self)} differences", *self._found[:_SHOWN]])


def tell(line: str) -> None:
    """Write a line that stays to be seen, from a process of pytest-xdist too."""
    sys.stderr.write(f"\nfuzz-paths: seed {SEED}: {line}\n")
    sys.stderr.flush()


@contextmanager
def unlogged() -> Iterator[None]:
    """Log nothing: every refused request would have a line or more."""
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
