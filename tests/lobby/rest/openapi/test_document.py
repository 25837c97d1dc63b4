"""The OpenAPI document describes the lobby's operations completely."""

from collections.abc import Iterator
from typing import Any

import pytest
from casino_contracts.message_schemas import messages
from casino_lobby.rest.operation import Operation
from casino_lobby.rest.rest_routes import OPERATIONS, openapi_document
from jsonschema import Draft202012Validator
from support.casino.casino_side import Operator, casino_harness

DOCUMENT = openapi_document("1.2.3", OPERATIONS)
EVERY = {operation.operation_id: operation for operation in OPERATIONS}


def documented(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][operation.path][operation.method.lower()]
    return found


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for inner in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from nodes(inner)


def valid(schema: dict[str, Any], example: Any) -> None:
    whole = {**schema, "components": DOCUMENT["components"]}
    Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(
        example
    )


async def test_it_is_served() -> None:
    async with casino_harness() as harness:
        document = (await Operator(harness).http.get("/openapi.json")).json()
    assert document["openapi"] == "3.1.0"
    assert document["info"]["version"] == "0.1.0"
    assert set(document["paths"]) == {operation.path for operation in EVERY.values()}


@pytest.mark.parametrize("operation", EVERY.values(), ids=EVERY)
class TestOperations:
    def test_every_problem_is_documented_with_an_example(self, operation: Operation) -> None:
        """Problems are grouped by status; 413 belongs to the server's body limit."""
        found: dict[str, set[str]] = {}
        for status, answer in documented(operation)["responses"].items():
            content = answer.get("content", {}).get("application/problem+json", {})
            if "examples" in content:
                found[status] = set(content["examples"])
        wanted: dict[str, set[str]] = {}
        for kind in operation.problems:
            wanted.setdefault(str(kind.status), set()).add(kind.slug)
        assert found == wanted
        assert ("413" in documented(operation)["responses"]) == (
            operation.method in {"POST", "PUT"}
        )

    def test_what_it_takes_and_gives_has_a_valid_example(self, operation: Operation) -> None:
        """Examples are valid by their schemas; streams have an example line."""
        one = documented(operation)
        body = one.get("requestBody", {}).get("content", {}).get("application/json")
        assert (body is None) == (operation.method not in {"POST", "PUT"})
        if body is not None:
            valid(body["schema"], body["example"])
        answer = one["responses"][str(operation.status)]["content"][operation.media_type]
        if operation.media_type not in {"text/html", "image/png"}:
            valid(answer["schema"], answer["example"])
        for problem in DOCUMENT["components"]["examples"].values():
            valid({"$ref": "#/components/schemas/Problem"}, problem["value"])


def test_references_lead_somewhere_and_schemas_are_schemas() -> None:
    for node in nodes(DOCUMENT):
        if isinstance(node.get("$ref"), str):
            _, _, kind, name = node["$ref"].split("/")
            assert name in DOCUMENT["components"][kind]
    for name, schema in DOCUMENT["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert name in {*messages(), "Problem"}


def test_a_body_is_closed_all_the_way_down() -> None:
    body = documented(EVERY["createRoom"])["requestBody"]["content"]["application/json"]["schema"]
    config = body["properties"]["config"]
    assert body["additionalProperties"] is config["additionalProperties"] is False
    assert "additionalProperties" not in DOCUMENT["components"]["schemas"]["TableConfig"]
    assert (
        "roomId"
        not in documented(EVERY["startRoom"])["requestBody"]["content"]["application/json"][
            "schema"
        ]["properties"]
    )


def test_who_needs_the_key_is_said() -> None:
    needed = {name: documented(one)["security"] for name, one in EVERY.items()}
    public = {"readProblem", "listGames", "readGameSpecification"}
    for name, one in EVERY.items():
        if name in public:
            assert needed[name] == []
        elif one.is_command or name == "readHandRecord":
            assert needed[name] == [{"operator": []}]
        elif name in {"listOwnHands", "readOwnHand"}:
            assert needed[name] == [{"operator": []}, {"player": []}]
        else:
            assert needed[name] == [{}, {"operator": []}]
        assert ("401" in documented(one)["responses"]) == (name not in public)
    for scheme in ("operator", "player"):
        assert DOCUMENT["components"]["securitySchemes"][scheme]["scheme"] == "bearer"
