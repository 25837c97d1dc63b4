"""Base class and field types of every message: ids, names, texts, addresses, JSON of free form."""

import re
from collections.abc import Iterable
from functools import partial
from itertools import count
from operator import is_
from typing import Annotated, Any
from unicodedata import normalize
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from casino_contracts.numbers import MAX_SAFE

SECRET_FIELDS = (
    "authorization",
    "deck",
    "fleetKey",
    "holeCards",
    "privateStates",
    "reasoning",
    "roomToken",
    "seatToken",
    "secret",
    "seed",
)
"""Names of message fields and headers with secrets, which every service redacts in its logs."""


def _plain_schema(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Remove generated titles and null alternatives: an optional field is absent."""
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
            types = [option for option in declared.pop("anyOf", []) if option != {"type": "null"}]
            if len(types) == 1:
                declared.update({**types[0], **declared})


class WireModel(BaseModel):
    """Base class of every message: frozen, snake_case in Python, camelCase on the wire.

    Unknown fields are ignored. An optional field without a value is left out, not sent as null.

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
        allow_inf_nan=False,
        hide_input_in_errors=True,  # a refused value may be a card or a secret
        json_schema_extra=_plain_schema,
    )

    def wire(self) -> bytes:
        """Return the message as UTF-8 JSON."""
        return self.__pydantic_serializer__.to_json(self)


_is_none = partial(is_, None)  # implemented in C; called for every optional field of every message


def optional(**constraints: Any) -> Any:
    """Declare an optional field: None in Python, absent on the wire."""
    return Field(default=None, exclude_if=_is_none, **constraints)


URL_LIMIT = 2_048


def http_url(url: str) -> str:
    """Return a text that is an absolute http(s) URL; raises ValueError for others."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
        is_address = is_address and parts.port != 0  # `port` may raise ValueError
    except ValueError:
        is_address = False
    if not is_address or not url.isprintable() or " " in url:
        raise ValueError("must be an absolute http or https URL, such as http://127.0.0.1:4101/")
    return url


Url = Annotated[
    str,
    Field(max_length=URL_LIMIT),
    AfterValidator(http_url),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": URL_LIMIT}),
]
"""An absolute http(s) URL, kept exactly as written."""


DISPLAY_NAME_LIMIT = 64
ID_LIMIT = 128

_BLANKS = r"\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_HIDDEN = (
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    r"\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    r"\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Controls, format characters (bidi, zero width), line and paragraph separators, surrogates, and
letters and marks without a glyph."""
_blank = re.compile(f"[{_BLANKS}]")
_hidden = re.compile(f"[{_HIDDEN}]")

ID_PATTERN = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
"""Pattern of an id for the JSON Schema; `is_legible` refuses more than this."""


DOT_SEGMENTS = (".", "..")
"""Texts that are no id of a room or table: URL parsers remove them from a path, even encoded."""


def path_segment(text: str) -> str:
    """Return an id as one segment of a URL's path; raises ValueError for one that cannot be one.

    >>> path_segment("High/Rollers")
    'High%2FRollers'
    """
    if not text or text in DOT_SEGMENTS:
        raise ValueError(f"{text!r} is no id: it must not be empty, . or ..")
    return quote(text, safe="")


def is_legible(text: str) -> bool:
    r"""Return whether a text can be an id: visible characters and inner spaces only.

    >>> is_legible("High Rollers"), is_legible(" x"), is_legible("a\u202eb"), is_legible("")
    (True, False, False, False)
    """
    if not text or text != text.strip():
        return False
    if text.isascii():
        return text.isprintable()
    return not (_hidden.search(text) or _blank.search(text))


def displayed(name: str) -> str:
    r"""Return a display name: NFKC, no hidden characters, single spaces, at most 64 characters.

    The result may be empty.

    >>> displayed("  \uff21da\u200b \u3000 Lovelace\n")
    'Ada Lovelace'
    """
    return _plain(name)[:DISPLAY_NAME_LIMIT].rstrip()


def name_key(name: str) -> str:
    r"""Return a comparison key that ignores case, width and spacing.

    Similar letters of different alphabets stay different.

    >>> name_key("\uff23ALLER") == name_key("caller ")
    True
    """
    key = _plain(name)
    for _ in range(2):  # case folding may undo the normal form, and vice versa
        key = normalize("NFKC", key.casefold())
    return " ".join(key.split())


