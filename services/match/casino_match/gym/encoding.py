"""Interface of an encoding: states as arrays of a fixed size, answers as numbered actions. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from casino_games.game import Json
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float32]
Values: TypeAlias = Sequence[float]


@dataclass(frozen=True, slots=True)
class Part:
    """Numbers of an observation that belong together; each is from 0 to `most`."""

    name: str
    size: int
    meaning: str
    most: float = 1.0


class Encoding(ABC):
    """How states and actions of a game are numbers; it sees what a player of the game sees."""

    parts: tuple[Part, ...]
    """The layout of an observation, from its first number."""
    actions: tuple[str, ...]
    unit: int = 1
    """The chips of a normalised reward of 1, such as the big blind."""

    @abstractmethod
    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        """Return the numbers of each part, as the player sees the game."""

    @abstractmethod
    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        """Return the legal answers by number; `offered` is empty for who does not decide."""

    def observe(self, public: Json, private: Json, player_id: str) -> Array:
        """Return the observation; raises `ValueError` for a part whose size is not its layout's."""
        values = self.encode(public, private, player_id)
        numbers: list[float] = []
        for part in self.parts:
            numbers += values[part.name]
            if len(values[part.name]) != part.size:
                raise ValueError(
                    f"{part.name}: {len(values[part.name])} numbers instead of {part.size}"
                )
        return np.array(numbers, dtype=np.float32)

    @property
    def most(self) -> Array:
        """The largest value of each number of an observation."""
        return np.concatenate(
            [np.full(part.size, part.most, dtype=np.float32) for part in self.parts]
        )

    def place(self, name: str) -> slice:
        """Return where a part is in the observation; raises `KeyError`."""
        start = 0
        for part in self.parts:
            if part.name == name:
                return slice(start, start + part.size)
            start += part.size
        raise KeyError(name)


def flags(number: int, marked: Container[int]) -> list[float]:
    return [float(place in marked) for place in range(number)]


def flag(number: int, place: int | None) -> list[float]:
    """Return 1 at a single place and 0 elsewhere; only zeros for None."""
    values = [0.0] * number
    if place is not None:
        values[place] = 1.0
    return values


def clockwise(players: Sequence[Json], player_id: str) -> list[Json]:
    own = next(place for place, player in enumerate(players) if player["player_id"] == player_id)
    return [*players[own:], *players[:own]]
