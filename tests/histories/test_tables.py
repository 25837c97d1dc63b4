"""CSV and Parquet load in pandas; names are text in every format, whatever is in them."""

import csv
import io
import json
import re
import tomllib
import warnings
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from casino_contracts import Defaulted, DisclosedDecision, Usage
from casino_histories import HandHistory, NotExportable, all_read
from casino_histories.history_files import (
    COLUMNS,
    ParquetTable,
    Table,
    csv_header,
    csv_lines,
    hand_file,
    read_hands,
)
from casino_histories.open_hand_history import ohh_text
from casino_histories.phh import comment, phh
from casino_histories.pokerstars_writer import plain_names, pokerstars_text
from pokerkit import HandHistory as TheirHistory
from support.histories.random_hands import random_hand

pytestmark = pytest.mark.full  # needs pandas

AT = datetime(2026, 11, 23, 20, 5, 7, 250_000, tzinfo=UTC)
HANDS = [random_hand(number) for number in range(60)]
TABLES: tuple[Table, ...] = ("players", "actions")
CSV_TYPES = {"text": {"object", "str"}, "whole": {"int64"}, "amount": {"int64"}, "flag": {"bool"}}
DOCUMENT = (Path(__file__).parents[2] / "docs/reference/columns.md").read_text()


def written(form: str, table: Table, hands: Iterable[HandHistory], decimals: int = 0) -> bytes:
    """Return the content of a file."""
    file = io.BytesIO()
    target = hand_file(file, form, table, decimals=decimals)  # type: ignore[arg-type]
    for hand in hands:
        target.add(hand)
    target.close()
    return file.getvalue()


@pytest.mark.parametrize("table", TABLES)
def test_the_columns_are_those_of_the_document(table: Table) -> None:
    rows = [
        f"| `{column.name}` | {column.type} | {column.description} |" for column in COLUMNS[table]
    ]
    assert "\n".join(rows) in DOCUMENT


@pytest.mark.parametrize("table", TABLES)
def test_csv_has_its_columns_and_types(table: Table) -> None:
    """Whole amounts are int64; the time of a match's hands is empty."""
    frame = pd.read_csv(io.BytesIO(written("csv", table, HANDS)), keep_default_na=False)
    assert list(frame.columns) == [column.name for column in COLUMNS[table]]
    for column in COLUMNS[table]:
        if column.type not in {"time", "number"}:
            assert str(frame[column.name].dtype) in CSV_TYPES[column.type], column.name


@pytest.mark.parametrize("table", TABLES)
def test_parquet_has_its_columns_and_types(table: Table) -> None:
    content = written("parquet", table, HANDS)
    frame = pd.read_parquet(io.BytesIO(content))
    types = {**CSV_TYPES, "time": {"datetime64[us, UTC]"}, "number": {"float64"}}
    assert list(frame.columns) == [column.name for column in COLUMNS[table]]
    for column in COLUMNS[table]:
        assert str(frame[column.name].dtype) in types[column.type], column.name
    other = pd.read_csv(io.BytesIO(written("csv", table, HANDS)), keep_default_na=False)
    without_time = [
        column.name for column in COLUMNS[table] if column.type not in {"time", "number"}
    ]
    assert frame[without_time].astype(str).equals(other[without_time].astype(str))


def test_players_have_the_chips_of_the_hands() -> None:
    """What all players of a hand win and lose is 0."""
    frame = pd.read_csv(io.BytesIO(written("csv", "players", HANDS)))
    assert len(frame) == sum(len(hand.seats) for hand in HANDS)
    assert (frame.groupby("hand_id")["net"].sum() == 0).all()
    assert (frame["stack"] + frame["net"] == frame["finishing_stack"]).all()
    assert (frame["put_in"] <= frame["stack"]).all()
    assert set(frame["position"]) >= {"BTN", "SB", "BB", "CO", "HJ", "UTG", "UTG+1"}


def test_actions_lead_to_the_pot() -> None:
    """The pot after the last action is what was put in, with what was returned."""
    frame = pd.read_csv(io.BytesIO(written("csv", "actions", HANDS)))
    last = frame.groupby("hand_id")["pot"].max()
    for hand in HANDS:
        back = hand.returned.amount if hand.returned else 0
        assert last[hand.hand_id] == hand.pot + back
    assert (frame["action_number"] >= 1).all()


