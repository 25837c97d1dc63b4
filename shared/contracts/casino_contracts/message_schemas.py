"""Export the JSON Schemas (draft 2020-12) of every message."""

import json
from pathlib import Path
from typing import Any

import casino_contracts
from casino_contracts.base import WireModel
from casino_contracts.events.content import KINDS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_NOT_MESSAGES = {"WireModel", "Unit"}


def messages() -> dict[str, type[WireModel]]:
    """Return every exported message and every payload of an event, by name."""
    payloads = [
        model for kind in KINDS.values() for model in (kind.payload, kind.of_games) if model
    ]
    public: dict[str, Any] = {model.__name__: model for model in payloads}
    public |= {name: getattr(casino_contracts, name) for name in casino_contracts.__all__}
    return {
        name: value
        for name, value in public.items()
        if isinstance(value, type) and issubclass(value, WireModel) and name not in _NOT_MESSAGES
    }


def schema_of(message: type[WireModel]) -> dict[str, Any]:
    """Return what a writer of this message has to fulfil."""
    return {"$schema": DIALECT, **message.model_json_schema(mode="validation")}


def schema_files() -> dict[str, str]:
    return {
        f"{name}.json": json.dumps(schema_of(message), indent=2, ensure_ascii=False) + "\n"
        for name, message in sorted(messages().items())
    }


def write_schemas(directory: Path) -> list[Path]:
    """Write all schemas, remove other `*.json` files, and return the paths written."""
    directory.mkdir(parents=True, exist_ok=True)
    files = schema_files()
    for stale in directory.glob("*.json"):
        if stale.name not in files:
            stale.unlink()
    written = []
    for name, content in files.items():
        path = directory / name
        path.write_text(content, encoding="utf-8")
        written.append(path)
    return written
