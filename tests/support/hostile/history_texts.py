"""Hands that are valid, and texts of hands that try to keep a reader busy."""

from collections.abc import Callable
from functools import partial
from typing import Final

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

_HEAD = POKERSTARS[: POKERSTARS.index("Seat 1")]
_OHH = '{"ohh":{"game_type":"Holdem","dealer_seat":%s,"players":[],"rounds":[]}}'


def repeated(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    """Return what makes a text of about so many characters."""
    return lambda size: begin + unit * (size // len(unit)) + end


def numbered(begin: str, unit: str, end: str = "") -> Callable[[int], str]:
    """Return what makes a text of units, each of which has its number."""
    return lambda size: (
        begin + "".join(unit.replace("N", str(n)) for n in range(size // (len(unit) + 3))) + end
    )


def _with_dealer(number: str, _size: int) -> str:
    return _OHH % number


SITE_ATTACKS: Final[dict[str, Callable[[int], str]]] = {
    "PokerStars with chips in chips": repeated(f"{_HEAD}Seat 1: a ", "(1 in chips"),
    "PokerStars with lines of chips": repeated(_HEAD, f"Seat 1: a {'(1 in chips' * 90}\n"),
    "PokerStars with many seats": numbered(_HEAD, "Seat N: pN (9 in chips)\n"),
    "PokerStars with one seat": numbered(_HEAD, "Seat 7: pN (9 in chips)\npN: folds\n"),
    "PokerStars with short lines": repeated(
        _HEAD + "".join(f"Seat {n}: p{n} (9 in chips)\np{n}: folds\n" for n in range(10)),
        "12345678\n",
    ),
    "PokerStars with many buttons": repeated(
        "PokerStars #1: Hold'em No Limit (1/2)\n", f"Table '{chr(39)} Seat #1 {chr(39)}' '\n"
    ),
    "PokerStars with many heads": repeated("PokerStars ", "#1"),
    "PokerStars with amounts": repeated(_HEAD, f"a collected {'1,' * 900}\n"),
    "PokerStars with blinds": repeated("PokerStars #1: Hold'em No Limit ", "(1/"),
    "PokerStars with boards": repeated(_HEAD, f"*** RIVER *** {'[] ' * 600}\n"),
    "PokerStars with a long number": repeated("PokerStars #", "1", ":"),
    "PokerStars with heads in a line": repeated("", "x: PokerStars Hand #1:"),
    "PokerStars with heads and limits": repeated("", "Poker Hand #1: Limit\n"),
    "PokerStars with heads and tables": repeated("", "a: PokerStars Hand #1:\nTable '\n"),
    "PokerStars with words before a head": repeated("", "Hand Hand Game ", "#1: Limit"),
    "PokerStars with numbers of a head": repeated("PokerStars Hand #1: ", "Hand #1: Game #1 "),
    "PokerStars with groups of digits": repeated(f"{_HEAD}Seat 1: a (1", " 111", " in chips)\n"),
    "PokerStars with signs in amounts": repeated(_HEAD, f"Total pot {'1,111.' * 300}\n"),
    "PokerStars with open amounts": repeated(f"{_HEAD}Seat 1: a ", "(€1 111"),
    "PokerStars with currencies": repeated(f"{_HEAD}Total pot ", "€$ "),
    "PokerStars with games": repeated("PokerStars Hand #1: Limit ", "6+ Hold'em Draw Stud "),
    "PokerStars with stakes": repeated("PokerStars Hand #1: Hold'em No Limit ", "(1/1, "),
    "PokerStars with times": repeated(
        "PokerStars Hand #1: Hold'em No Limit (1/2) ", "- 2025/01/01 10:00:00 ET "
    ),
    "PokerStars with quotes in a table": repeated(f"{_HEAD}Table '", "' Seat #"),
    "PokerStars with fees": repeated(f"{_HEAD}*** SUMMARY ***\nTotal pot 1", " | Rake 1"),
    "PokerStars with winners": repeated(
        f"{_HEAD}Seat 5: Zoë (9 in chips)\n*** SUMMARY ***\nSeat 5: Zoë ", "won (1 "
    ),
    "stars": repeated("", "*"),
    "stars in lines": repeated("", "*** \n"),
    "tables of other sites": repeated("", "Table #1 -\n#1: \nGame #1: Table "),
    "every other byte": repeated("", "P\0"),
    "every other byte, after the first": repeated("\0", "P\0"),
    "marks": repeated("PokerStars Hand #1:", "\ufeff"),
    "OHH with cut objects": repeated("", '{"ohh": {"players": ["'),
    "OHH with objects and blanks": repeated("", '{  "ohh"  '),
    "OHH with lists": repeated("[", "["),
    "OHH with objects": repeated("", '{"ohh":'),
    "OHH with blanks": repeated("{", " "),
    "OHH with an open text": repeated('{"a": "', "\\"),
    "OHH with many hands": repeated("", '{"ohh": 1}'),
    "OHH with half characters": lambda _size: OHH.replace("One", "\\ud800"),
    "OHH before the year 1": lambda _size: OHH.replace(
        "2020-04-07T14:32:50Z", "0001-01-01T00:00+23:59"
    ),
    **{
        f"OHH with the dealer {number[:9]}": partial(_with_dealer, number)
        for number in ("Infinity", "NaN", "1e999999", "-1e99999999", "9" * 5_000, '"9"', "[]")
    },
}
"""Of PokerStars' text and Open Hand History: what makes one of about so many characters."""
