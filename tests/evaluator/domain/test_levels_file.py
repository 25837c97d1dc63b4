"""Levels are read from TOML; every fault names its field and the fix."""

from dataclasses import asdict
from typing import Any

import pytest
from casino_evaluator.domain.levels import BUILTIN_GAMES, ExaminedGame
from casino_evaluator.domain.levels_file import read_levels
from casino_evaluator.errors import InvalidLevels

LEVEL = 'opponent = "random"\nhands = 10\ntarget = 33\nbaseline_actions = 12\n'
GAME = 'prefix = "kuhn"\ngame_type = "kuhn_poker"\ntitle = "KUHN"\nstarting_stack = 30\n'
TEXT = f"[[games]]\n{GAME}\n[[games.levels]]\n{LEVEL}"


def toml_of(game: ExaminedGame) -> str:

    def lines(values: dict[str, Any]) -> str:
        fields = {key: value for key, value in values.items() if key != "levels"}
        return "".join(
            f"{key} = {list(value) if isinstance(value, tuple) else value!r}\n"
            for key, value in fields.items()
        )

    values = asdict(game)
    levels = "".join(f"[[games.levels]]\n{lines(level)}" for level in values["levels"])
    return f"[[games]]\n{lines(values)}{levels}"


def test_the_built_in_games_can_be_written_as_a_file() -> None:
    """So they keep all rules of a file, and their ids do not depend on where they come from."""
    games = read_levels("".join(map(toml_of, BUILTIN_GAMES)))
    assert games == BUILTIN_GAMES
    assert [game.game_id for game in games] == [game.game_id for game in BUILTIN_GAMES]


def test_blinds_and_tags_may_be_left_out() -> None:
    (game,) = read_levels(TEXT)
    assert (game.small_blind, game.big_blind, game.tags) == (1, 2, ())
    assert game.levels[0].opponent == "random"
    assert game.win_score == 1


def test_a_game_id_changes_with_every_rule() -> None:
    texts = [
        TEXT,
        TEXT.replace("hands = 10", "hands = 14"),
        TEXT.replace("target = 33", "target = 34"),
        TEXT.replace('"random"', '"caller"'),
        TEXT.replace("starting_stack = 30", "starting_stack = 31"),
    ]
    ids = [read_levels(text)[0].game_id for text in texts]
    assert len(set(ids)) == len(texts)
    assert all(game_id.startswith("kuhn-") for game_id in ids)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"random"', '"tight"', r"games\.0\.levels\.0\.opponent: must be one of random, caller"),
        ('"random"', '"dealer"', r"games\.0\.levels\.0\.opponent: "),
        ('"kuhn_poker"', '"chess"', r"games\.0\.game_type: must be one of blackjack, kuhn"),
        ('"kuhn_poker"', '"roulette"', r"games\.0\.game_type: must be one of"),
        ("hands = 10", "hands = 12", r"games\.0\.levels\.0\.hands: must be twice an odd number"),
        ("hands = 10", "hands = 9", r"games\.0\.levels\.0\.hands: must be twice an odd number"),
        ("hands = 10", "hands = 0", r"games\.0\.levels\.0\.hands: .*greater"),
        ("hands = 10", "hands = 100_002", r"games\.0\.levels\.0\.hands: .*less"),
        ("hands = 10", "hands = true", r"games\.0\.levels\.0\.hands: .*integer"),
        ("hands = 10\n", "", r"games\.0\.levels\.0\.hands: Field required"),
        ("target = 33", "target = 51", r"games\.0\.levels\.0\.target: must be at most 50"),
        ("target = 33", "target = 0", r"games\.0\.levels\.0\.target: "),
        ("baseline_actions = 12", "baseline_actions = 0", r"levels\.0\.baseline_actions: "),
        ('"kuhn"', '"Kuhn"', r"games\.0\.prefix: .*\[a-z\]\{4\}"),
        ('"kuhn"', '"kuh"', r"games\.0\.prefix: "),
        ('"KUHN"', '""', r"games\.0\.title: "),
        ("starting_stack = 30", "starting_stack = 0", r"games\.0\.starting_stack: "),
        ("starting_stack = 30", "starting_stack = 30\nsmall_blind = 3", r"games\.0\.small_blind: "),
        ("starting_stack = 30", "starting_stack = 30\ncolour = 1", r"games\.0\.colour: Extra"),
        ("hands = 10", "hands = 10\nseed = 1", r"games\.0\.levels\.0\.seed: Extra"),
        ("[[games]]", "[[game]]", r"game: Extra inputs"),
        ("[[games]]", "[[games", r"this is no TOML: "),
    ],
)
def test_a_fault_names_its_field(old: str, new: str, message: str) -> None:
    assert TEXT.count(old) >= 1
    with pytest.raises(InvalidLevels, match=message):
        read_levels(TEXT.replace(old, new))


def test_a_prefix_belongs_to_one_game() -> None:
    with pytest.raises(InvalidLevels, match=r"games\.1\.prefix: kuhn is another game's"):
        read_levels(TEXT + "\n" + TEXT)


def test_a_game_has_at_most_254_levels() -> None:
    level = f"\n[[games.levels]]\n{LEVEL}"
    game = f"[[games]]\n{GAME}"
    assert read_levels(game + 254 * level)[0].win_score == 254
    with pytest.raises(InvalidLevels, match=r"games\.0\.levels: .*254"):
        read_levels(game + 255 * level)


@pytest.mark.parametrize(
    ("game_type", "opponent", "stack", "most"),
    [
        ("texas-holdem", "random", 200, 400),
        ("kuhn_poker", "random", 10, 20),
        ("simple_card", "saver", 100, 130),
        ("leduc_poker", "caller", 1000, 1130),
        ("blackjack", "dealer", 100, 6100),
    ],
)
def test_the_largest_target_is_what_can_be_won(
    game_type: str, opponent: str, stack: int, most: int
) -> None:
    text = TEXT.replace("kuhn_poker", game_type).replace("random", opponent)
    text = text.replace("starting_stack = 30", f"starting_stack = {stack}")
    assert read_levels(text.replace("target = 33", f"target = {most}"))
    with pytest.raises(InvalidLevels, match=rf"target: must be at most {most}, more cannot"):
        read_levels(text.replace("target = 33", f"target = {most + 1}"))


def test_a_stack_can_be_dealt_in() -> None:
    """In Hold'em it has a big blind, in blackjack a bet."""
    holdem = TEXT.replace("kuhn_poker", "texas-holdem").replace("stack = 30", "stack = 1")
    with pytest.raises(InvalidLevels, match=r"games\.0\.starting_stack: must be at least 2"):
        read_levels(holdem)