def distinct_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number appended if an equal `name_key` is taken.

    >>> distinct_name("caller", ["Caller", "Caller (2)"])
    'caller (3)'
    """
    keys = {name_key(other) for other in taken}
    candidate = name
    for number in count(2):
        if name_key(candidate) not in keys:
            break
        suffix = f" ({number})"
        candidate = name[: DISPLAY_NAME_LIMIT - len(suffix)].rstrip() + suffix
    return candidate


def _plain(name: str) -> str:
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    # Bounded to four times the limit: reordering combining marks takes quadratic time.
    visible = _hidden.sub("", _blank.sub(" ", name[: 4 * DISPLAY_NAME_LIMIT]))
    return " ".join(normalize("NFKC", visible).split())


def _printable(text: str) -> str:
    """Keep printable characters and newlines; drop terminal escapes and invisible characters."""
    if text.isprintable():
        return text
    return "".join(character for character in text if character.isprintable() or character == "\n")


def _cut(text: str, limit: int) -> str:
    return _printable(text[: 4 * limit])[:limit]  # bounds the work on a huge text


def _line(text: str, limit: int) -> str:
    return " ".join(_cut(text, 2 * limit).split())[:limit]


MESSAGE_LIMIT = 500
REASONING_LIMIT = 4_000
DEFAULT_DETAIL_LIMIT = 300


def _display_name(text: str) -> str:
    name = displayed(text)
    if not name:
        raise ValueError("must hold at least one printable character")
    return name


DisplayName = Annotated[
    str, AfterValidator(_display_name), WithJsonSchema({"type": "string", "minLength": 1})
]
"""A display name: normalised (NFKC), without hidden characters, cut at 64 characters."""

TableTalk = Annotated[str, AfterValidator(lambda text: _cut(text, MESSAGE_LIMIT))]
"""A player's table talk: public at once, cut at 500 characters."""

DefaultReason = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
"""Why something answered in a player's place, as one word."""

DefaultDetail = Annotated[str, AfterValidator(lambda text: _line(text, DEFAULT_DETAIL_LIMIT))]
"""The same in one line, cut at 300 characters."""

ModelName = Annotated[str, AfterValidator(lambda text: _line(text, ID_LIMIT))]
"""A language model's name in one line, cut at 128 characters."""

Reasoning = Annotated[str, AfterValidator(lambda text: _cut(text, REASONING_LIMIT))]
"""A player's reasons for an action: private, cut at 4,000 characters."""


def _legible(text: str) -> str:
    if not is_legible(text):
        raise ValueError(
            "must contain only visible characters and inner spaces: no control, invisible or"
            " bidirectional formatting character, no space at either end"
        )
    return text


def _addressable(text: str) -> str:
    if text in DOT_SEGMENTS:
        raise ValueError("must not be . or .., which a URL cannot contain as an id")
    return _legible(text)


CareerId = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]

Identifier = Annotated[
    str,
    Field(min_length=1, max_length=ID_LIMIT),
    AfterValidator(_addressable),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": ID_LIMIT,
            "pattern": ID_PATTERN,
            "not": {"enum": list(DOT_SEGMENTS)},
            "description": "Any text, percent-encoded in a path. No control, invisible or"
            " bidirectional formatting character, no space at either end, not . or ..",
        }
    ),
]
"""An id chosen by a caller (of a room or a table)."""

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
            "description": "Identifies a player within a room. No control, invisible or"
            " bidirectional formatting character, no space at either end.",
        }
    ),
]
"""A player's id, chosen by the caller that seats the player."""

RequestId = Annotated[
    str,
    Field(
        max_length=256,
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description="Idempotency key: a command sent again with the same id is not repeated.",
    ),
]
"""A command's idempotency key, chosen by its caller."""

Token = Annotated[str, Field(min_length=16, max_length=512, pattern=r"^[\x21-\x7e]+$")]
"""A secret sent as `Authorization: Bearer ...`; never logged."""


DEEPEST = 32  # maximum nesting depth of objects and arrays, the outermost included


def fault_of(value: object) -> str | None:
    """Return what is wrong with a JSON value, None if it is acceptable.

    Walks level by level, without recursion, and stops below the deepest allowed level. A value
    nested 100,000 levels deep costs no more than its upper levels.

    >>> fault_of({"stack": float("nan")})
    'holds a number that is not between -9007199254740991 and 9007199254740991'
    """
    level: list[Any] = [value]
    least, most = -MAX_SAFE, MAX_SAFE
    for levels_left in range(DEEPEST, -1, -1):
        below: list[Any] = []
        for item in level:
            kind = type(item)  # a JSON parser returns exactly these types
            if kind is str:
                continue
            if kind is int or kind is float:
                if not least <= item <= most:  # also true of NaN
                    return f"holds a number that is not between {-MAX_SAFE} and {MAX_SAFE}"
            elif kind is dict or kind is list:
                if not levels_left:
                    return f"must be nested at most {DEEPEST} levels deep"
                below += item.values() if kind is dict else item
        if not below:
            break
        level = below
    return None


def _bounded(value: dict[str, Any]) -> dict[str, Any]:
    if fault := fault_of(value):
        raise ValueError(fault)
    return value


FreeObject = Annotated[dict[str, Any], AfterValidator(_bounded)]
"""A JSON object, nested at most 32 levels deep, with finite numbers within ±(2^53 - 1)."""
