"""Limits on foreign text: each alone stops its attack before the parser, and names the line."""

import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from casino_contracts.foreign_text import LIMITS, ForeignText, TextLimits, json_of, number_of

Read = Callable[[TextLimits, str], Any]


def toml(limits: TextLimits, text: str) -> Any:
    return limits.toml(text)


def json(limits: TextLimits, text: str) -> Any:
    return json_of(text, limits)


class Attack(NamedTuple):
    """A text, the limit that stops it, and what is said with it and without it."""

    read: Read
    text: str
    off: dict[str, int]
    fault: str
    without: str | None
    """None where the text is then read: the parser does all of the work."""


ATTACKS = {
    "parts of a key": Attack(
        toml,
        "x = 1\n" + "a." * 300 + "a = 1",
        {"parts": sys.maxsize},
        "line 2: a key of more than 3 parts",
        None,
    ),
    "parts of a header": Attack(
        toml,
        "[" + '"a" . ' * 300 + "a]",
        {"parts": sys.maxsize},
        "line 1: a key of more than 3 parts",
        None,
    ),
    "nested lists": Attack(
        toml,
        "a = [\n" + "[\n" * 60 + "]" * 61,
        {"nesting": sys.maxsize},
        "line 41: nested deeper than 40",
        None,
    ),
    "nested lists in JSON": Attack(
        json,
        "[\n" * 50 + "]" * 50,
        {"nesting": sys.maxsize},
        "line 41: nested deeper than 40",
        None,
    ),
    "more levels than the stack has": Attack(
        json, "[" * 100_000, {"nesting": sys.maxsize}, "nested deeper than 40", "recursion"
    ),
    "tables": Attack(
        toml, "[[a]]\n" * 4_001, {"entries": sys.maxsize}, "more than 4000 entries", None
    ),
    "keys": Attack(
        toml,
        "".join(f"a{number} = 1\n" for number in range(4_001)),
        {"entries": sys.maxsize},
        "line 4001: more than 4000 entries",
        None,
    ),
    "digits": Attack(
        toml,
        f"a = {'9' * 1_000}",
        {"word": sys.maxsize},
        "line 1: a number or key beyond 64 letters",
        None,
    ),
    "digits in JSON": Attack(
        json, f"[\n{'9' * 1_000}]", {"word": sys.maxsize}, "line 2: a number or key beyond", None
    ),
    "digits that Python counts": Attack(
        json, "9" * 5_000, {"word": sys.maxsize}, "a number or key beyond", "Exceeds the limit"
    ),
    "a line": Attack(
        toml,
        "a = 1\n#" + "x" * 100_000,
        {"line": sys.maxsize},
        "line 2: longer than 100000 characters",
        None,
    ),
    "size": Attack(
        toml, ("#" * 90_000 + "\n") * 47, {"size": sys.maxsize}, "a text of more than 4194304", None
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_the_limit_alone_stops_the_attack(name: str) -> None:
    attack = ATTACKS[name]
    with pytest.raises(ForeignText, match=attack.fault):
        attack.read(LIMITS, attack.text)
    without = replace(LIMITS, **attack.off)
    if attack.without is None:
        assert attack.read(without, attack.text) is not None
    else:
        with pytest.raises(ForeignText, match=attack.without):
            attack.read(without, attack.text)


SPARED = {
    "in texts": 'a = "' + "[{." * 60 + 'x"\n',
    "in literal texts": "a = '" + "[{." * 60 + "'\n",
    "in texts of many lines": 'a = """' + '[[[\n""x.y.z.w\\""" "' * 20 + '"""\n',
    "in literal texts of many lines": "a = '''" + "[[[\n''x.y.z.w" * 20 + "'''\n",
    "in comments": "a = 1 # " + "[{.=" * 60 + "\n",
    "with quotes at its end": 'a = """x"""""\nb = \'\'\'y\'\'\'\'\nc.d.e = 1\n',
    "of amounts": "a = [" + "1.5, " * 500 + "]\n",
    "of dates": "a = 2024-03-09T21:15:02.123456Z\n",
    "of a long text": f"a = '{'9' * 5_000}'\n",
}


@pytest.mark.parametrize("name", SPARED)
def test_signs_within_texts_and_comments_do_not_count(name: str) -> None:
    assert LIMITS.toml(SPARED[name]) == tomllib.loads(SPARED[name])


@pytest.mark.parametrize(
    "text", ["a = 1\nb", "a = 1\n\n[a]", "x = 1\ny = 2024-99-99", 'a = 1\nb = "\\ud800"', "\n\0"]
)
def test_a_fault_names_the_line_of_the_whole_text(text: str) -> None:
    line = text.count("\n") + 1
    with pytest.raises(ForeignText, match=rf"at line {line}\b"):
        LIMITS.toml(text)
    with pytest.raises(ForeignText, match=rf"at line {line + 6}\b"):
        LIMITS.toml(text, first_line=7)


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", "[Infinity]", '{"a": -Infinity}', "\ufeff[", "[1,]"]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ForeignText, match="it is no JSON"):
        json_of(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ForeignText, match="it is no JSON"):
        json_of(b'"\xed\xa0\x80"')
    assert json_of(b'\xef\xbb\xbf{"a": "[[["}') == {"a": "[[["}


@pytest.mark.parametrize(
    "text",
    ["", "1e100", "1e99999999", "-1e-99999999", "9" * 31, "0." + "1" * 31, "inf", "NaN", "1_0",
     "\uff11", "0x1", "1 2", "--1", ".", "e1", "9" * 100_000],
)  # fmt: skip
def test_a_number_of_many_digits_is_refused(text: str) -> None:
    with pytest.raises(ForeignText, match="is no number of at most 30 digits"):
        number_of(text)


def test_a_number_of_few_digits_is_read() -> None:
    for text in ("0", "-1.5", "+.5", "3.", "1e3", "2.5E-7", "9" * 30):
        assert str(number_of(text)) == str(Decimal(text))
