"""Writes tests/games/released: what each game's specification promises in its newest version.

`python tools/release_specs.py tests/games/released`

Clients keep a specification by game type and version, so whatever changes in a document has to
come with a higher version: MAJOR when something is removed, renamed or newly required, MINOR when
something optional is added, PATCH for everything else.  A version that did not rise like that is
refused; a game type that was never released is taken as it is.
"""

import json
import sys
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from casino_games import game_types, specification
from casino_games.spec_document import build
from casino_games.spec_schemas import schemas
from casino_games.specification import GameSpecification

Json: TypeAlias = dict[str, Any]

_TOLD = {"$id", "$defs", "title", "description", "examples"}
"""What a schema says to people; definitions are looked at where they are used."""


class Change(IntEnum):
    """How much a specification changed, or how far its version rose."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


class NotRisen(Exception):
    """A specification changed more than its version says."""


def released(spec: GameSpecification) -> Json:
    """Return what a release keeps: digests of the document and its schemas, and these."""
    made = schemas(spec)
    return {
        "version": spec.version,
        "document": _digest(build(spec)),
        "digests": {part: _digest(json.dumps(one)) for part, one in made.items()},
        "schemas": made,
    }


def check(game_type: str, old: Json, new: Json) -> None:
    """Raise ``NotRisen`` when ``new`` changed and its version did not rise as far."""
    needed = change(old, new)
    if rise(old["version"], new["version"]) < needed:
        raise NotRisen(
            f"{game_type}: this is a {needed.name} change, and the version went from "
            f"{old['version']} to {new['version']}; raise it in the game's spec.py"
        )


def change(old: Json, new: Json) -> Change:
    """Return how much a specification changed."""
    parts = [
        schema_change(_resolved(one, one), _resolved(new["schemas"][part], new["schemas"][part]))
        for part, one in old["schemas"].items()
    ]
    prose = Change.NONE if old["document"] == new["document"] else Change.PATCH
    return max(prose, *parts)


def rise(old: str, new: str) -> Change:
    """Return how far a version rose; ``NotRisen`` when it fell."""
    before, after = (tuple(map(int, version.split("."))) for version in (old, new))
    if after < before:
        raise NotRisen(f"the version fell from {old} to {new}")
    for kind, was, becomes in zip(
        (Change.MAJOR, Change.MINOR, Change.PATCH), before, after, strict=True
    ):
        if becomes != was:
            return kind
    return Change.NONE


def schema_change(old: Any, new: Any) -> Change:
    """Return how much a schema changed; what only people read does not count."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return Change.NONE if old == new else Change.MAJOR
    found = Change.NONE
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if key == "properties":
            found = max(found, _members_change(before or {}, after or {}, new.get("required", [])))
        elif key == "required":
            kept = set(new.get("properties", {}))
            asked = set(after or ()) & set(old.get("properties", {}))
            found = max(found, Change.NONE if set(before or ()) & kept == asked else Change.MAJOR)
        elif key == "oneOf":
            found = max(found, _members_change(_by_kind(before), _by_kind(after), []))
        else:
            found = max(found, schema_change(before, after))
    return found


def _members_change(old: Json, new: Json, required: list[str]) -> Change:
    """Return how much properties, or kinds of action, changed."""
    if old.keys() - new.keys():
        return Change.MAJOR
    added = new.keys() - old.keys()
    found = Change.MINOR if added else Change.NONE
    if added & set(required):
        return Change.MAJOR
    return max(found, *(schema_change(old[name], new[name]) for name in old), Change.NONE)


def _by_kind(alternatives: list[Json] | None) -> Json:
    """Return alternatives by their action type, so that their order does not matter."""
    return {
        json.dumps(one.get("properties", {}).get("action_type")): one for one in alternatives or []
    }


def _resolved(schema: Any, root: Json) -> Any:
    """Return a schema with its definitions put in, without what only people read.

    Under ``properties`` the keys are names of the game's own, and all of them count.
    """
    if isinstance(schema, list):
        return [_resolved(item, root) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _resolved(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    return {
        key: {name: _resolved(one, root) for name, one in item.items()}
        if key == "properties"
        else _resolved(item, root)
        for key, item in schema.items()
        if key not in _TOLD
    }


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def main() -> None:
    """Write what is released; stop at the first game whose version did not rise."""
    folder = Path(sys.argv[1])
    for game_type in game_types():
        kept = folder / f"{game_type}.json"
        new = released(specification(game_type))
        if kept.exists():
            try:
                check(game_type, json.loads(kept.read_text(encoding="utf-8")), new)
            except NotRisen as error:
                sys.exit(str(error))
        kept.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
