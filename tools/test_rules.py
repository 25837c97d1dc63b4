"""Refuses tests that depend on the speed of a machine: `python tools/test_rules.py [--all]`.

An offence is a line `file:line: what to do`. Those that are still there are counted for each file
in tests/rules_allowed.toml, whose numbers only fall: `--write-allowed` lowers them, `--all` lists
them.

Unmarked tests have a loop with a virtual clock: `# virtual: reason` on a line permits a limit, or a
comparison of times of the loop, that is the claim. `# poll` marks the waiting functions of
tests/support/processes.py, the only ones that look again and again. Beside the tests, not in them,
`# plays: reason` marks the sleep of somebody who is played: a bot that thinks, a fault that lasts.
"""

import ast
import re
import sys
import tomllib
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
ALLOWED = TESTS / "rules_allowed.toml"
PROCESSES = "support/processes.py"
FOREIGN = re.compile(r"foreign/(agents/[^/]+|arc_agi|openenv|page_game/games|verifiers)/")
"""Programs of environments with other packages, which cannot use what tests share."""
REAL_TIME = {"system", "full", "browser", "postgres", "docker", "foreign", "network", "long"}

DURATION = "compares a duration: assert an order of events or a count; figures belong to bench/"
LIMIT = "a limit only detects a hang: use PATIENCE_S of tests/support/processes.py"
SLEEP = "sleeps: wait for an event, with wait_for or eventually of tests/support/processes.py"
RETRY = "tries again: find what makes it fail, and assert once"
PORT = "free_port loses its port to others: bind port 0 and read which port it is"
MEMORY = "measures memory that other tests use too: count objects, or measure in an own process"

CLOCKS = re.compile(r"(monotonic|perf_counter|process_time|thread_time)(_ns)?")
LIMITS = {"timeout": 0, "timeout_at": 0, "wait": 0, "join": 0, "result": 0, "settimeout": 0}
LIMITS |= {"wait_for": 1, "eventually": 1, "run_until": 1}
"""Functions with a limit, and its place among the arguments."""
BY_KEYWORD = re.compile(r"wait.*|to_.*|get|put|acquire|communicate|urlopen|create_connection")
OF_CLIENT = re.compile(r"httpx\.(Async)?Client")
OF_SUBPROCESS = re.compile(r"subprocess\.(run|call|check_call|check_output)")
MEASURES = re.compile(r"(.*\.)?(memory_(full_)?info|ru_maxrss)|gc\.get_(objects|count|stats)")
KEPT = re.compile(r"tracemalloc\b")
RETRYING = re.compile(r"(flaky|pytest_rerunfailures|tenacity)\b")
FEW = 5  # times that a loop tries something

Names = Mapping[str, bool]
"""Names with whether each is a number that stands in the code."""


Offence = tuple[int, str]
"""The number of a line that breaks a rule, and what to do."""


