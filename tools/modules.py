"""The module tables of docs/architecture.md: each module's first docstring sentence."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "shared/contracts/casino_contracts",
    "shared/agentkit/casino_agentkit",
    "shared/games/casino_games",
    "shared/gamespec/casino_gamespec",
    "shared/seats/casino_seats",
    "shared/sqlite/casino_sqlite",
    "shared/compression/casino_compression",
    "shared/play/casino_play",
    "services/table/casino_table",
    "services/lobby/casino_lobby",
    "services/player_example/casino_player_example",
    "services/gateway/casino_gateway",
    "services/evaluator/casino_evaluator",
    "services/match/casino_match",
    "console/casino",
)
BEGIN, END = "<!-- modules: make reference -->", "<!-- /modules -->"


def tables() -> str:
    """Return a heading and a table for each package and its sub-packages."""
    return "\n".join(line for package in PACKAGES for line in _package(ROOT / package, 3))


def with_tables(page: str) -> str:
    """Return a page with its module tables renewed."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


def _package(directory: Path, level: int) -> Iterator[str]:
    folder = str(directory.relative_to(ROOT))
    dotted = folder[folder.index("casino") :].replace("/", ".")
    yield f"{'#' * level} `{dotted}`"
    yield ""
    yield job_of(directory / "__init__.py")
    yield ""
    modules = sorted(path for path in directory.glob("*.py") if path.name != "__init__.py")
    if modules:
        yield "| module | its one job |"
        yield "| --- | --- |"
        for path in modules:
            yield f"| `{path.name}` | {job_of(path)} |"
        yield ""
    for path in sorted(directory.iterdir()):
        if (path / "__init__.py").exists() and path.name != "versions":
            yield from _package(path, 4)


def job_of(path: Path) -> str:
    """Return the first sentence of a module's docstring; raises ValueError where there is none."""
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
    sentence = " ".join(docstring.split("\n\n")[0].split())
    if not sentence:
        raise ValueError(f"{path} has no docstring")
    return sentence
