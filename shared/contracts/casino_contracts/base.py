"""What every message has in common: frozen, camelCase on the wire, tolerant of unknown fields."""

from functools import partial
from operator import is_
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel


def _plain_schema(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Write the schema as a protocol document would: no generated titles, no nulls.

    An optional field is absent when it has no value; that readers also take null is courtesy.
    """
    if "description" in schema:
        schema["description"] = schema["description"].split("\n\n")[0].replace("\n", " ")
    properties = schema.get("properties", {})
    for field in model.model_fields.values():
        declared = properties.get(field.alias)
        if declared is None:
            continue
        declared.pop("title", None)
        if field.exclude_if is not None:
            declared.pop("default", None)
            meant = [option for option in declared.pop("anyOf", []) if option != {"type": "null"}]
            if len(meant) == 1:
                declared.update({**meant[0], **declared})


class WireModel(BaseModel):
    """The base of every message.

    Python names are snake_case, the wire is camelCase.
    Readers ignore what they do not know; writers say only what they mean: an optional field that
    has no value is absent, not null.

    >>> class Greeting(WireModel):
    ...     display_name: str
    ...     reply_to: str | None = optional()
    >>> Greeting(display_name="Ada").model_dump_json()
    '{"displayName":"Ada"}'
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        hide_input_in_errors=True,  # what was refused may be a card or a secret
        json_schema_extra=_plain_schema,
    )

    def wire(self) -> bytes:
        """Return the message as JSON, ready to be sent."""
        return self.__pydantic_serializer__.to_json(self)


_is_none = partial(is_, None)  # in C: it is asked for every optional field of every message


def optional(**constraints: Any) -> Any:
    """Declare a field that may be absent: None in Python, left out on the wire."""
    return Field(default=None, exclude_if=_is_none, **constraints)


URL_LIMIT = 2_048


def _http_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
        is_address = is_address and parts.port != 0  # reading it may fail
    except ValueError:
        is_address = False
    if not is_address or not url.isprintable() or " " in url:
        raise ValueError("must be an absolute http or https URL, such as http://127.0.0.1:4101/")
    return url


Url = Annotated[
    str,
    Field(max_length=URL_LIMIT),
    AfterValidator(_http_url),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": URL_LIMIT}),
]
"""An absolute http(s) URL, kept exactly as it was written."""


def _single_line(text: str) -> str:
    return "".join(character for character in text if character.isprintable()).strip()


def _printable(text: str) -> str:
    """Keep printable characters and newlines: no terminal escapes, no invisible overrides."""
    return "".join(character for character in text if character.isprintable() or character == "\n")


DISPLAY_NAME_LIMIT = 64
MESSAGE_LIMIT = 500
REASONING_LIMIT = 4_000


def _display_name(text: str) -> str:
    name = _single_line(text)[:DISPLAY_NAME_LIMIT].strip()
    if not name:
        raise ValueError("must hold at least one printable character")
    return name


DisplayName = Annotated[
    str,
    AfterValidator(_display_name),
    WithJsonSchema({"type": "string", "minLength": 1}),
]
"""A name to show: control characters are stripped, and what is beyond 64 characters."""

TableTalk = Annotated[str, AfterValidator(lambda text: _printable(text)[:MESSAGE_LIMIT])]
"""What a player says at the table: public at once, cut at 500 characters."""

Reasoning = Annotated[str, AfterValidator(lambda text: _printable(text)[:REASONING_LIMIT])]
"""Why a player acted: private until the hand's record, cut at 4,000 characters."""

Identifier = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:~-]*$",
        description="Letters, digits and . _ : ~ -, starting with a letter or digit.",
    ),
]
"""An id that a caller chooses (a room, a table, a player): safe in a path, a log and a file."""

PlayerId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        pattern=r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$",
        description="Whatever names a player within a room; no control characters.",
    ),
]
"""A player's id, chosen by whoever seats it."""

RequestId = Annotated[
    str,
    Field(
        max_length=256,
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description="Names the command: sent again with the same id, it is not done again.",
    ),
]
"""A command's name, chosen by its caller; it is kept as text."""

Token = Annotated[str, Field(min_length=16, max_length=512, pattern=r"^[\x21-\x7e]+$")]
"""A secret that is shown as `Authorization: Bearer ...`; never logged."""

_DEEPEST = 32


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(levels == 0 or _is_deeper(one, levels - 1) for one in inner)


def _not_too_deep(value: dict[str, Any]) -> dict[str, Any]:
    if _is_deeper(value, _DEEPEST):
        raise ValueError(f"must be nested at most {_DEEPEST} levels deep")
    return value


FreeObject = Annotated[dict[str, Any], AfterValidator(_not_too_deep)]
"""A JSON object whose shape is somebody else's; not so deep that it could not be passed on."""
