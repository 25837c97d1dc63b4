"""Checks messages against the shapes of the Boardgame Protocol's organisation (`schemas-1.0.0`).

They are written from the description of its repository; its own files are not part of this project.
"""

import json
from pathlib import Path

from jsonschema import Draft7Validator

from support.gateway.seat_side import Json

_SHAPES: Json = json.loads((Path(__file__).parent / "schemas-1.0.0.json").read_text())


def check_shape(message: Json) -> None:
    """Raise ValidationError unless a message has the shape of its type."""
    kind = "event" if "event" in message else message["type"]
    schema = {**_SHAPES, "$ref": f"#/definitions/{kind}"}
    Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER).validate(message)
