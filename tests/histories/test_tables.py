"""CSV and Parquet load in pandas with the documented columns and types."""

import io
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from casino_histories import HandHistory, NotExportable
from casino_histories.writing.file import hand_file
from casino_histories.writing.rows import COLUMNS, Table
from support.histories.random_hands import random_hand

AT = datetime(2026, 11, 23, 20, 5, 7, 250_000, tzinfo=UTC)
HANDS = [random_hand(number) for number in range(60)]
TABLES: tuple[Table, ...] = ("players", "actions")
CSV_TYPES = {"text": {"object", "str"}, "whole": {"int64"}, "amount": {"int64"}, "flag": {"bool"}}
DOCUMENT = (Path(__file__).parents[2] / "docs/histories.md").read_text()


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
    """In the same order, with their types and descriptions."""
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
        if column.type != "time":
            assert str(frame[column.name].dtype) in CSV_TYPES[column.type], column.name


@pytest.mark.parametrize("table", TABLES)
def test_parquet_has_its_columns_and_types(table: Table) -> None:
    content = written("parquet", table, HANDS)
    frame = pd.read_parquet(io.BytesIO(content))
    types = {**CSV_TYPES, "time": {"datetime64[us, UTC]"}}
    assert list(frame.columns) == [column.name for column in COLUMNS[table]]
    for column in COLUMNS[table]:
        assert str(frame[column.name].dtype) in types[column.type], column.name
    other = pd.read_csv(io.BytesIO(written("csv", table, HANDS)), keep_default_na=False)
    without_time = [column.name for column in COLUMNS[table] if column.type != "time"]
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
    """CSV has decimal text, Parquet decimal128 and microseconds."""
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
