"""Bounds of scorecards: their details, how many there are, and their runs."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from casino_evaluator.domain.scorecard import Counted
from casino_sqlite.database import Database
from support.evaluator.card_side import ADA, BOB, RECORDED, Evaluator, Refusal, open_database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with open_database(tmp_path) as opened:
        yield opened


@pytest.fixture
def evaluator(database: Database) -> Evaluator:
    """Return an evaluator without a card."""
    return Evaluator(database)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tags", "agent"),
        ("tags", [1]),
        ("tags", [None]),
        ("tags", ["x"] * 33),
        ("tags", ["x" * 129]),
        ("source_url", 1),
        ("source_url", "x" * 2_049),
        ("seed", "x" * 129),
        ("seed", "\ud800"),
        ("seed", 7),
        ("opaque", "x" * 16_384),
        ("opaque", float("nan")),
        ("competition_mode", "yes"),
        ("competition_mode", 1),
    ],
)
async def test_wrong_details_are_refused_by_name(
    evaluator: Evaluator, field: str, value: Any
) -> None:
    """Nothing is opened then."""
    with Refusal() as refusal:
        await evaluator.cards.open(ADA, **{field: value})
    assert refusal == (400, "VALIDATION_ERROR")
    assert f"`{field}`" in refusal.message
    assert await evaluator.cards.listed(ADA) == []


async def test_details_that_are_nested_too_deeply_are_refused(evaluator: Evaluator) -> None:
    """Not a failure of the evaluator."""
    opaque: Any = []
    for depth in range(100_000):
        opaque = {"in": opaque} if depth % 2 else [opaque]
        if depth in {70, 99_999}:
            with Refusal() as refusal:
                await evaluator.cards.open(ADA, opaque=opaque)
            assert refusal == (400, "VALIDATION_ERROR")
    assert await evaluator.cards.open(ADA, opaque="x" * 16_382, tags=None, seed=None)


async def test_cards_and_runs_are_bounded(database: Database) -> None:
    """Of one key, of all keys, and the runs of one card; old closed ones go."""
    evaluator = Evaluator(database, per_key=2, anonymous=3, closed_per_anonymous_key=2, runs=2)
    cards = evaluator.cards
    mine = [await cards.open(ADA) for _ in range(2)]
    with Refusal() as refusal:
        await cards.open(ADA)
    assert refusal == (429, "RATE_LIMIT_EXCEEDED")
    await cards.open(BOB)
    with Refusal() as refusal:
        await cards.open(BOB)
    assert refusal == (503, "SERVER_ERROR")
    session = await evaluator.begin(mine[0])
    session = replace(session.reset(), commands=2)
    await cards.counted(session, Counted(1, "full_reset", 0, "NOT_FINISHED"), RECORDED)
    for kind in ("full_reset", "new"):
        with Refusal() as refusal:
            if kind == "new":
                await evaluator.begin(mine[0], "other")
            else:
                session = replace(session.reset(), commands=3)
                await cards.counted(session, Counted(1, "full_reset", 0, "NOT_FINISHED"), RECORDED)
        assert "2 runs" in refusal.message
    assert len((await cards.read(ADA, mine[0]))["environments"][0]["runs"]) == 2
    for card_id in mine:
        await cards.close(ADA, card_id)
    third = await cards.open(ADA)
    await cards.close(ADA, third)
    assert [card["card_id"] for card in await cards.listed(ADA)] == [third, mine[1]]


async def test_anonymous_keys_cost_configured_ones_nothing(database: Database) -> None:
    """Neither open cards nor closed ones; a key of the settings has its own bounds."""
    evaluator = Evaluator(
        database, [ADA], anonymous=1, per_key=3, closed_per_key=2, closed_per_anonymous_key=0
    )
    cards = evaluator.cards
    other = await cards.open(BOB)
    with Refusal() as refusal:
        await cards.open(BOB)
    assert refusal == (503, "SERVER_ERROR")
    mine = [await cards.open(ADA) for _ in range(3)]
    for card_id in mine:
        await cards.close(ADA, card_id)
    assert {card["card_id"] for card in await cards.listed(ADA)} == set(mine[1:])
    evaluator.now += 900
    assert await cards.close_stale() == [other]
    assert await cards.listed(BOB) == []
