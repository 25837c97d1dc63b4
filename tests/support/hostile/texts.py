"""Texts that try to keep a reader busy, to fill its memory, or to end it by an error of its own.

Valid ones with changes, and directed ones. A case depends on its seed and number alone.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from support.specifications import specification

PHH: Final = """# a hand
[1]
variant = 'NT'
ante_trimming_status = true
antes = [500, 500, 500]
blinds_or_straddles = [1000, 2000, 0]
min_bet = 2000
starting_stacks = [1125600, 2000000, 553500.5]
actions = [
  'd dh p1 Ac2d', 'd dh p2 ????', 'd dh p3 7h6h', # flop
  'p3 cbr 7000 # opens', 'p1 cbr 23000', 'p2 f', 'p3 cc',
  'd db Jc3d5c', 'p1 cbr 35000', 'p3 cc', 'd db 4h', 'p1 cc', 'p3 cc', 'd db Jh', 'p1 cc',
  'p3 cc', 'p1 sm Ac2d', 'p3 sm 7h6h',
]
players = ['Phil', "Patrik \\u0041", 'Tom']
_players = ['a', 'b', 'c']
seats = [1, 2, 3]
year = 2024
month = 3
day = 9
time = 21:15:02
finishing_stacks = [1186600, 1997500, 495000.5]
[2]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
starting_stacks = [200, 200]
actions = ['p2 f']
"""
POKERSTARS: Final = """PokerStars Hand #123456789012:  Hold'em No Limit ($0.50/$1.00 USD) - \
2024/03/09 21:15:02 UTC
Table 'Alpha Beta II' 6-max Seat #5 is the button
Seat 1: Bob: the 2nd ($100 in chips)
Seat 3: a collector ($61.50 in chips, $5 bounty)
Seat 4: sleeper ($20 in chips) is sitting out
Seat 5: Zoë ($250.25 in chips)
Bob: the 2nd: posts small blind $0.50
a collector: posts big blind $1
*** HOLE CARDS ***
Dealt to Zoë [Ah Kh]
Zoë: raises $2 to $3
Bob: the 2nd: folds
a collector: calls $2
*** FLOP *** [Kd 7c 2h]
a collector: checks
Zoë: bets $4
a collector: raises $54.50 to $58.50 and is all-in
Zoë: calls $54.50
*** TURN *** [Kd 7c 2h] [9h]
*** RIVER *** [Kd 7c 2h 9h] [2c]
*** SHOW DOWN ***
a collector: shows [7d 7s] (a full house, Sevens full of Deuces)
Zoë: mucks hand
a collector collected $123.50 from pot
*** SUMMARY ***
Total pot $123.50 | Rake $0
Seat 1: Bob: the 2nd (small blind) folded before Flop
Seat 3: a collector (big blind) showed [7d 7s] and won ($123.50) with a full house
Seat 5: Zoë (button) mucked [Ah Kh]

