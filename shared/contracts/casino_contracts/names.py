"""Names and ids from untrusted callers, validated and normalised; and the names of entrypoints."""

import re
from collections.abc import Callable, Iterable
from itertools import count
from typing import Annotated, Final, Literal, get_args
from unicodedata import normalize
from urllib.parse import quote

from pydantic import AfterValidator, Field

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


Skill = Literal[
    # a player's
    "signup", "act", "notify",
    # a table's
    "configureTable", "registerPlayer", "startGame", "leaveTable", "tableSummary", "handRecord",
    "closeTable",
    # a lobby's; registerPlayer, too
    "createRoom", "leaveRoom", "startRoom", "listRooms", "registerTable", "recordGameEvent",
    "recordTableEvents",
    # that of a service of matches
    "runMatch",
]  # fmt: skip

SKILLS: Final[frozenset[str]] = frozenset(get_args(Skill))
_RESERVED: Final = frozenset(skill.lower() for skill in SKILLS)


def may_be_called(purpose: Skill, name: str) -> bool:
    """Return whether an entrypoint may have a name: its own, or one that is not reserved.

    >>> may_be_called("signup", "join"), may_be_called("signup", "closeTable")
    (True, False)
    """
    return name == purpose or name.lower() not in _RESERVED


def _named(purpose: Skill) -> Callable[[str], str]:
    def check(name: str) -> str:
        if not may_be_called(purpose, name):
            raise ValueError(f"must not be the name of another entrypoint; the usual is {purpose}")
        return name

    return check


_Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:~/-]*$",
        description="Letters, digits and . _ : ~ / -, starting with a letter or digit.",
    ),
]
SignupSkill = Annotated[_Name, AfterValidator(_named("signup"))]
ActionSkill = Annotated[_Name, AfterValidator(_named("act"))]
ConfigureSkill = Annotated[_Name, AfterValidator(_named("configureTable"))]
RegisterSkill = Annotated[_Name, AfterValidator(_named("registerPlayer"))]
StartSkill = Annotated[_Name, AfterValidator(_named("startGame"))]
SummarySkill = Annotated[_Name, AfterValidator(_named("tableSummary"))]
EventSkill = Annotated[_Name, AfterValidator(_named("recordGameEvent"))]
