"""Texts that try to keep a reader busy, to fill its memory, or to end it by an error of its own.

Valid ones with changes, and directed ones. A case depends on its seed and number alone.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from support.hostile.history_texts import (
    GGPOKER,
    OHH,
    PHH,
    POKERSTARS,
    SITE_ATTACKS,
    numbered,
    repeated,
)
from support.specifications import specification

PLAN: Final = """name = "duel"
players = ["equity", { name = "t", player = "style:tight", arguments = { a = [1] } }]
[rules]
small_blind = 1
big_blind = 2
stack = 200
clock = "10s"
[deal]
seed = "7"
decks = 2_000
[stop]
rule = "sprt"
high = 1.5e1
"""
LEVELS: Final = """[[games]]
prefix = "kuhn"
game_type = "kuhn_poker"
title = "KUHN"
starting_stack = 30
tags = ["poker"]
[[games.levels]]
opponent = "random"
hands = 30
target = 33
baseline_actions = 35
[[games.levels]]
opponent = "random"
hands = 10
target = 31
baseline_actions = 35
"""
SAMPLES: Final = {
    "history": [PHH, POKERSTARS, GGPOKER, OHH],
    "plan": [PLAN],
    "league": ['players = ["equity", "tight", "mine=bots/mine.py:act"]\n[deal]\ndecks = 100\n'],
    "levels": [LEVELS],
    "specification": [specification()],
}
"""Valid texts of each kind."""

_VARIANT = "variant = 'NT'\n"
_AMOUNTS = "antes=[0,0]\nblinds_or_straddles=[1,2]\nstarting_stacks="
_SPEC = specification()
_SCHEMA = _SPEC.index('"$schema"')


def _in_schema(text: str) -> str:
    """Return a specification whose state's schema has some more text."""
    return _SPEC[:_SCHEMA] + text + _SPEC[_SCHEMA:]


TOML_ATTACKS: Final[dict[str, Callable[[int], str]]] = {
    "parts of one key": repeated("", "a.", "a = 1"),
    "parts with gaps": repeated("", '"a" . ', "a = 1"),
    "parts in a header": repeated("[", "a.", "a]"),
    "parts in a table": repeated("x = {", "a.", "a = 1}"),
    "keys of three parts": numbered("", "aN.b.c = 1\n"),
    "headers": numbered("", "[aN.b.c]\n"),
    "keys below headers": numbered("", "[aN.b.c]\nd.e.f = 1\n"),
    "tables of an array": repeated("", "[[a]]\n"),
    "tables below an array": repeated("", "[[a.b]]\n[a.b.c]\nd.e.f = 1\n"),
    "tables in a line": repeated("a = [", "{a = 1},", "]"),
    "lists": repeated("a = ", "["),
    "lists in lines": repeated("a = ", "[\n"),
    "tables in tables": repeated("a = ", "{a = "),
    "a number": repeated("a = ", "9"),
    "a hexadecimal number": repeated("a = 0x", "f"),
    "a fraction": repeated("a = 1.", "9"),
    "an exponent": repeated("a = 1e", "9"),
    "numbers of sixty digits": numbered("", "aN = " + "9" * 60 + "\n"),
    "times": numbered("", "aN = 2024-02-30T25:61:61+99:99\n"),
    "quotes that end nowhere": repeated("a = ", '"""\\'),
    "quotes and lines": repeated("a = ", '"""\n\\'),
    "literal quotes": repeated("a = ", "'''"),
    "single quotes": repeated("a = '''\n", "'\n"),
    "escapes": repeated('a = "', "\\u0041"),
    "half characters": repeated('a = "', "\\ud800"),
    "backslashes": repeated('a = "', "\\"),
    "comments": repeated("", "#\n"),
    "empty lines": repeated("", "\n"),
    "returns": repeated("a = 1", "\r"),
    "zeros": repeated("", "\0"),
    "one long line": repeated("#", "x"),
    "blanks": repeated("a =", " "),
    "blanks without a value": repeated("a", " \t"),
    "blanks and comments": repeated("", " #\n \n"),
}


def _after_variant(make: Callable[[int], str], size: int) -> str:
    return _VARIANT + make(size)


