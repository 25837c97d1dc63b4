"""The protocol document's schemas beside the models: each difference is a row of docs/wire.md."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    ConfigureTableInput,
    CreateRoomInput,
    RecordGameEventInput,
    RegisterPlayerInput,
    SeatPlayerInput,
    SignupInvitation,
    SignupResponse,
    StartRoomInput,
    WireModel,
)
from casino_contracts.fast_struct import FastReader
from foreign.document_shapes.generated_inputs import ADDED, inputs
from pydantic import TypeAdapter, ValidationError
from support.players.foreign import program

pytestmark = [pytest.mark.foreign, pytest.mark.full]

NUMBER, SEED = 2_000, 34
PAGE = Path(__file__).parents[3] / "docs" / "wire.md"
READERS: dict[str, TypeAdapter[WireModel]] = {
    "signupInvitation": TypeAdapter(SignupInvitation),
    "playerSignupResponse": TypeAdapter(SignupResponse),
    "actionRequest": TypeAdapter(ActionRequest),
    "actionResponse": TypeAdapter(ActionResponse),
    "createRoomInput": TypeAdapter(CreateRoomInput),
    "registerPlayerInput": TypeAdapter(RegisterPlayerInput),
    "startRoomInput": TypeAdapter(StartRoomInput),
    "configureTableInput": TypeAdapter(ConfigureTableInput),
    "seatPlayerInput": TypeAdapter(SeatPlayerInput),
    "tableEvent": TypeAdapter(RecordGameEventInput),
}
FAST: dict[str, FastReader[Any]] = {
    "actionRequest": FastReader(ActionRequest),
    "actionResponse": FastReader(ActionResponse),
}
UNSEEN = "ids and names that nobody sees"
REFUSED = {
    r"at most 9007199254740991$|not between -9007199254740991": "numbers beyond ±(2^53 - 1)",
    r"more than 6 decimal places": "decimals of a config",
    r"must be at least (smallBlind|minBuyIn)|between minBuyIn and|at most startingStack": "a config"
    " whose amounts contradict each other",
    r"at most (64|128|256|2048) characters": "length of texts",
    r"name of another entrypoint|match pattern '\^\[A-Za-z0-9\]": "names of skills",
    r"^String should have at least 1 character|only visible characters|must not be \.": UNSEEN,
    r"at least one printable character": UNSEEN,
    r"absolute http or https URL": "addresses",
    r"at most 65535$": "`launchOptions.port`",
    r"at most 32 levels deep": "depth of `payload`",
}
"""Names of rows by what the models say of an input that the document takes."""
ADDED_FIELDS = "fields that are added here"
ABSENT = "`null` for an optional field"
SHOWN = {"displayName": "`displayName`", "message": "`message`"}
"""Names of rows by the field that is read as another value."""


def row_of_fault(fault: str) -> str:
    """Return the row that has a fault; fails where none has it."""
    rows = {row for pattern, row in REFUSED.items() if re.search(pattern, fault)}
    assert len(rows) == 1, f"{fault}: {rows}"
    return rows.pop()


def differing(theirs: Any, ours: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of each value that the document reads, and the model does not."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        for name, value in theirs.items():
            yield from differing(value, ours.get(name), (*at, name))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for one, other in zip(theirs, ours, strict=True):
            yield from differing(one, other, at)
    elif (theirs, type(theirs) is bool) != (ours, type(ours) is bool):
        yield at


def value_at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name)
    return value


def differences(shape: str, value: Any, judged: Mapping[str, Any]) -> Iterator[str]:
    """Yield the row of each difference between a model and the document about an input."""
    data = orjson.loads(orjson.dumps(value))
    try:
        message = READERS[shape].validate_python(data)
    except ValidationError as error:
        for fault in error.errors() if "value" in judged else ():
            yield ADDED_FIELDS if fault["loc"][-1] == ADDED else row_of_fault(fault["msg"])
        return
    for path, code in judged.get("issues", ()):
        assert (code, value_at(value, path)) == ("invalid_type", None), (path, code)
        yield ABSENT
    for path in (
        differing(judged["value"], orjson.loads(message.wire())) if "value" in judged else ()
    ):
        yield SHOWN[path[-1]]


def rows(page: Path) -> list[str]:
    """Return the names of the rows of the page's table of shapes."""
    table = page.read_text().partition("<!-- shapes -->")[2].partition("<!-- /shapes -->")[0]
    return [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[3:] if line]


def test_every_difference_from_the_document_s_schemas_is_a_row_of_the_page() -> None:
    """And no row is without a difference, in what is accepted or in the value that is read."""
    cases = [(shape, value) for shape in READERS for value in inputs(shape, NUMBER, SEED)]
    asked = json.dumps([{"shape": shape, "input": value} for shape, value in cases])
    done = subprocess.run(
        program("document_shapes", "shapes"),
        input=asked.encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    judged = json.loads(done.stdout)
    assert 0.2 < sum("value" in one for one in judged) / len(judged) < 0.8
    found: set[str] = set()
    for (shape, value), one in zip(cases, judged, strict=True):
        found.update(differences(shape, value, one))
    assert sorted(found) == sorted(rows(PAGE))


@pytest.mark.parametrize("shape", FAST)
def test_the_fast_readers_read_what_the_models_read(shape: str) -> None:
    read = 0
    for value in inputs(shape, NUMBER, SEED):
        text = orjson.dumps(value)
        try:
            message = FAST[shape].read(text)
        except ValueError:
            continue
        read += 1
        assert message.wire() == READERS[shape].validate_python(orjson.loads(text)).wire()
    assert read > 10