def test_decimals_and_times_are_exact() -> None:
    hands = [replace(random_hand(n, decimals=2), started_at=AT) for n in range(5)]
    frame = pd.read_parquet(io.BytesIO(written("parquet", "players", hands, decimals=2)))
    stacks = [Decimal(seat.stack).scaleb(-2) for hand in hands for seat in hand.seats]
    assert list(frame["stack"]) == stacks
    assert set(frame["time"]) == {pd.Timestamp(AT)}
    text = pd.read_csv(io.BytesIO(written("csv", "players", hands)), dtype=str)
    assert [Decimal(stack) for stack in text["stack"]] == stacks
    assert set(text["time"]) == {"2026-11-23T20:05:07.250000Z"}
    with pytest.raises(NotExportable, match="more than 0 decimals"):
        written("parquet", "players", hands)


def test_the_story_of_a_player_is_compact() -> None:
    """Letters, totals of bets and raises, and a slash for each street."""
    frame = pd.read_csv(io.BytesIO(written("csv", "players", HANDS)), keep_default_na=False)
    pattern = re.compile(r"(?:[fxc]|[br]\d+|[ /])*")
    assert all(pattern.fullmatch(story) for story in frame["actions"])
    assert any("/" in story for story in frame["actions"])


def decided() -> HandHistory:
    """Return a hand whose first two decisions say who made them, and at what cost."""
    hand = next(hand for hand in HANDS if len(hand.actions) > 2)
    usage = Usage(model="small", input_tokens=900, output_tokens=100, cost_usd=1e-05)
    default = Defaulted(reason="model_failed", detail='401: "no such key"')
    ids = [hand.seats[action.seat].player_id for action in hand.actions]
    entries = (
        DisclosedDecision(decision=1, player_id=ids[0], usage=usage, reasoning="I\nthink"),
        DisclosedDecision(decision=2, player_id=ids[1], defaulted=default),
    )
    first = hand.actions[0].seat
    seats = [
        seat._replace(model="small") if place == first else seat
        for place, seat in enumerate(hand.seats)
    ]
    return replace(hand, seats=tuple(seats), decided=entries)


def test_who_decided_and_at_what_cost_is_in_every_form_but_pokerstars() -> None:
    """Its text has no place for it. In every form the hand is read as before."""
    hand = decided()
    entries = [said.model_dump(mode="json") for said in hand.decided]
    for write in (phh, ohh_text, pokerstars_text):
        (back,) = all_read(read_hands(write(hand).encode()))
        assert back.actions == hand.actions
    fields = tomllib.loads(phh(hand))
    assert fields["_decisions"] == entries
    assert sorted(fields["_models"], reverse=True)[:2] == ["small", ""]
    assert TheirHistory.loads(phh(hand)).finishing_stacks == list(hand.finishing_stacks)
    document = json.loads(ohh_text(hand))["ohh"]
    numbers = {player["name"]: player["id"] for player in document["players"]}
    assert [player["_model"] for player in document["players"] if "_model" in player] == ["small"]
    assert document["_decisions"][1]["defaulted"] == entries[1]["defaulted"]
    assert {said["player_id"] for said in document["_decisions"]} <= set(numbers.values())
    frame = pd.read_parquet(io.BytesIO(written("parquet", "actions", [hand])))
    rows = frame[~frame["action"].isin(["ante", "small-blind", "big-blind"])].head(3)
    assert list(rows["defaulted"]) == ["", "model_failed", ""]
    assert list(rows["model"]) == ["small", "", ""]
    assert rows["tokens"].iloc[0] == 1_000
    assert rows["cost_usd"].iloc[0] == 1e-05
    assert rows["tokens"].isna().sum() == rows["cost_usd"].isna().sum() == 2
    players = pd.read_csv(io.BytesIO(written("csv", "players", [hand])), keep_default_na=False)
    assert players["defaults"].sum() == 1
    assert list(players["model"]).count("small") == 1


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
    (back,) = all_read(read_hands(pokerstars_text(hand).encode()))
    assert back.finishing_stacks == hand.finishing_stacks
    assert [seat.name for seat in back.seats] == plain_names(NAMES)
    if not any(bet.kind == "ante" for bet in hand.forced):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert list(TheirHistory.from_pokerstars(pokerstars_text(hand), error_status=True))


@pytest.mark.parametrize("name", ["", "***", "::", "\n"])
def test_a_name_of_nothing_is_replaced(name: str) -> None:
    assert plain_names([name, name]) == ["player", "player-2"]
