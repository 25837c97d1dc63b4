"""The tables that offer games: those of rooms, launched and announced ones."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import structlog
from casino_contracts import OfferedGame
from pydantic import ValidationError

from casino_lobby.domain.room import Room

_MAX_GAMES_PER_CARD = 100
LAUNCHED, NAMED, ANNOUNCED = range(3)
"""Ranks: a table of the first describes a game before one of the next."""

logger = structlog.get_logger(__name__)


class RoomTable(NamedTuple):
    """The table of an open room; a launched one is a process of this lobby."""

    card_url: str
    is_launched: bool = False


def tables_of(rooms: Iterable[Room], owns: Callable[[Room], bool]) -> Iterator[RoomTable]:
    """Yield the tables of the rooms that are not over, without those that other lobbies launched.

    `owns` returns whether a room is this lobby's.
    """
    for room in rooms:
        is_reached = not room.is_launched or owns(room)
        if room.table_card_url and not room.is_over and is_reached:
            yield RoomTable(room.table_card_url, room.is_launched)


class GameSource(NamedTuple):
    """A table that plays a game; `card_url` is None for a table that the lobby would launch."""

    game: OfferedGame
    card_url: str | None
    rank: int = LAUNCHED


@dataclass
class TableProcess:
    """Games of the tables of one origin; tables of one process play the same games."""

    card_url: str
    rank: int = ANNOUNCED
    games: dict[str, GameSource] = field(default_factory=dict)
    polled_in: int = 0
    """The round in which it was polled last; 0 before the first."""


def games_on(
    about: dict[str, Any], card_url: str | None, rank: int = LAUNCHED
) -> dict[str, GameSource]:
    """Return the games of a card by game type; invalid entries are skipped."""
    listed = about.get("games")
    sources: dict[str, GameSource] = {}
    invalid = 0
    for line in listed[:_MAX_GAMES_PER_CARD] if isinstance(listed, list) else ():
        try:
            game = OfferedGame.model_validate(line)
        except ValidationError:
            invalid += 1
        else:
            sources.setdefault(game.game_type, GameSource(game, card_url, rank))
    if invalid:
        logger.warning("games_invalid", table=card_url and card_url[:300], entries=invalid)
    return sources
