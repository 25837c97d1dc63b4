"""Generate the JSON Schemas (2020-12) of a specification from its models, with A2G's forms. Pure.

The same models describe both wires. Over A2A a player is sent `state`, answers with an `action`,
and sees a `result`. Over A2G the payload of `game_action_request` is the state with
`availableActions`, that of `submit_action` has `action` in place of `action_type`, and that of
`round_result` has `winners` with amounts. `casino_gamespec.a2g` translates the messages.
"""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from casino_games.errors import InconsistentSpecification
from casino_games.game import Json
from casino_games.specification import Chips, Closed, GameSpecification

OFFERS = "availableActions"
_KIND = "action_type"
_AMOUNT = "amount"
_LIMITS = ("minAmount", "maxAmount")
_DEFINITIONS = "#/$defs/"
_OFFERS_ARE = (
    "Over A2G only: the actions that are legal now. Over A2A they are beside the state, with "
    "`action_type`, `min` and `max`."
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PARTS = ("state", "action", "result")
"""The parts with a schema, in the order of the document's sections."""


class Payout(Closed):
    """What a player won, as A2G lists it."""

    player_id: str = Field(alias="playerId")
    gross_amount: Chips = Field(
        alias="grossAmount", description="Chips won in this round: the player's score."
    )
    rake: Chips = Field(description="What was taken of them.")
    net_amount: Chips = Field(alias="netAmount", description="`grossAmount` less `rake`.")


def forms(schema: Json) -> Iterator[tuple[str, Json]]:
    """Yield name and schema of each object that a schema describes, in the order of the model."""
    alternatives = schema.get("oneOf") or schema.get("anyOf") or [schema]
    for place, alternative in enumerate(alternatives):
        name = alternative.get("$ref", "").removeprefix(_DEFINITIONS)
        if name:
            yield name, schema["$defs"][name]
        else:
            title = str(alternative.get("title", f"Form{place}"))
            yield re.sub(r"\W", "_", title), alternative


def state_with_offers(state: Json, action: Json) -> Json:
    """Return a State Schema that allows `availableActions`, made from the `action` schema."""
    definitions = {
        f"Offered{name}": _renamed(schema) for name, schema in _definitions(action).items()
    }
    offered = [f"Offered{name}" for name, _ in forms(action)]
    definitions |= {
        f"Offered{name}": _offer(_renamed(schema), name) for name, schema in forms(action)
    }
    references = [{"$ref": _DEFINITIONS + name} for name in offered]
    items = references[0] if len(references) == 1 else {"oneOf": references}
    offers = {"type": "array", "items": items, "description": _OFFERS_ARE}
    extended = {
        name: {**schema, "properties": {**schema["properties"], OFFERS: offers}}
        for name, schema in forms(state)
        if OFFERS not in schema.get("properties", {OFFERS: None})
    }
    if not extended:
        return state
    return _replaced(state, extended, definitions)


def action_with_submissions(action: Json) -> Json:
    """Return an Action Schema that takes `action` in place of `action_type`, too."""
    submissions = {
        f"A2G{name}": {
            **_keyed(schema, "action"),
            "title": f"A2G{name}",
            "description": f"{_described(schema)} (Over A2G.)".strip(),
        }
        for name, schema in forms(action)
    }
    return _with_forms(action, submissions, "oneOf")


def result_with_payouts(result: Json) -> Json:
    """Return a Result Schema whose `winners` may be objects with amounts, too."""
    payout = TypeAdapter(Payout).json_schema(mode="validation")
    payouts = {
        f"A2G{name}": {
            **schema,
            "title": f"A2G{name}",
            "description": f"{_described(schema)} (Over A2G.)".strip(),
            "properties": {
                **schema["properties"],
                "winners": {
                    "type": "array",
                    "items": {"$ref": f"{_DEFINITIONS}Payout"},
                    "description": "Everybody who won chips, in seat order, with what they won.",
                },
            },
        }
        for name, schema in forms(result)
        if "winners" in schema.get("properties", {})
    }
    if not payouts:
        return result
    # Both forms are satisfied where nobody won, so they do not exclude each other.
    return _with_forms(result, payouts | {"Payout": payout}, "anyOf", list(payouts))


def _with_forms(
    schema: Json, added: dict[str, Json], keyword: str, names: list[str] | None = None
) -> Json:
    """Return a schema with further forms; `names` are those of `added` that are forms."""
    own = dict(forms(schema))
    inner = {**_definitions(schema), **own}
    references = [{"$ref": _DEFINITIONS + name} for name in (*own, *(names or added))]
    keyword = "anyOf" if "anyOf" in schema else keyword
    rest = {} if "properties" in schema else _rest(schema)
    return {**rest, keyword: references, "$defs": _merged(inner, added)}


def _replaced(schema: Json, by_name: dict[str, Json], added: dict[str, Json]) -> Json:
    """Return a schema with other objects in place of its own, and with further definitions."""
    inner = {**_definitions(schema)}
    if "properties" in schema:
        ((_, root),) = by_name.items()
        return {**root, "$defs": _merged(inner, added)}
    return {**schema, "$defs": _merged(inner | by_name, added)}


def _merged(inner: dict[str, Json], added: dict[str, Json]) -> dict[str, Json]:
    if taken := inner.keys() & added.keys():
        raise InconsistentSpecification(
            f"the model {min(taken)} has a name that the specification needs: rename it"
        )
    return inner | added


def _definitions(schema: Json) -> dict[str, Json]:
    definitions: dict[str, Json] = schema.get("$defs", {})
    return definitions


def _rest(schema: Json) -> Json:
    inner = {"oneOf", "anyOf", "$ref", "$defs"}
    return {key: value for key, value in schema.items() if key not in inner}


def _offer(schema: Json, name: str) -> Json:
    """Return the schema of an offer of one kind; an amount is free between two limits, or fixed."""
    offer = {**_keyed(schema, "type"), "title": f"Offered{name}"}
    if _AMOUNT not in offer["properties"]:
        return offer
    limits: dict[str, Any] = {key: {"type": "integer", "minimum": 0} for key in _LIMITS}
    required = [name for name in offer["required"] if name != _AMOUNT]
    offer |= {"properties": {**offer["properties"], **limits}, "required": required}
    if _AMOUNT in schema["required"]:
        offer["oneOf"] = [{"required": list(_LIMITS)}, {"required": [_AMOUNT]}]
    return offer


def _keyed(schema: Json, key: str) -> Json:
    """Return an object's schema with `key` in place of `action_type`."""
    return {
        **schema,
        "properties": {
            key if name == _KIND else name: member for name, member in schema["properties"].items()
        },
        "required": [key if name == _KIND else name for name in schema["required"]],
    }


def _renamed(schema: Any) -> Any:
    """Return a schema whose references name the definitions of offers."""
    if isinstance(schema, list):
        return [_renamed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.replace(_DEFINITIONS, f"{_DEFINITIONS}Offered", 1)
        if key == "$ref" and isinstance(value, str)
        else _renamed(value)
        for key, value in schema.items()
        if key not in {"$defs", "discriminator"}
    }


def _described(schema: Json) -> str:
    return " ".join(str(schema.get("description", "")).split())


class _Generator(GenerateJsonSchema):
    """Omits titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  pydantic's signature
        return False


def adapters(spec: GameSpecification) -> dict[str, TypeAdapter[Any]]:
    models = (spec.state_model, spec.action_model, spec.result_model)
    return {part: TypeAdapter(model) for part, model in zip(PARTS, models, strict=True)}


def schemas(spec: GameSpecification) -> dict[str, Json]:
    """Return the schemas by part; raises `InconsistentSpecification` for what is not closed."""
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
    """Return the `action_type`s of one of `action_schemas`; raises `InconsistentSpecification`."""
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
    if isinstance(schema, list):
        for place, item in enumerate(schema):
            yield from _objects(item, f"{path}/{place}")
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for key, item in schema.items():
            yield from _objects(item, f"{path}/{key}")