HISTORY_ATTACKS: Final[dict[str, Callable[[int], str]]] = {
    **{f"PHH with {name}": partial(_after_variant, make) for name, make in TOML_ATTACKS.items()},
    "PHH of many hands": numbered("", f"[N]\n{_VARIANT}"),
    "PHH of many stacks": repeated(f"{_VARIANT}{_AMOUNTS}[", "1,", "]"),
    "PHH of many actions": repeated(f"{_VARIANT}{_AMOUNTS}[9,9]\nactions=[", "'p1 cc',", "]"),
    "PHH of many showdowns": repeated(
        f"{_VARIANT}{_AMOUNTS}[9,9]\nactions=[", "'p1 sm AhKd',", "]"
    ),
    "PHH of a long name": repeated(f"{_VARIANT}{_AMOUNTS}[9,9]\nplayers=['b', '", "n", "']"),
    "PHH of an infinite amount": lambda _size: f"{_VARIANT}{_AMOUNTS}[inf, nan]",
    "PHH of a large amount": lambda _size: (
        f"{_VARIANT}{_AMOUNTS}[9,9]\nactions=['p1 cbr 1e99999999']"
    ),
    "PHH of a late year": lambda _size: (
        f"{_VARIANT}{_AMOUNTS}[9,9]\nyear=99999999999999999999\nmonth=1\nday=1\nactions=['p2 f']"
    ),
    "a bracket and blanks": repeated("[variant", " \t"),
    **SITE_ATTACKS,
}
SPECIFICATION_ATTACKS: Final[dict[str, Callable[[int], str]]] = {
    "lists in a schema": lambda size: _in_schema('"x": ' + "[" * size),
    "keys in a schema": lambda size: _in_schema(numbered("", '"kN": 1,\n')(size)),
    "parts in a schema": lambda size: _in_schema(
        '"allOf": [' + ",".join(["{}"] * (size // 3)) + "],"
    ),
    "definitions": lambda size: _in_schema(
        '"x": {' + ",".join(f'"d{n}": {{"type": "object"}}' for n in range(size // 27)) + "},"
    ),
    "references": lambda size: _in_schema(
        '"allOf": [' + ",".join(['{"$ref": "#/$defs/Public"}'] * (size // 27)) + "],"
    ),
    "anchors": lambda size: _in_schema(
        '"anyOf": ['
        + ",".join(f'{{"$anchor": "a{n}", "$ref": "#a{n // 2 + 1}"}}' for n in range(size // 40))
        + "],"
    ),
    "patterns": lambda size: _in_schema(
        '"anyOf": [' + ",".join(['{"pattern": "(a+)+$"}'] * (size // 23)) + "],"
    ),
    "a pattern": lambda size: _in_schema('"pattern": "' + "(a?" * (size // 3) + '",'),
    "a number of a schema": lambda size: _in_schema('"minimum": ' + "9" * size + ","),
    "headings": repeated(_SPEC, "# State Schema\n"),
    "headings of all levels": repeated(
        "---\na: b\n---\n", "".join(f"{'#' * n} Rules\n" for n in range(1, 7))
    ),
    "fences": repeated(_SPEC, "```json\n{}\n```\n"),
    "ticks": repeated(_SPEC, "`"),
    "lines of ticks": repeated(_SPEC, "   `" * 200 + "\n"),
    "an open head": repeated("---\n", "a: b\n"),
    "a deep head": lambda size: "---\na: " + "[" * min(size, 16_000) + "\n---\n",
    "keys of a head": lambda size: (
        "---\n" + "".join(f"k{n}: 1\n" for n in range(min(size // 9, 1_800))) + "---\n"
    ),
    "questions in a head": lambda size: "---\n" + "? " * min(size // 2, 8_000) + "\n---\n",
    "braces in a head": lambda size: "---\na: {" + "b: c, " * min(size // 6, 2_600) + "}\n---\n",
    "quotes in a head": lambda size: "---\na: '" + "''" * min(size // 2, 8_000) + "\n---\n",
    "half a character": lambda _size: _SPEC + "\ud800",
}
PLAN_ATTACKS: Final = TOML_ATTACKS | {
    "players of one style": repeated("players = [", '"tight",', "]"),
    "players of one file": repeated("players = [", '"bots/a.py",', "]"),
    "players of one name": repeated("players = [", '"a=tight",', "]"),
    "an unknown player": repeated("players = ['x', '", "y", "']"),
    "an unknown field": repeated("players = ['equity', 'tight']\n'", "y", "' = 1"),
    "a long clock": repeated("players = ['equity', 'tight']\nrules.clock = '", "9", "s'"),
}
ATTACKS: Final = {
    "history": HISTORY_ATTACKS,
    "plan": PLAN_ATTACKS,
    "league": PLAN_ATTACKS,
    "levels": TOML_ATTACKS,
    "specification": SPECIFICATION_ATTACKS,
}
"""Directed texts of each kind: what makes one of about so many characters."""

_SPLICES: Final = (
    '"', "'", '"""', "'''", "[", "]", "{", "}", "(", ")", "\\", "\0", "#", "\r\n", "\r", "\n",
    "\ufeff", "\ud800", "\u2028", "\x85", "\u202e", "=", ".", ",", ":", "-", "*** ", "Seat 1: ",
    "- ", "&a ", "*a", "null", "true", "NaN", "-1", "1e999", "1e99999999", "9" * 30, "9" * 5_000,
    "0x" + "f" * 300, "0.0000000001", "\uff11\uff12", "9007199254740993", "[[a]]", "[]", "{}", '""',
    "a.b.c.d.e = 1", "\\ud800", "p0", "p11", "??", "10h", "AhAh", "```", "\n---\n",
    "## State Schema\n", '"$ref": "#",',
)  # fmt: skip
_NUMBERS: Final = [splice for splice in _SPLICES if splice[0] in "-019"]


class Case(NamedTuple):
    """One hostile text; its name repeats it."""

    name: str
    kind: str
    content: bytes


def cases(seed: int, count: int, size: int) -> Iterator[Case]:
    """Yield so many texts, of at most about so many bytes; all directed ones come first."""
    directed = [(kind, name) for kind, attacks in ATTACKS.items() for name in attacks]
    for number in range(count):
        if number < len(directed):
            kind, name = directed[number]
            yield Case(f"{kind}: {name}", kind, _bytes(ATTACKS[kind][name](size)))
            continue
        rng = random.Random(f"{seed}/{number}")
        kind = rng.choice([*SAMPLES, "history"])
        text = changed(rng.choice(SAMPLES[kind]), rng, size)
        yield Case(f"{kind}: seed {seed}, number {number}", kind, _bytes(text))


def changed(text: str, rng: random.Random, size: int) -> str:
    """Return a text with one to six changes."""
    for _ in range(rng.randint(1, 6)):
        text = _CHANGES[rng.randrange(len(_CHANGES))](text, rng, size)[: 2 * size]
    return text


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _span(text: str, rng: random.Random, most: int = 60) -> tuple[int, int]:
    begin = rng.randint(0, len(text))
    return begin, min(len(text), begin + rng.randint(0, most))


def _splice(text: str, rng: random.Random, _size: int) -> str:
    begin, end = _span(text, rng)
    return text[:begin] + rng.choice(_SPLICES) + text[rng.choice([begin, end]) :]


def _repeat(text: str, rng: random.Random, size: int) -> str:
    begin, end = _span(text, rng)
    times = rng.choice([2, 10, size // max(1, end - begin)])
    return text[:begin] + text[begin:end] * times + text[end:]


def _repeat_line(text: str, rng: random.Random, size: int) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    times = rng.choice([2, 12, size // (len(lines[at]) + 1)])
    return "\n".join([*lines[:at], *[lines[at]] * times, *lines[at + 1 :]])


def _number(text: str, rng: random.Random, _size: int) -> str:
    places = [at for at, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + rng.choice(_NUMBERS) + text[at + 1 :]


def _cut(text: str, rng: random.Random, _size: int) -> str:
    return text[: rng.randint(0, len(text))]


def _swap_lines(text: str, rng: random.Random, _size: int) -> str:
    lines = text.split("\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return rng.choice(["\n", "\r\n", "\n", "\r"]).join(lines)


_CHANGES: Final = (
    _splice,
    _splice,
    _splice,
    _repeat,
    _repeat_line,
    _number,
    _number,
    _cut,
    _swap_lines,
)
