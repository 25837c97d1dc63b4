"""Names of players are text in every format, whatever is in them."""

import csv
import io
import json
import tomllib
import warnings
from dataclasses import replace

import pandas as pd
import pytest
from casino_histories import HandHistory
from casino_histories.reading.file import read_hands
from casino_histories.writing.csv_file import csv_header, csv_lines
from casino_histories.writing.ohh import ohh_text
from casino_histories.writing.parquet import ParquetTable
from casino_histories.writing.phh import comment, phh
from casino_histories.writing.plain_names import plain_names
from casino_histories.writing.pokerstars import pokerstars_text
from pokerkit import HandHistory as TheirHistory
from support.histories.random_hands import random_hand

NAMES = (
    '=cmd|"/c calc"!A1',
    "+1+1",
    "-2",
    "@SUM(A1)",
    'a"b,c\n"d',
    "Ada: folds\n*** SUMMARY ***",
    "x collected 100 from pot",
    "'''\"\"\"\\n]\n[2]\nvariant = 'NT'",
    "\x00\x07\x7f\u202eevil",
    "日本 ♠ 😀",
)


def hostile() -> HandHistory:
    """Return a hand of ten players with such names, at such a table."""
    number = next(n for n in range(1_000) if len((hand := random_hand(n)).seats) == 10)
    hand = random_hand(number)
    seats = tuple(
        seat._replace(name=name, player_id=name)
        for seat, name in zip(hand.seats, NAMES, strict=True)
    )
    return replace(hand, seats=seats, table=NAMES[7], hand_id=NAMES[4], ante=0, forced=hand.forced)


def test_phh_has_the_names() -> None:
    fields = tomllib.loads(f"[1]\n{phh(hostile())}")
    assert list(fields) == ["1"]
    assert tuple(fields["1"]["players"]) == NAMES
    assert fields["1"]["table"] == NAMES[7]
    assert TheirHistory.loads(phh(hostile())).players == list(NAMES)
    assert tomllib.loads(comment(NAMES[7]) + "a = 1\n") == {"a": 1}


def test_a_lone_surrogate_is_replaced() -> None:
    hand = hostile()
    odd = replace(hand, table="\ud800")
    assert tomllib.loads(phh(odd))["table"] == "?"


def test_open_hand_history_has_the_names() -> None:
    """One line per hand, which JSON reads as it was."""
    text = ohh_text(hostile())
    assert text.count("\n") == 1
    players = json.loads(text)["ohh"]["players"]
    assert tuple(player["display"] for player in players) == NAMES


def test_no_cell_of_csv_is_a_formula() -> None:
    """An apostrophe goes before it; everything else is as it was, but for NUL."""
    hand = hostile()
    text = csv_header() + csv_lines(hand)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 10
    for row, name in zip(rows, NAMES, strict=True):
        assert row["player"] in {name.replace("\0", ""), f"'{name}"}
        for column, cell in row.items():
            is_number = cell.lstrip("-").replace(".", "").isdigit()
            assert is_number or not cell.startswith(("=", "+", "-", "@")), column
    frame = pd.read_csv(io.StringIO(text))
    assert len(frame) == 10
    assert frame["player"][4] == NAMES[4]


def test_parquet_has_the_names() -> None:
    file = io.BytesIO()
    table = ParquetTable(file)
    table.add(hostile())
    table.close()
    assert tuple(pd.read_parquet(io.BytesIO(file.getvalue()))["player"]) == NAMES


def test_no_line_of_pokerstars_is_anothers() -> None:
    """The text has as many lines as with plain names, and is read as the same hand."""
    hand = hostile()
    named = zip(hand.seats, plain_names(NAMES), strict=True)
    plain = replace(hand, seats=tuple(seat._replace(name=name) for seat, name in named))
    assert pokerstars_text(hand) == pokerstars_text(plain)
    (back,) = read_hands(pokerstars_text(hand).encode())
    assert back.finishing_stacks == hand.finishing_stacks
    assert [seat.name for seat in back.seats] == plain_names(NAMES)
    if not any(bet.kind == "ante" for bet in hand.forced):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert list(TheirHistory.from_pokerstars(pokerstars_text(hand), error_status=True))


@pytest.mark.parametrize("name", ["", "***", "::", "\n"])
def test_a_name_of_nothing_is_replaced(name: str) -> None:
    assert plain_names([name, name]) == ["player", "player-2"]
