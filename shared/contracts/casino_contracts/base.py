"""What every message has in common: frozen, camelCase on the wire, tolerant of unknown fields."""

from functools import partial
from operator import is_
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from casino_contracts.names import ID_LIMIT, ID_PATTERN, displayed, is_legible


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


def _printable(text: str) -> str:
    """Keep printable characters and newlines: no terminal escapes, no invisible overrides."""
    if text.isprintable():
        return text
    return "".join(character for character in text if character.isprintable() or character == "\n")


def _cut(text: str, limit: int) -> str:
    """Return what can be shown of a text's beginning, at most `limit` characters."""
    return _printable(text[: 4 * limit])[:limit]  # of a megabyte, not all is looked at


MESSAGE_LIMIT = 500
REASONING_LIMIT = 4_000


def _display_name(text: str) -> str:
    name = displayed(text)
    if not name:
        raise ValueError("must hold at least one printable character")
    return name


DisplayName = Annotated[
    str,
    AfterValidator(_display_name),
    WithJsonSchema({"type": "string", "minLength": 1}),
]
"""A name to show: normalised (NFKC), without hidden characters, cut at 64 characters."""

TableTalk = Annotated[str, AfterValidator(lambda text: _cut(text, MESSAGE_LIMIT))]
"""What a player says at the table: public at once, cut at 500 characters."""

Reasoning = Annotated[str, AfterValidator(lambda text: _cut(text, REASONING_LIMIT))]
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


def _legible(text: str) -> str:
    if not is_legible(text):
        raise ValueError(
            "must hold only characters that can be seen, and blanks inside: no control, invisible"
            " or bidirectional formatting character, no blank at either end"
        )
    return text


PlayerId = Annotated[
    str,
    Field(min_length=1, max_length=ID_LIMIT),
    AfterValidator(_legible),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": ID_LIMIT,
            "pattern": ID_PATTERN,
            "description": "Whatever names a player within a room: no control, invisible or"
            " bidirectional formatting character, no blank at either end.",
        }
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
