"""Validating messages: faults have a path and never show the content."""

from typing import Any

import pytest
from casino_gamespec import GameSpec, Schema, SchemaFault
from casino_gamespec.schema_checks import fault_of
from support.specifications import specification

SPEC = GameSpec.parse(specification())


def test_messages_as_specified_have_no_faults() -> None:
    assert SPEC.check_state({"public": {"pot": 2}, "private": {"card": "K"}}) == ()
    assert SPEC.check_action({"action_type": "BET"}) == ()
    assert SPEC.check_result({"scores": {"p1": 2, "p2": -2}}) == ()


@pytest.mark.parametrize(
    ("state", "path", "message"),
    [
        ({"public": {"pot": "2"}, "private": {"card": "K"}}, "$.public.pot", "of type integer"),
        ({"public": {"pot": -1}, "private": {"card": "K"}}, "$.public.pot", "minimum 0"),
        ({"public": {"pot": 2}, "private": {}}, "$.private", "'card' is a required"),
        ({"public": {"pot": 2, "x": 1}, "private": {"card": "K"}}, "$.public", "not have x"),
        ([], "$", "of type object"),
        (7, "$", "of type object"),
        (None, "$", "of type object"),
    ],
)
def test_a_fault_has_a_path_and_a_demand(state: Any, path: str, message: str) -> None:
    """The path leads to the value, the text says what it must be."""
    (fault,) = SPEC.check_state(state)
    assert fault.path == path
    assert message in fault.message
    assert str(fault) == f"{fault.path}: {fault.message}"


def test_messages_may_have_64_levels() -> None:
    schema = Schema.of({}, "State Schema")
    deep: Any = []
    for _ in range(63):
        deep = [deep]
    assert schema.faults(deep) == ()
    assert schema.faults([deep]) == (SchemaFault("$", "is nested deeper than 64"),)


def test_a_fault_does_not_show_the_card() -> None:
    """States hold secrets, and faults are logged."""
    (fault,) = SPEC.check_state({"public": {"pot": 2}, "private": {"card": "Secret"}})
    assert fault == SchemaFault("$.private.card", 'must satisfy enum ["J", "Q", "K"]')


def test_paths_into_lists_have_numbers() -> None:
    schema = Schema.of({"properties": {"hand": {"items": {"type": "integer"}}}}, "State Schema")
    assert schema.faults({"hand": [1, "x"]})[0].path == "$.hand[1]"


def test_the_number_of_faults_is_bounded() -> None:
    schema = Schema.of({"items": {"type": "integer"}}, "State Schema")
    assert len(schema.faults(["x"] * 1000)) == 20


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"items": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, 60),
        ({"uniqueItems": True}, [{"a": number} for number in range(5000)]),
        ({"unevaluatedProperties": False}, 500),
        ({"multipleOf": 0.1}, 10**400),
        ({"items": {"enum": list(range(2000))}}, [-1.5] * 4000),
    ],
)
def test_slow_validation_is_stopped(schema: dict[str, Any], message: Any) -> None:
    if isinstance(message, int) and message < 1000:
        deep: Any = 1
        for _ in range(message):
            deep = [deep]
        message = deep
    faults = Schema.of(schema, "State Schema").faults(message)
    assert faults[-1].path == "$" or len(faults) == 20
    assert any(word in faults[-1].message for word in ("too large", "deeper", "enum"))


def test_a_long_text_is_not_matched() -> None:
    schema = Schema.of({"pattern": "^a*$"}, "State Schema")
    assert schema.faults("a" * 200) == ()
    assert schema.faults("a" * 2000) != ()


@pytest.mark.parametrize(
    "pattern",
    ["^[2-9TJQKA][shdc]$", r"^-?\d+(\.\d+)?$", r"^\d+\.\d+\.\d+$", "^[]a]{1,3}$", "a|b", "(?:ab)+"],
)
def test_plain_patterns_are_run(pattern: str) -> None:
    assert fault_of(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*b", "a*a*a*a*b", "a?" * 64, "(?:x{1,50}){1,50}", "[", r"(a)\1", "x" * 999],
)
def test_patterns_that_may_take_exponential_time_are_not_run(pattern: str) -> None:
    """Nor those that cannot be parsed."""
    assert fault_of(pattern) is not None