"""
GGPOKER: Final = """Poker Hand #TM1: Tournament #2, Big 1/2: #3 Hold'em No Limit - \
Level2(100/200(20)) - 2025/01/05 10:11:12
Table '7' 8-max Seat #1 is the button
Seat 1: a1 (4,500 in chips)
Seat 2: Hero (2,500 in chips)
a1: posts the ante 20
Hero: posts the ante 20
a1: posts small blind 100
Hero: posts big blind 200
Cash Drop to Pot : total 10
*** HOLE CARDS ***
Dealt to a1
Dealt to Hero [Ah Kd]
a1: raises 200 to 400
Hero: folds
Uncalled bet (200) returned to a1
*** SHOWDOWN ***
a1 collected 440 from pot
*** SUMMARY ***
Total pot 440 | Rake 6 | Jackpot 4 | Bingo 0 | Fortune 0 | Tax 0
Seat 1: a1 (button) won (440)
"""
OHH: Final = """[{"ohh": {"spec_version": "1.2.2", "site_name": "x", "game_type": "Holdem",
 "table_name": "B", "table_size": 6, "game_number": "8599887794", "ante_amount": 0.00,
 "start_date_utc": "2020-04-07T14:32:50Z", "currency": "EUR", "bet_limit": {"bet_type": "NL"},
 "small_blind_amount": 0.01, "big_blind_amount": 0.02, "dealer_seat": 2, "hero_player_id": 3,
 "players": [{"name": "One", "id": 0, "starting_stack": 0.80, "seat": 1},
  {"name": "Two", "id": 1, "starting_stack": 2.01, "seat": 2}],
 "rounds": [{"id": 0, "street": "Preflop", "actions": [
  {"action_number": 1, "player_id": 1, "action": "Post SB", "amount": 0.01},
  {"action_number": 2, "player_id": 0, "action": "Post BB", "amount": 0.02},
  {"player_id": 1, "action": "Dealt Cards", "cards": ["Ah", "Kd"]},
  {"player_id": 1, "action": "Raise", "amount": 0.05},
  {"player_id": 0, "action": "Fold"}]}],
 "pots": [{"number": 0, "amount": 0.04, "player_wins": [{"player_id": 1, "win_amount": 0.04}]}]}}]
"""
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
_HEAD = POKERSTARS[: POKERSTARS.index("Seat 1")]
_AMOUNTS = "antes=[0,0]\nblinds_or_straddles=[1,2]\nstarting_stacks="
_OHH = '{"ohh":{"game_type":"Holdem","dealer_seat":%s,"players":[],"rounds":[]}}'
_SPEC = specification()
_SCHEMA = _SPEC.index('"$schema"')


def _in_schema(text: str) -> str:
    """Return a specification whose state's schema has some more text."""
    return _SPEC[:_SCHEMA] + text + _SPEC[_SCHEMA:]