def offences(texts: Mapping[str, str]) -> dict[str, list[Offence]]:
    """Return what breaks a rule, by path below tests/; constants are followed from file to file."""
    trees = {path: ast.parse(text) for path, text in texts.items()}
    numbers = {_module(path): dict(_constants(tree)) for path, tree in trees.items()}
    by_path = {}
    for path, tree in trees.items():
        rules = _Rules(path, texts[path], numbers)
        rules.visit(tree)
        if rules.offences:
            by_path[path] = sorted(rules.offences)
    return by_path


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _constants(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield the names that a module or function assigns, or has defaults for."""
    for statement in getattr(node, "body", ()):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            for name in (
                statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            ):
                yield _text(name), _is_number(statement.value, {})
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        of = node.args
        last_first = zip([*of.posonlyargs, *of.args][::-1], of.defaults[::-1], strict=False)
        for argument, default in (*last_first, *zip(of.kwonlyargs, of.kw_defaults, strict=True)):
            yield argument.arg, default is not None and _is_number(default, {})


def _is_number(node: ast.expr, names: Names) -> bool:
    """Tell whether an expression is a positive number, or computed from numbers alone."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and value is not True and value > 0
        case ast.BinOp():
            if _text(node) == "1000 * PATIENCE_S":  # milliseconds, of a browser
                return False
            sides = [s for s in (node.left, node.right) if _text(s) != "PATIENCE_S"]
            return all(_is_number(side, names) for side in sides)
        case ast.Call(func=func, args=args, keywords=more) if _last(func) == "timedelta":
            return any(_is_number(part, names) for part in (*args, *(k.value for k in more)))
        case ast.Call(func=ast.Attribute(value=value, attr="total_seconds")):
            return _is_number(value, names)
    return names.get(_text(node), False)


def _last(node: ast.expr) -> str:
    """Return the last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _text(node: ast.expr) -> str:
    """Return the code of an expression, names quickly."""
    if isinstance(node, ast.Attribute):
        return f"{_text(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


class _Rules(ast.NodeVisitor):
    """Finds what breaks a rule in one file."""

    def __init__(self, path: str, text: str, numbers: Mapping[str, Names]) -> None:
        self.offences: set[Offence] = set()
        self._path, self._lines, self._all_numbers = path, text.splitlines(), numbers
        self._is_helper = not Path(path).name.startswith("test_")
        self._is_real = False  # whether the tests here have real time
        self._function = ""
        self._imported: dict[str, str] = {}  # name → where it comes from
        self._numbers: ChainMap[str, bool] = ChainMap(dict(numbers[_module(path)]))
        self._times: ChainMap[str, str] = ChainMap()  # expression → "loop" or "real", its clock

    def visit(self, node: ast.AST) -> None:
        """Judge a node and what is in it."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value)
            case ast.Attribute() if MEASURES.fullmatch(_text(node)):
                self._measures(node)
            case ast.Return(value=ast.expr() as value) if clock := self._clock(value):
                self._times.maps[-1][f"{self._function}()"] = clock
            case ast.Compare(left=left, comparators=others):
                clock = self._clock_of([left, *others])
                is_claim = clock == "loop" and self._is_virtual(node)
                if clock and not is_claim and not self._is_poll(node):
                    self._report(node, DURATION)
            case ast.Call():
                self._call(node)
            case ast.For() | ast.AsyncFor() | ast.While() if _tries_again(node):
                self._report(node, RETRY)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            self._enter(node)
        else:
            self.generic_visit(node)

    def _enter(
        self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> None:
        before = self._is_real, self._numbers, self._times, self._function
        marks = [
            statement.value
            for statement in node.body
            if isinstance(statement, ast.Assign) and _text(statement.targets[0]) == "pytestmark"
        ]
        for mark in (*marks, *getattr(node, "decorator_list", ())):
            names = {part.attr for part in ast.walk(mark) if isinstance(part, ast.Attribute)}
            self._is_real |= bool(names & REAL_TIME)
            if "flaky" in names:
                self._report(mark, RETRY)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._numbers = self._numbers.new_child(dict(_constants(node)))
            self._times, self._function = self._times.new_child(), node.name
        self.generic_visit(node)
        self._is_real, self._numbers, self._times, self._function = before

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            name, origin = alias.asname or alias.name, f"{module}{alias.name}"
            self._imported[name] = origin
            if origin != "support.processes.PATIENCE_S":
                self._numbers[name] = self._all_numbers.get(module[:-1], {}).get(alias.name, False)
            if RETRYING.match(origin):
                self._report(node, RETRY)
            elif "free_port" in origin.split("."):
                self._report(node, PORT)
            elif KEPT.match(origin):
                self._measures(node)

    def _measures(self, node: ast.AST) -> None:
        if not self._is_helper and not self._is_real:
            self._report(node, MEMORY)

    def _assign(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        for target in targets:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                for part, of_part in zip(target.elts, value.elts, strict=False):
                    self._assign([part], of_part)
            elif clock := self._clock(value):
                self._times[_text(target)] = clock

    def _clock(self, node: ast.expr) -> str:
        """Return which clock an expression is computed from, or an empty text."""
        if not isinstance(node, ast.Call):
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            is_computed = isinstance(node, ast.BinOp | ast.UnaryOp | ast.Tuple | ast.Await)
            return self._clock_of(parts) if is_computed else self._times.get(_text(node), "")
        name = _last(node.func)
        if CLOCKS.fullmatch(self._origin(node.func).rpartition(".")[2]):
            return "real"
        if name == "time" and "loop" in _text(node.func):
            return "loop"
        if name in {"max", "min", "round", "abs", "sum"}:
            return self._clock_of(node.args)
        return self._times.get(f"{name}()", "")

    def _clock_of(self, parts: Iterable[ast.expr]) -> str:
        return max(map(self._clock, parts), default="")  # "real" is more than "loop"

    def _call(self, node: ast.Call) -> None:
        origin, name, func = self._origin(node.func), _last(node.func), node.func
        if name == "append" and isinstance(func, ast.Attribute) and node.args:
            self._assign([func.value], node.args[0])
        if self._sleeps(node, origin) and not (self._is_poll(node) or self._is_played(node)):
            self._report(node, SLEEP)
        limits = any(_is_number(limit, self._numbers) for limit in _limits(node, origin, name))
        if limits and not self._is_virtual(node):
            self._report(node, LIMIT)

    def _sleeps(self, node: ast.Call, origin: str) -> bool:
        takes_time = bool(node.args) and _text(node.args[0]) not in {"0", "0.0"}
        if origin == "asyncio.sleep":
            return takes_time and (self._is_real or self._is_helper) and not self._is_virtual(node)
        return takes_time and (origin == "time.sleep" or origin.endswith(".wait_for_timeout"))

    def _origin(self, func: ast.expr) -> str:
        """Return the dotted name of a function where it is defined."""
        first, _, rest = _text(func).partition(".")
        return f"{self._imported.get(first, first)}.{rest}".rstrip(".")

    def _says(self, node: ast.AST, comment: str) -> bool:
        lines = self._lines[node.lineno - 1 : node.end_lineno]  # type: ignore[attr-defined]
        return any(re.search(comment, line) for line in lines)

    def _is_virtual(self, node: ast.AST) -> bool:
        return not self._is_real and self._says(node, r"# virtual: \w")

    def _is_poll(self, node: ast.AST) -> bool:
        return self._path == PROCESSES and self._says(node, r"# poll\b")

    def _is_played(self, node: ast.AST) -> bool:
        return self._is_helper and self._says(node, r"# plays: \w")

    def _report(self, node: ast.AST, sentence: str) -> None:
        self.offences.add((node.lineno, sentence))  # type: ignore[attr-defined]


def _limits(node: ast.Call, origin: str, name: str) -> list[ast.expr]:
    """Return the arguments that limit how long a call waits; the limit of pytest is the last."""
    if origin.startswith("pytest."):
        return []
    limits = node.args[LIMITS[name] :][:1] if name in LIMITS else []
    is_limited = OF_SUBPROCESS.fullmatch(origin) or OF_CLIENT.fullmatch(origin)
    if is_limited or name in LIMITS or BY_KEYWORD.fullmatch(name):
        limits += [k.value for k in node.keywords if k.arg in {"timeout", "seconds", "delay"}]
    if name == "timeout_at":  # a time of the loop, and a number
        return [p for limit in limits for p in ast.walk(limit) if isinstance(p, ast.expr)]
    return limits


def _tries_again(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Tell whether a loop goes on after a failed assertion, or tries something a few times."""
    for node in ast.walk(loop):
        match node:
            case ast.ExceptHandler(type=ast.expr() as kind, body=[*_, last]):
                if "AssertionError" in _text(kind) and not isinstance(last, ast.Raise):
                    return True
            case ast.Call() if _text(node).endswith("suppress(AssertionError)"):
                return True
            case ast.Break() if isinstance(loop, ast.For):
                count = re.fullmatch(r"range\((\d+)\)", _text(loop.iter))
                if count and int(count[1]) <= FEW:
                    return True
    return False


def lowered(by_path: Mapping[str, list[Offence]], allowed: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers of today, none of them higher than before; without any, those of today."""
    counts = {path: len(here) for path, here in by_path.items()}
    least = {path: min(number, allowed.get(path, 0)) for path, number in counts.items()}
    return {path: number for path, number in least.items() if number} if allowed else counts


def complaints(
    by_path: Mapping[str, list[Offence]], allowed: Mapping[str, int], *, every: bool = False
) -> Iterator[str]:
    """Yield a line for each offence in files with too many, and for numbers that are too high."""
    for path in sorted({*by_path, *allowed}):
        here, most = by_path.get(path, []), allowed.get(path, 0)
        if every or len(here) > most:
            yield from (f"tests/{path}:{line}: {sentence}" for line, sentence in here)
        if len(here) < most:
            yield f"tests/{path}: {len(here)} offences, {most} are allowed: lower the number"


def main(arguments: list[str]) -> int:
    """Print what is wrong; returns 1 if anything is."""
    paths = {path.relative_to(TESTS).as_posix(): path for path in TESTS.rglob("*.py")}
    by_path = offences(
        {name: p.read_text() for name, p in paths.items() if not FOREIGN.match(name)}
    )
    allowed = tomllib.loads(ALLOWED.read_text()) if ALLOWED.exists() else {}
    if "--write-allowed" in arguments:
        allowed = lowered(by_path, allowed)
        ALLOWED.write_text("".join(f'"{path}" = {allowed[path]}\n' for path in sorted(allowed)))
    lines = [*complaints(by_path, allowed, every="--all" in arguments)]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
