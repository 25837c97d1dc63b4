"""Writes everything that is generated from the code: `python tools/reference.py [--check]`.

With `--check` nothing is written, and each file that is not what the code says is named.
"""

import json
import sys
from pathlib import Path
from typing import Any

import configuration
import layouts
import metric_names
from casino_contracts.message_schemas import schema_files
from casino_games import game_types, specification
from casino_lobby import __version__
from casino_lobby.problem import markdown_page
from casino_lobby.rest.openapi_schemas import EXAMPLES, message_examples
from casino_lobby.rest.rest_routes import OPERATIONS, openapi_document
from release_specs import NotRisen, check, released
from scale import results_page

ROOT = Path(__file__).parents[1]
RELEASED, SCHEMAS = "tests/games/released", "docs/reference/schemas"
GOLDEN = "tests/contracts/golden"


def _examples() -> dict[str, Any]:
    """Return the example of each message of the REST API: its own in the golden file, if any."""
    models = {model for of in OPERATIONS for model in (of.request_model, of.response_model)}
    named = {
        model.__name__: json.loads((ROOT / GOLDEN / f"{model.__name__}.json").read_text())
        for model in models
        if model is not None
    }
    return {name: named[name].get("example", named[name]["document"]) for name in sorted(named)}


def _listed(examples: dict[str, Any]) -> str:
    """Return JSON with one line for each example."""
    lines = [f'"{name}": {json.dumps(of, ensure_ascii=False)}' for name, of in examples.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def generated() -> dict[str, str]:
    """Return the content of each generated file, by its path."""
    message_examples().update(examples := _examples())
    openapi = json.dumps(openapi_document(__version__, OPERATIONS), indent=2, ensure_ascii=False)
    architecture = (ROOT / "docs/architecture.md").read_text()
    return {
        "docs/architecture.md": layouts.with_layers(architecture, ROOT / "pyproject.toml"),
        "docs/protocol.md": layouts.with_kinds((ROOT / "docs/protocol.md").read_text()),
        "docs/reference/columns.md": layouts.columns(),
        "docs/reference/configuration.md": configuration.page(),
        "docs/reference/metrics.md": metric_names.page(),
        "docs/reference/observations.md": layouts.observations(),
        "docs/reference/openapi.json": openapi + "\n",
        "docs/reference/problems.md": markdown_page(),
        "docs/reference/scale.md": results_page(),
        EXAMPLES.relative_to(ROOT).as_posix(): _listed(examples),
        **{f"{SCHEMAS}/{name}": content for name, content in schema_files().items()},
        **{f"{RELEASED}/{game_type}.json": _released(game_type) for game_type in game_types()},
    }


def _released(game_type: str) -> str:
    """Return the record of a release; raises `NotRisen` if its version should be higher."""
    path, new = ROOT / RELEASED / f"{game_type}.json", released(specification(game_type))
    if path.exists():
        check(game_type, json.loads(path.read_text()), new)
    return json.dumps(new, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write or compare all files; returns 1 if one is stale, or a version did not rise."""
    try:
        files = generated()
    except NotRisen as error:
        sys.stderr.write(f"{error}\n")
        return 1
    there = {path for folder in (SCHEMAS, RELEASED) for path in (ROOT / folder).glob("*.json")}
    gone = there - {ROOT / name for name in files}
    stale = [
        ROOT / name
        for name, content in files.items()
        if not (ROOT / name).exists() or (ROOT / name).read_text() != content
    ]
    if "--check" in arguments:
        for path in sorted([*stale, *gone]):
            sys.stdout.write(f"{path.relative_to(ROOT)}: stale; `make reference` writes it\n")
        return int(bool(stale or gone))
    for path in stale:
        path.write_text(files[path.relative_to(ROOT).as_posix()])
    for path in gone:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
