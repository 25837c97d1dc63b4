"""Find the JSON objects in a text that may be hostile, and say what is wrong with broken ones.

Nothing is repaired. The work is bounded for any text: failed attempts consume a budget.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple, NoReturn

LONGEST_TEXT: Final = 65_536
"""In characters; longer texts are not read."""
FENCE: Final = "```"

_BUDGET: Final = 4 * LONGEST_TEXT
"""Number of characters that all attempts together may read; usual texts need one or two passes."""
_FAILURE: Final = 1024
"""Additional cost of a failed attempt, in characters: an error counts the lines before it."""
_OPENING: Final = re.compile(r"""\{(?=\s*(?:["'\\“”}\w/#<`]|\Z))|"(?=\s*\{\s*\\+")""")
"""The start of an object, or of a string with one; other braces are skipped without cost."""
_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}]')
"""A string, also one that its line does not close, or a brace."""
_COMMA: Final = re.compile(r",\s*([}\]])")
_AROUND: Final = 100  # characters around a fault that are looked at
_SIGNS: Final = {
    **dict.fromkeys("'\u201c\u201d\u2018\u2019", "another quote than JSON's double quotes"),
    **dict.fromkeys(("#", "//", "/*"), "a comment, which JSON does not have,"),
    "\\": "a backslash where nothing is to be escaped",
}
_STRINGS: Final = {
    "U": "a text without closing quotes",
    "I": "a line break or tab inside quotes, written as itself instead of \\n or \\t,",
}
_NAME: Final = re.compile(r"-?\w+")
_CONSTANTS: Final = {"None": "null", "True": "true", "False": "false"}
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_LOOKS_LIKE_JSON: Final = re.compile(r"""\{\s*(?:\\?["'“”]|`|\Z)""")
_MOST_DIGITS: Final = 18  # of a number that is read exactly


class Found(NamedTuple):
    """An object and the positions of its first character and after its last one."""

    start: int
    end: int
    value: dict[str, Any] | None = None  # None: it cannot be read
    fault: str = ""
    """What is wrong, and where: `a comma before } at character 32`."""
    at: int = 0  # the position of the fault


class _NotJson(ValueError):
    """A value that Python's decoder accepts, and JSON does not have; `token` is its text."""

    def __init__(self, fault: str, token: str) -> None:
        super().__init__(fault)
        self.token = token


def objects_in(text: str, key: re.Pattern[str]) -> Iterator[Found]:
    """Yield the outermost objects in the order of the text; raises ValueError for a costly text.

    Of what cannot be read, only an object with a match of `key` in it, or one that begins as JSON
    does, is yielded: prose has braces too.
    """
    budget = _BUDGET
    opening = _OPENING.search(text)
    while opening:
        start = opening.start()
        if text[start] == '"':
            found = _in_string(text, start)
            position = found.end if found else start + 1
            budget -= (found.end if found else len(text)) - start
        else:
            found = _object_at(text, start)
            budget -= found.end - start
            position = found.end
            if found.value is None:
                budget -= _FAILURE
                if not key.search(text, start, found.end):
                    position = start + 1
                    found = found if _LOOKS_LIKE_JSON.match(text, start) else None
        if found:
            yield found
        if budget <= 0:
            raise ValueError("the text has too many braces to be searched for an answer")
        opening = _OPENING.search(text, position)


def decoded(text: str) -> dict[str, Any] | None:
    """Return the object that is the whole text, None if it is anything else."""
    begin = len(text) - len(text.lstrip())
    if not text.startswith("{", begin):
        return None
    found = _object_at(text, begin)
    return found.value if not text[found.end :].strip() else None


def outside_strings(text: str) -> str:
    """Return the text with an empty string for each of its strings."""
    return _TOKEN.sub(lambda token: '""' if token[0].startswith('"') else token[0], text)


def _in_string(text: str, start: int) -> Found | None:
    """Return the object that a JSON string at a position has as its whole content."""
    try:
        content, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    value = decoded(content)
    return Found(start, end, value) if value is not None else None


def _object_at(text: str, start: int) -> Found:
    try:
        value, end = _DECODER.raw_decode(text, start)
        if _SURROGATE.search(text, start, end):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        end = _end_of(text, start)
        return Found(start, end, None, f"half a character at character {start}", start)
    except json.JSONDecodeError as error:
        fault, at = _fault_at(text, error)
    except _NotJson as error:
        at = text.find(error.token, start)
        fault = f"{error} at character {at}"
    except RecursionError:
        fault, at = f"an object nested too deeply at character {start}", start
    else:
        return Found(start, end, value)
    return Found(start, _end_of(text, start), None, fault, at)


def _end_of(text: str, start: int) -> int:
    """Return where a broken object ends: its brace is closed, or its fence, or the text."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] == "{") - (token[0] == "}")
        if depth == 0:
            return token.end()
    fence = text.find(FENCE, start)
    return len(text) if fence < 0 else fence


def _fault_at(text: str, error: json.JSONDecodeError) -> tuple[str, int]:
    """Return what is wrong, and the position."""
    at = error.pos
    comma = _COMMA.search(text, max(0, at - _AROUND), at + _AROUND)
    if comma and comma.start() <= at < comma.end():  # Python 3.13 points at the comma
        return f"a comma before {comma[1]} at character {comma.start()}", comma.start()
    if not text[at : at + _AROUND].strip():
        return f"no closing brace: the text ends at character {len(text)}", at
    here = next((sign for sign in _SIGNS if text.startswith(sign, at)), "")
    name = _NAME.match(text, at)
    if error.msg.startswith(("Unterminated string", "Invalid control character")):
        fault = _STRINGS[error.msg[0]]
    elif here:
        fault = _SIGNS[here]
    elif name and name[0] in _CONSTANTS:
        fault = f"{name[0]}, where JSON has {_CONSTANTS[name[0]]},"
    elif name and not error.msg.endswith("delimiter"):
        fault = "a name or word without double quotes"
    else:
        fault = error.msg.lower()
    return f"{fault} at character {at}", at


def _refuse_constant(name: str) -> NoReturn:
    raise _NotJson(f"{name} is no JSON number,", name)


def _float(digits: str) -> float:
    number = float(digits)
    if number - number != 0:
        raise _NotJson("a number that is too large", digits)
    return number


def _int(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else _float(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, whose equal names must have equal values."""
    value = dict(pairs)
    if len(value) < len(pairs):
        for (name, one), (other, two) in pairwise(sorted(pairs, key=lambda pair: pair[0])):
            if name == other and one != two:
                raise _NotJson("a name with two values", json.dumps(name))
    return value


_DECODER: Final = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_float, parse_int=_int, object_pairs_hook=_object
)
