"""Every message agrees with its golden JSON in both directions.

Each golden file holds `document` (what a peer that knows only the document writes), `written` (what
we write for the same message) and `full` (with every optional field of ours).
"""

import json
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import WireModel
from casino_contracts.schemas import DIALECT, messages, schema_of
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
    """And every golden file has a message."""
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(messages())


@pytest.mark.parametrize(("name", "message"), MESSAGES)
class TestGolden:
    """What holds for every message."""

    def test_the_document_form_is_read(self, name: str, message: type[WireModel]) -> None:
        """Fields that only newer peers send get their defaults."""
        read = message.model_validate(golden(name)["document"])
        assert written(read) == golden(name)["written"]

    def test_the_full_form_survives_a_round_trip(self, name: str, message: type[WireModel]) -> None:
        """Every field is written as it was read."""
        full = golden(name)["full"]
        assert written(message.model_validate(full)) == full
        assert written(message.model_validate_json(json.dumps(full))) == full

    def test_the_full_form_uses_every_field(self, name: str, message: type[WireModel]) -> None:
        """A new field needs an example."""
        assert set(golden(name)["full"]) == {field.alias for field in message.model_fields.values()}

    def test_unknown_fields_are_ignored(self, name: str, message: type[WireModel]) -> None:
        """Newer peers may send more."""
        full = golden(name)["full"]
        assert written(message.model_validate({**full, "fromTheFuture": [1]})) == full

    def test_examples_fulfil_the_published_schema(
        self, name: str, message: type[WireModel]
    ) -> None:
        """All three forms are valid."""
        schema = schema_of(message)
        assert schema["$schema"] == DIALECT
        Draft202012Validator.check_schema(schema)
        for form in golden(name).values():
            Draft202012Validator(schema).validate(form)

    def test_messages_cannot_be_changed(self, name: str, message: type[WireModel]) -> None:
        """An assignment raises."""
        read = message.model_validate(golden(name)["full"])
        for field in message.model_fields:
            with pytest.raises(ValueError, match="frozen"):
                setattr(read, field, None)
