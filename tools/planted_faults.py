"""Plants one fault at a time in a copy of the code, and says which test finds it.

`python tools/planted_faults.py [ID …]` runs the tests that can see each fault until one fails, and
prints a line; without an ID for all faults of `planted_faults.toml`:

    odd-chip                 rules      tests/games/holdem/test_pots.py::test_odd_chips
    page-gap                 page       MISSED: A lost event is not noticed …

A test that fails without the fault, too, finds nothing. Exit code 1 if any fault is missed.
`--check` only compares the file with the code: each text must be there exactly once.
"""

import argparse
import ast
import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FAULTS = Path(__file__).with_suffix(".toml")
SUBJECTS = ("rules", "table", "journal", "authority", "store", "lease", "replies", "page")
CORE_AND_SYSTEM = "core or system"
"""The marker expression of what `make test` runs; Node's tests run whatever the expression is."""
LINKED = (".venv", ".foreign", ".compiled", "node_modules")
"""What is installed beside the code, and is not copied."""
LONGEST_RUN_S = 1_200  # a longer one hangs
MISSED = "MISSED"

_PYTEST_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", re.MULTILINE)
_NODE_FAILED = re.compile(r"^ *not ok \d+ - (.+)$", re.MULTILINE)


class Fault(NamedTuple):
    """One fault; see `planted_faults.toml`."""

    id: str
    subject: str
    does: str
    """What the fault does to users."""
    file: str
    text: str
    instead: str
    """What is written instead of the text."""
    tests: Sequence[str]
    """Files and folders of tests that can see it."""


class NotRunError(Exception):
    """Tests that could not be run."""


def faults_of(path: Path) -> list[Fault]:
    """Return the faults of a file."""
    return [Fault(**entry) for entry in tomllib.loads(path.read_text())["fault"]]


def with_fault(root: Path, fault: Fault) -> str:
    """Return the content of the fault's file with the fault.

    Raises ValueError unless the text is there exactly once and the result can be parsed.
    """
    content = (root / fault.file).read_text()
    if (count := content.count(fault.text)) != 1:
        raise ValueError(f"its text is in {fault.file} {count} times")
    changed = content.replace(fault.text, fault.instead)
    if fault.file.endswith(".py"):
        ast.parse(changed)
    return changed


def stale(root: Path, faults: Sequence[Fault]) -> Iterator[str]:
    """Yield what is wrong with the faults, as they no longer fit to the code."""
    ids = [fault.id for fault in faults]
    for fault in faults:
        if ids.count(fault.id) > 1 or fault.subject not in SUBJECTS:
            yield f"{fault.id}: another fault has this id, or the subject is unknown"
        yield from (f"{fault.id}: no {test}" for test in fault.tests if not (root / test).exists())
        try:
            with_fault(root, fault)
        except (ValueError, SyntaxError, OSError) as error:
            yield f"{fault.id}: {error}"


