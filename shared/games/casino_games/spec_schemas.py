"""Generate the JSON Schemas (2020-12) of a specification from its models."""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from casino_games.a2g_forms import (
    action_with_submissions,
    forms,
    result_with_payouts,
    state_with_offers,
)
from casino_games.errors import InconsistentSpecification
from casino_games.game import Json
from casino_games.specification import GameSpecification

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PARTS = ("state", "action", "result")
"""The parts with a schema, in the order of the document's sections."""


class _Generator(GenerateJsonSchema):
    """Omits titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  pydantic's signature
        return False


def adapters(spec: GameSpecification) -> dict[str, TypeAdapter[Any]]:
    """Return the validator of each part of a specification."""
    models = (spec.state_model, spec.action_model, spec.result_model)
    return {part: TypeAdapter(model) for part, model in zip(PARTS, models, strict=True)}


def schemas(spec: GameSpecification) -> dict[str, Json]:
    """Return the schemas by part, with the forms of A2A and of A2G.

    Raises `InconsistentSpecification` if one is not closed, or an action has no `action_type`.
    """
    own: dict[str, Json] = {}
    for part, adapter in adapters(spec).items():
        schema = adapter.json_schema(schema_generator=_Generator, mode="validation")
        schema.pop("discriminator", None)  # an OpenAPI keyword; oneOf has the same meaning
        _require_closed(spec, part, schema)
        own[part] = schema
    for _, action in forms(own["action"]):
        kinds_of(spec, action)
    documents = {
        "state": state_with_offers(own["state"], own["action"]),
        "action": action_with_submissions(own["action"]),
        "result": result_with_payouts(own["result"]),
    }
    return {
        part: {
            "$schema": DIALECT,
            "$id": f"urn:a2a-casino:game:{spec.game_type}:{spec.version}:{part}",
            **documents[part],
        }
        for part in PARTS
    }


def action_schemas(action_schema: Json) -> list[Json]:
    """Return the schema of each kind of action as sent over A2A, in the order of the model."""
    return [schema for _, schema in forms(action_schema) if "action_type" in schema["properties"]]


def kinds_of(spec: GameSpecification, action: Json) -> list[str]:
    """Return the possible `action_type`s of one of `action_schemas`.

    Raises `InconsistentSpecification` if it has none.
    """
    schema = action.get("properties", {}).get("action_type", {})
    kinds: list[str] = [schema["const"]] if "const" in schema else schema.get("enum", [])
    if not kinds or "action_type" not in action.get("required", []):
        raise InconsistentSpecification(
            f"{spec.game_type}: an action needs an action_type, required and with fixed values"
        )
    return kinds


def _require_closed(spec: GameSpecification, part: str, schema: Json) -> None:
    for path, document in _objects(schema, part):
        # A map, such as chips by player, has a schema of its values as additionalProperties.
        if document.get("additionalProperties", True) is True:
            raise InconsistentSpecification(
                f"{spec.game_type}: {path} is open: forbid what its model does not name"
            )


def _objects(schema: Any, path: str) -> Iterator[tuple[str, Json]]:
    """Yield all subschemas of objects with their paths."""
    if isinstance(schema, list):
        for place, item in enumerate(schema):
            yield from _objects(item, f"{path}/{place}")
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for key, item in schema.items():
            yield from _objects(item, f"{path}/{key}")
