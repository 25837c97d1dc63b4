"""A struct takes what its model takes, or leaves it to the model; it writes the same JSON."""

from typing import Any

import msgspec
import pytest
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Card,
    PotShare,
    StatusPayload,
    TableConfig,
    TableEvent,
    WireModel,
)
from casino_contracts.base import DisplayName, optional
from casino_contracts.fast_struct import FastReader, struct_of
from casino_contracts.numbers import PositiveWhole


class Greeting(WireModel):
    """A message with fields of every kind."""

    name: str | None = optional(max_length=3)
    count: PositiveWhole
    size: int = 7
    best: Card | None = None
    shown: DisplayName | None = optional()
    word: str | None = optional(pattern="^[a-z]*$")


def test_what_is_left_out_and_what_is_null_is_as_in_the_model() -> None:
    struct = struct_of(Greeting)
    card = struct_of(Card)(rank="T", suit="hearts")
    assert struct(count=1).wire() == Greeting(count=1).wire() == b'{"count":1,"size":7,"best":null}'
    assert FastReader(Greeting).read(b'{"count":1,"word":"ada"}').word == "ada"
    written = struct(count=2, name="Ada", best=card).wire()
    assert written == Greeting(count=2, name="Ada", best=Card(rank="T", suit="hearts")).wire()
    assert (
        struct(count=1, best=Card(rank="T", suit="hearts")).wire()
        == struct(count=1, best=card).wire()
    )  # a model within a struct


@pytest.mark.parametrize(
    "text",
    [
        '{"count":0}',
        '{"count":true}',
        '{"count":1,"name":"four"}',
        '{"count":1,"more":1}',
        '{"count":1,"shown":"Ada"}',
        '{"count":1.5}',
        '{"count":1,"word":"A"}',
        '{"count":1,"word":"a\\n"}',
        '{"name":"Ada"}',
    ],
)
def test_it_leaves_the_rest_to_the_model(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        FastReader(Greeting).read(text.encode())


def test_it_reads_as_the_model_and_has_its_properties() -> None:
    read = FastReader(Greeting).read(b'{"count":2,"best":{"suit":"hearts","rank":"T"}}')
    assert (read.count, read.size, read.name, read.shown) == (2, 7, None, None)
    assert read.best is not None
    assert read.best.text == "Th"


@pytest.mark.parametrize("model", [TableConfig, TableEvent])
def test_a_required_check_that_msgspec_cannot_do_is_an_error(model: type[WireModel]) -> None:
    """Of validators of the whole model, and of a field."""
    with pytest.raises(TypeError, match="validators|message"):
        struct_of(model)


@pytest.mark.parametrize("model", [ActionRequest, ActionResponse, StatusPayload, PotShare])
def test_fields_keep_their_order(model: type[WireModel]) -> None:
    struct: Any = struct_of(model)
    names = [field.encode_name for field in msgspec.structs.fields(struct)]
    assert names == [field.alias for field in model.model_fields.values() if field.alias in names]