def _repeated(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    """Return what makes a text of about so many characters."""
    return lambda size: begin + unit * (size // len(unit)) + end


def _numbered(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    """Return what makes a text of units, each of which has its number."""
    return lambda size: (
        begin + "".join(unit.replace("N", str(n)) for n in range(size // (len(unit) + 3))) + end
    )


TOML_ATTACKS: Final[dict[str, Callable[[int], str]]] = {
    "parts of one key": _repeated("", "a.", "a = 1"),
    "parts with gaps": _repeated("", '"a" . ', "a = 1"),
    "parts in a header": _repeated("[", "a.", "a]"),
    "parts in a table": _repeated("x = {", "a.", "a = 1}"),
    "keys of three parts": _numbered("", "aN.b.c = 1\n"),
    "headers": _numbered("", "[aN.b.c]\n"),
    "keys below headers": _numbered("", "[aN.b.c]\nd.e.f = 1\n"),
    "tables of an array": _repeated("", "[[a]]\n"),
    "tables below an array": _repeated("", "[[a.b]]\n[a.b.c]\nd.e.f = 1\n"),
    "tables in a line": _repeated("a = [", "{a = 1},", "]"),
    "lists": _repeated("a = ", "["),
    "lists in lines": _repeated("a = ", "[\n"),
    "tables in tables": _repeated("a = ", "{a = "),
    "a number": _repeated("a = ", "9"),
    "a hexadecimal number": _repeated("a = 0x", "f"),
    "a fraction": _repeated("a = 1.", "9"),
    "an exponent": _repeated("a = 1e", "9"),
    "numbers of sixty digits": _numbered("", "aN = " + "9" * 60 + "\n"),
    "times": _numbered("", "aN = 2024-02-30T25:61:61+99:99\n"),
    "quotes that end nowhere": _repeated("a = ", '"""\\'),
    "quotes and lines": _repeated("a = ", '"""\n\\'),
    "literal quotes": _repeated("a = ", "'''"),
    "single quotes": _repeated("a = '''\n", "'\n"),
    "escapes": _repeated('a = "', "\\u0041"),
    "half characters": _repeated('a = "', "\\ud800"),
    "backslashes": _repeated('a = "', "\\"),
    "comments": _repeated("", "#\n"),
    "empty lines": _repeated("", "\n"),
    "returns": _repeated("a = 1", "\r"),
    "zeros": _repeated("", "\0"),
    "one long line": _repeated("#", "x"),
    "blanks": _repeated("a =", " "),
    "blanks without a value": _repeated("a", " \t"),
    "blanks and comments": _repeated("", " #\n \n"),
}


def _after_variant(make: Callable[[int], str], size: int) -> str:
    return _VARIANT + make(size)


def _with_dealer(number: str, _size: int) -> str:
    return _OHH % number


HISTORY_ATTACKS: Final[dict[str, Callable[[int], str]]] = {
    **{f"PHH with {name}": partial(_after_variant, make) for name, make in TOML_ATTACKS.items()},
    "PHH of many hands": _numbered("", f"[N]\n{_VARIANT}"),
    "PHH of many stacks": _repeated(f"{_VARIANT}{_AMOUNTS}[", "1,", "]"),
    "PHH of many actions": _repeated(f"{_VARIANT}{_AMOUNTS}[9,9]\nactions=[", "'p1 cc',", "]"),
    "PHH of many showdowns": _repeated(
        f"{_VARIANT}{_AMOUNTS}[9,9]\nactions=[", "'p1 sm AhKd',", "]"
    ),
    "PHH of a long name": _repeated(f"{_VARIANT}{_AMOUNTS}[9,9]\nplayers=['b', '", "n", "']"),
    "PHH of an infinite amount": lambda _size: f"{_VARIANT}{_AMOUNTS}[inf, nan]",
    "PHH of a large amount": lambda _size: (
        f"{_VARIANT}{_AMOUNTS}[9,9]\nactions=['p1 cbr 1e99999999']"
    ),
    "PHH of a late year": lambda _size: (
        f"{_VARIANT}{_AMOUNTS}[9,9]\nyear=99999999999999999999\nmonth=1\nday=1\nactions=['p2 f']"
    ),
    "a bracket and blanks": _repeated("[variant", " \t"),
    "PokerStars with chips in chips": _repeated(f"{_HEAD}Seat 1: a ", "(1 in chips"),
    "PokerStars with lines of chips": _repeated(_HEAD, f"Seat 1: a {'(1 in chips' * 90}\n"),
    "PokerStars with many seats": _numbered(_HEAD, "Seat N: pN (9 in chips)\n"),
    "PokerStars with one seat": _numbered(_HEAD, "Seat 7: pN (9 in chips)\npN: folds\n"),
    "PokerStars with short lines": _repeated(
        _HEAD + "".join(f"Seat {n}: p{n} (9 in chips)\np{n}: folds\n" for n in range(10)),
        "12345678\n",
    ),
    "PokerStars with many buttons": _repeated(
        "PokerStars #1: Hold'em No Limit (1/2)\n", f"Table '{chr(39)} Seat #1 {chr(39)}' '\n"
    ),
    "PokerStars with many heads": _repeated("PokerStars ", "#1"),
    "PokerStars with amounts": _repeated(_HEAD, f"a collected {'1,' * 900}\n"),
    "PokerStars with blinds": _repeated("PokerStars #1: Hold'em No Limit ", "(1/"),
    "PokerStars with boards": _repeated(_HEAD, f"*** RIVER *** {'[] ' * 600}\n"),
    "PokerStars with a long number": _repeated("PokerStars #", "1", ":"),
    "PokerStars with heads in a line": _repeated("", "x: PokerStars Hand #1:"),
    "PokerStars with heads and limits": _repeated("", "Poker Hand #1: Limit\n"),
    "PokerStars with heads and tables": _repeated("", "a: PokerStars Hand #1:\nTable '\n"),
    "PokerStars with words before a head": _repeated("", "Hand Hand Game ", "#1: Limit"),
    "PokerStars with numbers of a head": _repeated("PokerStars Hand #1: ", "Hand #1: Game #1 "),
    "PokerStars with groups of digits": _repeated(f"{_HEAD}Seat 1: a (1", " 111", " in chips)\n"),
    "PokerStars with signs in amounts": _repeated(_HEAD, f"Total pot {'1,111.' * 300}\n"),
    "PokerStars with open amounts": _repeated(f"{_HEAD}Seat 1: a ", "(€1 111"),
    "PokerStars with currencies": _repeated(f"{_HEAD}Total pot ", "€$ "),
    "PokerStars with games": _repeated("PokerStars Hand #1: Limit ", "6+ Hold'em Draw Stud "),
    "PokerStars with stakes": _repeated("PokerStars Hand #1: Hold'em No Limit ", "(1/1, "),
    "PokerStars with times": _repeated(
        "PokerStars Hand #1: Hold'em No Limit (1/2) ", "- 2025/01/01 10:00:00 ET "
    ),
    "PokerStars with quotes in a table": _repeated(f"{_HEAD}Table '", "' Seat #"),
    "PokerStars with fees": _repeated(f"{_HEAD}*** SUMMARY ***\nTotal pot 1", " | Rake 1"),
    "PokerStars with winners": _repeated(
        f"{_HEAD}Seat 5: Zoë (9 in chips)\n*** SUMMARY ***\nSeat 5: Zoë ", "won (1 "
    ),
    "stars": _repeated("", "*"),
    "stars in lines": _repeated("", "*** \n"),
    "tables of other sites": _repeated("", "Table #1 -\n#1: \nGame #1: Table "),
    "every other byte": _repeated("", "P\0"),
    "every other byte, after the first": _repeated("\0", "P\0"),
    "marks": _repeated("PokerStars Hand #1:", "\ufeff"),
    "OHH with cut objects": _repeated("", '{"ohh": {"players": ["'),
    "OHH with objects and blanks": _repeated("", '{  "ohh"  '),
    "OHH with lists": _repeated("[", "["),
    "OHH with objects": _repeated("", '{"ohh":'),
    "OHH with blanks": _repeated("{", " "),
    "OHH with an open text": _repeated('{"a": "', "\\"),
    "OHH with many hands": _repeated("", '{"ohh": 1}'),
    "OHH with half characters": lambda _size: OHH.replace("One", "\\ud800"),
    "OHH before the year 1": lambda _size: OHH.replace(
        "2020-04-07T14:32:50Z", "0001-01-01T00:00+23:59"
    ),
    **{
        f"OHH with the dealer {number[:9]}": partial(_with_dealer, number)
        for number in ("Infinity", "NaN", "1e999999", "-1e99999999", "9" * 5_000, '"9"', "[]")
    },
}
SPECIFICATION_ATTACKS: Final[dict[str, Callable[[int], str]]] = {
    "lists in a schema": lambda size: _in_schema('"x": ' + "[" * size),
    "keys in a schema": lambda size: _in_schema(_numbered("", '"kN": 1,\n')(size)),
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
    "headings": _repeated(_SPEC, "# State Schema\n"),
    "headings of all levels": _repeated(
        "---\na: b\n---\n", "".join(f"{'#' * n} Rules\n" for n in range(1, 7))
    ),
    "fences": _repeated(_SPEC, "```json\n{}\n```\n"),
    "ticks": _repeated(_SPEC, "`"),
    "lines of ticks": _repeated(_SPEC, "   `" * 200 + "\n"),
    "an open head": _repeated("---\n", "a: b\n"),
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
    "players of one style": _repeated("players = [", '"tight",', "]"),
    "players of one file": _repeated("players = [", '"bots/a.py",', "]"),
    "players of one name": _repeated("players = [", '"a=tight",', "]"),
    "an unknown player": _repeated("players = ['x', '", "y", "']"),
    "an unknown field": _repeated("players = ['equity', 'tight']\n'", "y", "' = 1"),
    "a long clock": _repeated("players = ['equity', 'tight']\nrules.clock = '", "9", "s'"),
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
