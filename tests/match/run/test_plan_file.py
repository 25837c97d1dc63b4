"""A plan is read from TOML or from a command's values, and faults are named with their fix."""

import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from casino.match_text import TEMPLATE
from casino_match.domain.plan_file import complete, entrants_of, merged, plan_of, values_of
from casino_match.errors import InvalidPlan

TEXT = """
name = "three"
players = ["equity", { player = "bots/mine.py", arguments = { bluff = 0.5 } }, "a=http://b:1/"]

[rules]
stack = 50
clock = "2s"

[deal]
seed = "s"
decks = 30

[faults]
patience = "5m"
"""
DOCUMENT = Path(__file__).parents[3] / "docs/matches.md"
TWO = {"players": ["tight", "equity"], "deal": {"seed": "s"}}


def test_a_file_becomes_a_plan() -> None:
    """With the players' full forms, a name for each, and durations."""
    plan = plan_of(complete(values_of(TEXT)))
    assert [(entrant.name, entrant.player) for entrant in plan.players] == [
        ("equity", "style:equity"), ("mine", "bots/mine.py:act"), ("a", "http://b:1/"),
    ]  # fmt: skip
    assert plan.players[1].arguments == {"bluff": 0.5}
    assert (plan.name, plan.rules.stack, plan.deal.decks) == ("three", 50, 30)
    assert plan.rules.clock == timedelta(seconds=2)
    assert plan.faults.patience == timedelta(minutes=5)
    assert plan.digest == plan_of(complete(values_of(TEXT))).digest


def test_the_plan_that_the_command_writes_can_be_played() -> None:
    """It has every table of a plan, and lacks nothing but a seed, which is drawn."""
    values = values_of(TEMPLATE)
    plan = plan_of(merged(complete(values), {"deal": {"seed": "s"}}))
    assert [entrant.name for entrant in plan.players] == ["tight", "equity"]
    for table in ("rules", "stop", "faults"):
        fields = set(type(getattr(plan, table)).model_fields)
        assert fields == set(values[table])
    assert plan == plan_of(complete({**TWO, "deal": {"seed": "s", "decks": 5000}}))


def test_the_plan_of_the_documentation_can_be_read() -> None:
    (text,) = re.findall(r"```toml\n(players = .*?)```", DOCUMENT.read_text(), re.DOTALL)
    plan = plan_of(complete(values_of(text)))
    assert [entrant.name for entrant in plan.players] == ["tight", "mine", "127.0.0.1:9000"]


def test_players_without_a_name_get_different_names() -> None:
    texts = ["tight", "x/tight.py", "tight-2=equity", "tight", "http://h/", "http://h/b"]
    names = [entrant["name"] for entrant in entrants_of(texts)]
    assert names == ["tight", "tight-3", "tight-2", "tight-4", "h", "h-2"]


@pytest.mark.parametrize(
    ("decks", "size", "blocks"), [(30, 100, 1), (5_000, 100, 50), (500_000, 2_500, 200)]
)
def test_blocks_follow_from_the_decks(decks: int, size: int, blocks: int) -> None:
    plan = plan_of(complete({**TWO, "deal": {"seed": "s", "decks": decks}}))
    assert (plan.deal.decks_per_block, plan.blocks) == (size, blocks)


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({"players": ["tight", "tigth"]}, "players: 'tigth' is no player: write a style ("),
        ({"players": ["tight"]}, "players: name at least 2 players, such as mybot.py"),
        ({"players": "tight"}, "players: must be a list"),
        ({"players": ["tight", 3]}, "players.1: write a text"),
        (
            {"players": ["tight", {"player": "a.py", "arguments": {"day": date(2026, 1, 1)}}]},
            "players.1.arguments: must be values of JSON (Object of type date",
        ),
        (
            {"players": ["tight", {"player": "a.py", "arguments": {"x": float("nan")}}]},
            "players.1.arguments: must be values of JSON (Out of range",
        ),
        ({"players": ["a=tight", "a=equity"]}, "players: two players have the same name"),
        ({"rules": {"stack": 1}}, "stack does not cover the big blind"),
        ({"rules": {"stack": 0.5}}, "rules.stack: must be a whole number"),
        ({"rules": {"clock": "2"}}, "rules.clock: must be a duration such as"),
        ({"rules": {"clock": "0s"}}, "rules.clock: must be more than 0"),
        ({"faults": {"no_answer": "wait"}}, 'faults.no_answer: must be "pause" or "default"'),
        ({"deal": {"decks": 0}}, "deal.decks: must be at least 1"),
        ({"deck": 5}, "deck: is unknown"),
        ({"stop": {"rule": "sprt", "low": 5}}, "low must be below high"),
        ({"stop": {"rule": "sprt"}, "players": ["tight"] * 3}, "a sequential test is between two"),
    ],
)
def test_a_fault_is_named_with_its_fix(over: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidPlan) as raised:
        plan_of(complete(merged(TWO, over)))
    assert message in str(raised.value)


def test_a_file_that_is_no_toml_is_named_by_its_line() -> None:
    with pytest.raises(InvalidPlan, match="line 2"):
        values_of("[deal]\ndecks = =\n")
