"""Reading games and levels from TOML text.

```
[[games]]
prefix = "kuhn"
game_type = "kuhn_poker"
title = "KUHN"
starting_stack = 30
tags = ["poker"]                        # may be left out, like the blinds of 1 and 2

[[games.levels]]
opponent = "random"
hands = 30
target = 33
baseline_actions = 35
```
"""

from typing import Annotated

from casino_contracts.foreign_text import LIMITS, ForeignText, TextLimits
from casino_games.blackjack import BlackjackConfig
from casino_games.blackjack.round import MOST_HANDS
from casino_games.game import Chips, faults_in
from casino_games.kuhn_poker import KuhnConfig
from casino_games.leduc_poker import LeducConfig
from casino_games.simple_card import SimpleCardConfig
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_evaluator.domain.levels import (
    BLACKJACK,
    DEALER,
    HOLDEM,
    KUHN,
    LEDUC,
    OPPONENTS,
    SIMPLE_CARD,
    ExaminedGame,
    Level,
)
from casino_evaluator.errors import InvalidLevels

MOST_LEVELS = 254
"""The largest score of the ARC-AGI-3 API."""
_LONGEST_LEVEL = 1_000
_PLAYERS = 2
_DOUBLED = 2
_SHOWN = 1_000
"""Characters of the faults of a file."""

_Text = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+$")]
_Count = Annotated[int, Field(ge=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Level(_Strict):
    opponent: str
    hands: Annotated[int, Field(ge=1, le=_LONGEST_LEVEL)]
    target: Chips
    baseline_actions: _Count


class _Game(_Strict):
    prefix: Annotated[str, Field(pattern="^[a-z]{4}$")]
    game_type: str
    title: _Text
    starting_stack: Chips
    small_blind: Chips = 1
    big_blind: Chips = 2
    tags: list[_Text] = []
    levels: Annotated[list[_Level], Field(min_length=1, max_length=MOST_LEVELS)]


class _LevelsFile(_Strict):
    games: Annotated[list[_Game], Field(min_length=1)]


_MOST_LOST: dict[str, int] = {
    KUHN: KuhnConfig().chips_enough(_PLAYERS),
    LEDUC: LeducConfig().chips_enough(_PLAYERS),
    SIMPLE_CARD: SimpleCardConfig().chips_enough(_PLAYERS),
}
"""Chips that change hands in one hand at most; in Hold'em any number does."""
_LEAST_STACKS: dict[str, int] = {
    KUHN: KuhnConfig().chips_needed(),
    LEDUC: LeducConfig().chips_needed(),
    SIMPLE_CARD: SimpleCardConfig().chips_needed(),
    BLACKJACK: BlackjackConfig().chips_needed(),
}
"""Chips that a seat needs to be dealt in; in Hold'em the big blind."""


def read_levels(text: str, limits: TextLimits = LIMITS) -> tuple[ExaminedGame, ...]:
    """Return the games of a levels file; raises InvalidLevels, which names field and fix."""
    try:
        file = _LevelsFile.model_validate(limits.toml(text))
    except ForeignText as error:
        raise InvalidLevels(f"this is no TOML: {error}") from error
    except ValidationError as error:
        raise InvalidLevels(faults_in(error, "file")[:_SHOWN]) from None
    prefixes: set[str] = set()
    for place, game in enumerate(file.games):
        field = f"games.{place}"
        if game.prefix in prefixes:
            raise InvalidLevels(
                f"{field}.prefix: {game.prefix} is another game's; choose four other letters"
            )
        prefixes.add(game.prefix)
        _check_game(game, field)
    return tuple(_examined(game) for game in file.games)


def _examined(game: _Game) -> ExaminedGame:
    return ExaminedGame(
        prefix=game.prefix,
        game_type=game.game_type,
        title=game.title,
        starting_stack=game.starting_stack,
        small_blind=game.small_blind,
        big_blind=game.big_blind,
        levels=tuple(Level(**level.model_dump()) for level in game.levels),
        tags=tuple(game.tags),
    )


def _check_game(game: _Game, field: str) -> None:
    game_types = sorted(set().union(*OPPONENTS.values()))
    if game.game_type not in game_types:
        raise InvalidLevels(f"{field}.game_type: must be one of {', '.join(game_types)}")
    if game.small_blind > game.big_blind:
        raise InvalidLevels(f"{field}.small_blind: must be at most big_blind, {game.big_blind}")
    least = game.big_blind if game.game_type == HOLDEM else _LEAST_STACKS[game.game_type]
    if game.starting_stack < least:
        raise InvalidLevels(f"{field}.starting_stack: must be at least {least} to be dealt in")
    for place, level in enumerate(game.levels):
        _check_level(game, level, f"{field}.levels.{place}")


def _check_level(game: _Game, level: _Level, field: str) -> None:
    names = [name for name, games in OPPONENTS.items() if game.game_type in games]
    if level.opponent not in names:
        raise InvalidLevels(
            f"{field}.opponent: must be one of {', '.join(names)} in {game.game_type}"
        )
    if level.opponent != DEALER and (level.hands % 2 or not level.hands // 2 % 2):
        raise InvalidLevels(
            f"{field}.hands: must be twice an odd number, such as 10, 14 or 18, so that each deck"
            " is played from both positions"
        )
    most = _most_chips(game, level.hands)
    if level.target > most:
        raise InvalidLevels(f"{field}.target: must be at most {most}, more cannot be won")


def _most_chips(game: _Game, hands: int) -> int:
    """Return an upper bound of the chips that a candidate can have after a level."""
    if game.game_type == BLACKJACK:
        return game.starting_stack + hands * MOST_HANDS * _DOUBLED * BlackjackConfig().max_bet
    won = min(game.starting_stack, hands * _MOST_LOST.get(game.game_type, game.starting_stack))
    return game.starting_stack + won
