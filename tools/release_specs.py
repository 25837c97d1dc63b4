"""The released version and schemas of each game, in tests/games/released.

Clients cache a specification by game type and version, so every change needs a higher version:
MAJOR if something is removed, renamed or newly required, MINOR if something optional is added,
PATCH otherwise. A further form of a whole message is an optional addition: what was valid stays
valid, and a wire that has sent the earlier form goes on sending it. `check` fails if a version did
not rise accordingly. The first release of a game type is not checked.
"""

import json
from enum import IntEnum
from hashlib import sha256
from typing import Any, TypeAlias

from casino_games.spec_document import build
from casino_games.spec_schemas import schemas
from casino_games.specification import GameSpecification

Json: TypeAlias = dict[str, Any]

_IGNORED = {"$id", "$defs", "title", "description", "examples"}
"""Schema keywords without effect on validation; definitions are inlined where they are used."""


class Change(IntEnum):
    """How much a specification changed, or how far its version rose."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


class NotRisen(Exception):
    """The version of a specification did not rise as far as its changes require."""


def released(spec: GameSpecification) -> Json:
    """Return the record of a release: version, digests of document and schemas, schemas."""
    parts = schemas(spec)
    return {
        "version": spec.version,
        "document": _digest(build(spec)),
        "digests": {part: _digest(json.dumps(schema)) for part, schema in parts.items()},
        "schemas": parts,
    }


def check(game_type: str, old: Json, new: Json) -> None:
    """Raise `NotRisen` if the version did not rise as far as the changes require."""
    needed = change(old, new)
    if rise(old["version"], new["version"]) < needed:
        raise NotRisen(
            f"{game_type}: this is a {needed.name} change, but the version went from "
            f"{old['version']} to {new['version']}; raise it in the game's spec.py"
        )


def change(old: Json, new: Json) -> Change:
    """Return how much a specification changed."""
    new_schemas = new["schemas"]
    parts = [
        _members_change(_forms(schema), _forms(new_schemas[part]), [])
        for part, schema in old["schemas"].items()
    ]
    prose = Change.NONE if old["document"] == new["document"] else Change.PATCH
    return max(prose, *parts)


def rise(old: str, new: str) -> Change:
    """Return how far a version rose; raises `NotRisen` if it fell."""
    before, after = (tuple(map(int, version.split("."))) for version in (old, new))
    if after < before:
        raise NotRisen(f"the version fell from {old} to {new}")
    for kind, old_part, new_part in zip(
        (Change.MAJOR, Change.MINOR, Change.PATCH), before, after, strict=True
    ):
        if new_part != old_part:
            return kind
    return Change.NONE


def schema_change(old: Any, new: Any) -> Change:
    """Return how much an inlined schema changed."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return Change.NONE if old == new else Change.MAJOR
    result = Change.NONE
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if key == "properties":
            part = _members_change(before or {}, after or {}, new.get("required", []))
        elif key == "required":
            old_required = set(before or ()) & set(new.get("properties", {}))
            new_required = set(after or ()) & set(old.get("properties", {}))
            part = Change.NONE if old_required == new_required else Change.MAJOR
        elif key == "oneOf":
            part = _members_change(_by_kind(before), _by_kind(after), [])
        else:
            part = schema_change(before, after)
        result = max(result, part)
    return result


def _members_change(old: Json, new: Json, required: list[str]) -> Change:
    """Return how much properties, or action types, changed."""
    if old.keys() - new.keys():
        return Change.MAJOR
    added = new.keys() - old.keys()
    addition = Change.MINOR if added else Change.NONE
    if added & set(required):
        return Change.MAJOR
    return max(addition, *(schema_change(old[name], new[name]) for name in old), Change.NONE)


def _forms(schema: Json) -> Json:
    """Return the inlined forms of a message; a schema without alternatives has one form."""
    inlined = _inlined(schema, schema)
    dialect = inlined.pop("$schema", None)
    alternatives = inlined.pop("oneOf", None) or inlined.pop("anyOf", None)
    if alternatives is None:
        return {"$schema": dialect, **_by_kind([inlined])}
    return {"$schema": dialect, "shared": inlined, **_by_kind(alternatives)}


def _by_kind(alternatives: list[Json] | None) -> Json:
    """Index alternatives by action type, so that their order does not matter.

    Those without one, such as the forms of a result, are counted.
    """
    indexed: Json = {}
    for schema in alternatives or []:
        members = schema.get("properties", {})
        kinds = [(key, members[key]) for key in ("action_type", "action", "type") if key in members]
        indexed[json.dumps(kinds or f"form {len(indexed)}")] = schema
    return indexed


def _inlined(schema: Any, root: Json) -> Any:
    """Return a schema with inlined definitions, without the keywords in `_IGNORED`.

    Keys below `properties` are names of fields, so none of them is dropped.
    """
    if isinstance(schema, list):
        return [_inlined(item, root) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    return {
        key: {name: _inlined(member, root) for name, member in item.items()}
        if key == "properties"
        else _inlined(item, root)
        for key, item in schema.items()
        if key not in _IGNORED
    }


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
