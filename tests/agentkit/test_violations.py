"""Violations are pydantic's errors in the words of JSON, one for each fault."""

from typing import Annotated, Any, Literal

import pytest
from casino_agentkit.violations import VIOLATIONS_SHOWN, violations_of
from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError


class Circle(BaseModel, extra="forbid"):
    """One of two shapes."""

    kind: Literal["circle"]
    radius: float = Field(gt=0, lt=10)


class Square(BaseModel, extra="forbid"):
    kind: Literal["square"]
    side: float = Field(multiple_of=2)


def _refuse(_value: object) -> object:
    raise ValueError("is not wanted")


def faults(kind: Any, data: object) -> list[tuple[str, str]]:
    """Return the violations of a value that is to be of a kind."""
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(kind).validate_python(data)
    found = violations_of(raised.value, data=data)
    return [(violation.field, violation.message) for violation in found]


@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        (list[int], 7, "must be an array"),
        (tuple[int, ...], 7, "must be an array"),
        (frozenset[int], 7, "must be an array"),
        (dict[str, int], 7, "must be an object"),
        (Circle, 7, "must be an object"),
        (bool, "perhaps", "must be true or false"),
        (int, "x", "must be a whole number"),
        (int, 1.5, "must be a whole number"),
        (float, "x", "must be a number"),
        (str, 7, "must be a string"),
        (None, 7, "must be null"),
        (Literal["a", True, False], "b", 'must be "a", true or false'),
        (Literal["None", "True"], "b", 'must be "None" or "True"'),
        (Annotated[str, Field(min_length=1)], "", "must have at least 1 character"),
        (Annotated[str, Field(min_length=2)], "", "must have at least 2 characters"),
        (Annotated[str, Field(max_length=1)], "ab", "must have at most 1 character"),
        (Annotated[list[int], Field(min_length=2)], [], "must have at least 2 items"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "must have at most 1 item"),
        (Annotated[str, Field(pattern="^'?a$")], "b", "must match ^'?a$"),
        (Annotated[int, Field(ge=3)], 1, "must be at least 3"),
        (Annotated[int, Field(le=3)], 4, "must be at most 3"),
        (Annotated[int, AfterValidator(_refuse)], 4, "is not wanted"),
        (int | str, [], "must be a whole number or a string"),
        (int | None, "x", "must be a whole number"),
    ],
)
def test_a_fault_has_one_description(kind: Any, data: object, message: str) -> None:
    assert faults(kind, data) == [("", message)]


def test_the_members_of_a_union_are_not_in_the_path() -> None:
    shapes: Any = list[Annotated[Circle | Square, Field(discriminator="kind")]]
    data = [{"kind": "circle", "radius": 70}]
    assert faults(shapes, data) == [("0.radius", "must be below 10")]
    assert faults(shapes, [{"kind": "line"}]) == [("0", '"kind" must be "circle", "square"')]
    assert faults(shapes, [{}]) == [("0", 'must have "kind"')]
    found = faults(list[Circle | Square], data)
    assert ("0.radius", "must be below 10") in found
    assert all(path.startswith("0.") and path.count(".") == 1 for path, _ in found)


def test_a_missing_field_of_a_member_has_its_name() -> None:
    """Although the value has no such key."""
    shape = Annotated[Circle | Square, Field(discriminator="kind")]
    assert faults(shape, {"kind": "square"}) == [("side", "is required")]


def test_a_faulty_item_does_not_make_its_array_too_short() -> None:
    """An array without faulty items may be."""
    two = Annotated[tuple[int, ...], Field(min_length=2)]
    assert faults(two, [1, "x"]) == [("1", "must be a whole number")]
    assert faults(dict[str, two], {"a": [1, "x"], "b": [1]}) == [
        ("a.1", "must be a whole number"),
        ("b", "must have at least 2 items"),
    ]


def test_a_faulty_key_is_its_path() -> None:
    assert faults(dict[int, int], {"x": 1}) == [("x", "must be a whole number")]


def test_the_limit_counts_violations() -> None:
    many: list[object] = [[] for _ in range(100)]
    found = faults(list[int | str | float], many)
    assert len(found) == VIOLATIONS_SHOWN
    assert found[-1][1] == "must be a whole number or a string or a number"