class Copy:
    """A copy of the tracked files, in which one fault at a time is planted."""

    def __init__(self, root: Path) -> None:
        self.root = root
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        )
        for name in filter(None, listed.stdout.split("\0")):
            source, target = ROOT / name, root / name
            if name not in LINKED and source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        for name in LINKED:
            if (ROOT / name).exists():
                (root / name).symlink_to((ROOT / name).resolve())

    @contextlib.contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        """Plant a fault within the block."""
        path = self.root / fault.file
        content, changed = path.read_text(), with_fault(self.root, fault)
        try:
            self._write(path, changed)
            yield
        finally:
            self._write(path, content)

    @staticmethod
    def _write(path: Path, content: str) -> None:
        path.write_text(content)
        # Of the same size and second, its compiled form would be taken for that of this content.
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()

    async def first_failure(self, tests: Sequence[str], tier: str) -> str | None:
        """Return the first test that fails; None if all pass. Raises NotRunError."""
        in_node = [test for test in tests if test.endswith(".js")]
        in_python = [test for test in tests if not test.endswith(".js")]
        if in_python:
            options = ["-x", "-q", "--tb=no", "-rfE", "-p", "no:randomly", "-m", tier]
            code, output = await self._run([sys.executable, "-m", "pytest", *options, *in_python])
            if (failure := _failure(code, output, _PYTEST_FAILED)) is not None:
                return failure
        for test in in_node:
            code, output = await self._run(["node", "--test", "--test-reporter=tap", test])
            if (failure := _failure(code, output, _NODE_FAILED)) is not None:
                return f"{test}: {failure}"
        return None

    async def _run(self, command: Sequence[str]) -> tuple[int, str]:
        """Run a command and return its exit code and output; whatever it started ends with it."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(self._packages())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), LONGEST_RUN_S)
        except TimeoutError:
            raise NotRunError(f"the tests take longer than {LONGEST_RUN_S} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return process.returncode or 0, output.decode(errors="replace")

    def _packages(self) -> Iterator[str]:
        """Yield the folders of the packages: without them an installed checkout would be tested."""
        project = tomllib.loads((self.root / "pyproject.toml").read_text())
        for package in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
            yield str((self.root / package).parent)


def _failure(code: int, output: str, pattern: re.Pattern[str]) -> str | None:
    """Return the first failed test of a run; None if it passed. Raises NotRunError."""
    if code == 0:
        return None
    match = pattern.search(output)
    if code != 1 or match is None:  # other codes: wrong arguments, no test, a broken file of tests
        lines = output.strip().splitlines()
        raise NotRunError(f"no tests were run (exit code {code}): {lines[-1] if lines else ''}")
    return match[1]


async def finder(copy: Copy, fault: Fault, tier: str) -> str | None:
    """Return the test that finds a fault, None if no test does. Raises NotRunError."""
    with copy.planted(fault):
        failure = await copy.first_failure(fault.tests, tier)
    if failure is None:
        return None
    test = failure.partition(": ")[0] if ".js: " in failure else failure
    if await copy.first_failure([test], tier) is not None:
        raise NotRunError(f"{failure} fails without the fault, too")
    return failure


async def plant(faults: Sequence[Fault], tier: str, jobs: int) -> int:
    """Plant all faults, `jobs` at the same time, and print a line for each; return the misses."""
    idle: asyncio.Queue[Copy] = asyncio.Queue()

    async def is_missed(fault: Fault) -> bool:
        copy = await idle.get()
        try:
            verdict = await finder(copy, fault, tier) or f"{MISSED}: {fault.does}"
        except NotRunError as error:
            verdict = f"{MISSED}: {error}"
        finally:
            idle.put_nowait(copy)
        say(f"{fault.id:<24} {fault.subject:<10} {verdict}")
        return verdict.startswith(MISSED)

    with tempfile.TemporaryDirectory(prefix="casino-faults-") as directory:
        for number in range(min(jobs, len(faults))):
            idle.put_nowait(Copy(Path(directory, str(number))))
        async with asyncio.TaskGroup() as group:  # ends before the copies are removed
            plants = [group.create_task(is_missed(fault)) for fault in faults]
    misses = sum(plant.result() for plant in plants)
    say(f"{len(faults) - misses} found, {misses} missed")
    return misses


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 - a script for people


def main() -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="faults to plant; all without any")
    parser.add_argument("--check", action="store_true", help="only compare them with the code")
    parser.add_argument("--tier", default=CORE_AND_SYSTEM, help="marker expression of the tests")
    parser.add_argument("--jobs", type=int, default=2, help="faults that are planted at a time")
    arguments = parser.parse_args()
    faults = faults_of(FAULTS)
    if unknown := {*arguments.ids} - {fault.id for fault in faults}:
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    if problems := [*stale(ROOT, faults)]:
        sys.exit("\n".join(problems))
    if arguments.check:
        say(f"{len(faults)} faults fit to the code")
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that no test run is left behind
    chosen = [fault for fault in faults if not arguments.ids or fault.id in arguments.ids]
    return 1 if asyncio.run(plant(chosen, arguments.tier, arguments.jobs)) else 0


if __name__ == "__main__":
    sys.exit(main())
