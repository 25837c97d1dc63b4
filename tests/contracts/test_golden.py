"""Every message agrees with its golden JSON in both directions.

Each golden file holds `document` (what a peer that knows only the document writes), `written` (what
we write for the same message) and `full` (with every optional field of ours), and may hold the
`example` of the OpenAPI document, which else shows `document`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import WireModel
from casino_contracts.message_schemas import DIALECT, messages, schema_of
from jsonschema import Draft202012Validator

GOLDEN = Path(__file__).parent / "golden"
REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
MESSAGES = sorted(messages().items())


def golden(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return content


def written(message: WireModel) -> Any:
    return json.loads(message.model_dump_json())


def test_every_message_has_a_golden_file() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(messages())


@pytest.mark.parametrize(("name", "message"), MESSAGES)
def test_a_message_is_read_and_written_as_its_golden_file_says(
    name: str, message: type[WireModel]
) -> None:
    """The form of the document, and every field of ours; unknown fields are ignored."""
    forms = golden(name)
    full = forms["full"]
    assert written(message.model_validate(forms["document"])) == forms["written"]
    assert set(full) == {field.alias for field in message.model_fields.values()}
    assert written(message.model_validate(full)) == full
    assert written(message.model_validate_json(json.dumps(full))) == full
    assert written(message.model_validate({**full, "fromTheFuture": [1]})) == full
    schema = schema_of(message)
    assert schema["$schema"] == DIALECT
    Draft202012Validator.check_schema(schema)
    for form in forms.values():
        Draft202012Validator(schema).validate(form)
    read = message.model_validate(full)
    for field in message.model_fields:
        with pytest.raises(ValueError, match="frozen"):
            setattr(read, field, None)
