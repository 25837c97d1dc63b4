"""Processor time for hostile texts: histories, plans, levels, specifications and backups.

Each of `--cases` texts, valid ones with changes and directed ones of `--size` characters, must be
read, or refused by the one error of its reader, within 100 ms for every 100 kB, or part of them;
a specification, whose schemas are validated, within two seconds.
The slowest of each kind is measured three times, and the least counts.

Prints one JSON line. Exits with 1 if a limit is missed.
"""

import argparse
import json
import sys
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from support.hostile.archives import archive_cases
from support.hostile.readers import READERS, Reader, archive_reader
from support.hostile.texts import Case, cases

MOST_MS = {"specification": 2_000}
OTHERS_MS = 100
UNIT = 100_000
ARCHIVES = 10
"""One in so many cases is a backup."""


def main() -> None:
    """Read every case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--size", type=int, default=UNIT)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    archives = arguments.cases // ARCHIVES
    slowest: dict[str, dict[str, Any]] = {}
    counts = {"read": 0, "refused": 0}
    missed: list[str] = []
    with TemporaryDirectory() as directory:
        readers = {**READERS, "archive": archive_reader(Path(directory))}
        texts = cases(arguments.seed, arguments.cases - archives, arguments.size)
        for case in chain(texts, archive_cases(arguments.seed, archives)):
            took, outcome = measured(readers[case.kind], case)
            most = MOST_MS.get(case.kind, OTHERS_MS)
            if took > most / 2:
                took = min(took, *(measured(readers[case.kind], case)[0] for _ in range(2)))
            counts[outcome] = counts.get(outcome, 0) + 1
            if outcome not in {"read", "refused"} or took > most:
                missed.append(f"{case.name}: {outcome}, {took:.0f} ms")
            if took > slowest.get(case.kind, {"ms": -1})["ms"]:
                slowest[case.kind] = {"ms": round(took, 1), "case": case.name}
    report = {
        "bench": "hostile_text",
        "cases": arguments.cases,
        "outcomes": counts,
        "slowest_per_100_kb": slowest,
        "missed": missed[:20],
    }
    print(json.dumps(report))
    sys.exit(1 if missed else 0)


def measured(reader: Reader, case: Case) -> tuple[float, str]:
    """Return the milliseconds for 100 kB, and what became of a text."""
    begin = process_time()
    try:
        reader.read(case.content)
        outcome = "read"
    except reader.error:
        outcome = "refused"
    except Exception as error:  # noqa: BLE001  of another kind is what is looked for
        outcome = f"raised {type(error).__name__}"
    took = (process_time() - begin) * 1_000
    return took / max(1.0, len(case.content) / UNIT), outcome


if __name__ == "__main__":
    main()
