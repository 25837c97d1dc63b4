"""Limits on text that others wrote, held before any parser or pattern runs. Pure.

Parsers take quadratic time for some texts, and end in errors of their own for others. So every
reader of such text first takes these limits, in one pass, and raises `ForeignText` beyond them.
"""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

_TOML_TOKEN: Final = re.compile(
    r'"""(?:[^"\\]++|\\.?|"(?!""))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\[^\n]?)*+"?'
    r"|'[^'\n]*+'?"
    r"|(?P<opens>[\[{])|(?P<closes>[\]}])|(?P<parts>(?:\#[^\n]*+\n?\s*+)++|[,=\n]\s*+)|(?P<dot>\.)"
    r"|(?P<word>(?<![\w+-])[\w+-]{65,}+)",
    re.DOTALL,
)
_JSON_TOKEN: Final = re.compile(
    r'"(?:[^"\\]++|\\.?)*+"?|(?P<opens>[\[{])|(?P<closes>[\]}])'
    r"|(?P<word>(?<![\w.+-])[\w.+-]{65,}+)",
    re.DOTALL,
)
_LINE_OF: Final = re.compile(r"\bat line (\d{1,9})")
_NUMBER: Final = re.compile(
    r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,2})?", re.ASCII
)
_SHOWN: Final = 200  # characters of a fault


class ForeignText(ValueError):
    """A text is beyond a limit, or is not in its format; the message names the line."""


@dataclass(frozen=True)
class TextLimits:
    """How large, long and deep a text may be."""

    size: int = 4 * 1024 * 1024  # characters of the text that is parsed at once
    line: int = 100_000
    nesting: int = 40  # lists and objects within each other
    parts: int = 3  # parts of a dotted key
    entries: int = 4_000  # keys, lists and tables of TOML
    word: int = 64
    """Characters of a number or a bare key; patterns find no shorter limit than this one."""

    def check_lines(self, text: str, first_line: int = 1) -> None:
        """Raise ForeignText for a text that is too large, and for a line that is too long."""
        if len(text) > self.size:
            raise ForeignText(f"line {first_line}: a text of more than {self.size} characters")
        begin, number = (0 if len(text) > self.line else len(text)), first_line
        while begin < len(text):
            end = text.find("\n", begin)
            end = len(text) if end < 0 else end
            if end - begin > self.line:
                raise ForeignText(f"line {number}: longer than {self.line} characters")
            begin, number = end + 1, number + 1

    def check_json(self, text: str) -> None:
        """Raise ForeignText for JSON that is too large, too deep, or has a word too long."""
        if len(text) > self.size:
            raise ForeignText(f"a text of more than {self.size} characters")
        self._check_tokens(_JSON_TOKEN, text, 1)

    def toml(
        self, text: str, first_line: int = 1, parse_float: Callable[[str], Any] = float
    ) -> dict[str, Any]:
        """Return the values of TOML whose first line has this number; raises ForeignText."""
        self.check_lines(text, first_line)
        self._check_tokens(_TOML_TOKEN, text, first_line)
        try:
            return tomllib.loads(text, parse_float=parse_float)
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
            end = f"at line {text.count(chr(10)) + 1}, the end"
            fault = str(error).replace("at end of document", end)
            fault = _LINE_OF.sub(lambda at: f"at line {int(at[1]) + first_line - 1}", fault)
            raise ForeignText(fault[:_SHOWN]) from error

    def _check_tokens(self, tokens: re.Pattern[str], text: str, line: int) -> None:
        depth = entries = 0
        parts = 1
        for token in tokens.finditer(text):
            kind, fault = token.lastgroup, None
            if kind == "dot":
                parts += 1
                fault = parts > self.parts and f"a key of more than {self.parts} parts"
            elif kind == "word":
                fault = len(token[0]) > self.word and f"a number or key beyond {self.word} letters"
            elif kind is not None:
                parts = 1
                depth += (kind == "opens") - (kind == "closes")
                entries += tokens is _TOML_TOKEN and token[0][0] in "=[{"
                fault = depth > self.nesting and f"nested deeper than {self.nesting}"
                fault = fault or (entries > self.entries and f"more than {self.entries} entries")
            if fault:
                number = line + text.count("\n", 0, token.start())
                raise ForeignText(f"line {number}: {fault}")


LIMITS: Final = TextLimits()
FILE_LIMITS: Final = TextLimits(size=256 * 1024 * 1024, line=2_000)
"""Of a file of many hands, of which each is parsed alone; JSON has no lines."""


def json_of(text: str | bytes, limits: TextLimits = LIMITS, **hooks: Any) -> Any:
    """Refuse NaN and Infinity; `hooks` are those of `json.loads`. Raises ForeignText."""
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
        limits.check_json(decoded)
        return json.loads(decoded, **{"parse_constant": no_constant, **hooks})
    except ForeignText:
        raise
    except (ValueError, RecursionError) as error:
        raise ForeignText(f"it is no JSON: {error}"[:_SHOWN]) from error


def number_of(text: str) -> Decimal:
    """Return a decimal number of bounded digits and exponent; raises ForeignText.

    >>> number_of("2.50")
    Decimal('2.50')
    """
    if len(text) > 80 or _NUMBER.fullmatch(text) is None:  # noqa: PLR2004
        raise ForeignText(f"{text[:40]!r} is no number of at most 30 digits")
    return Decimal(text)


def no_constant(name: str) -> float:
    """Refuse NaN and Infinity, as `parse_constant` of JSON; raises ForeignText."""
    raise ForeignText(f"it is no JSON: {name}")
