"""Results of several rooms: hands, chips and faults of each, and of all together. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from casino_contracts import Standing, Standings

_NOT_FAULTS: Final = frozenset({"retried", "sitting_out"})
"""Outcomes of decisions that a player made itself, or was not asked for."""
_LEAST_CHIP: Final = 1e-6


@dataclass(frozen=True)
class RoomResult:
    """What was played in a room, by the lobby's standings.

    `has_bank`: it may be a bank that has won or lost the chips which the players have not.
    """

    room: str
    standings: Standings
    has_bank: bool = False

    @property
    def hands(self) -> int:
        """Number of completed hands."""
        return self.standings.hands

    @property
    def in_play(self) -> float:
        """All chips in front of the players."""
        return sum(player.stack for player in self.standings.players if not player.has_left)

    @property
    def missing(self) -> float:
        """Chips that the players bought and do not have, less those that nobody bought."""
        return -sum(player.net for player in self.standings.players)

    @property
    def bought_in(self) -> float:
        """All chips bought in, less those of players who left."""
        return self.in_play + self.missing

    @property
    def is_conserved(self) -> bool:
        """Whether every chip is with a player, or may be with the bank."""
        return self.has_bank or abs(self.missing) < _LEAST_CHIP

    @property
    def leader(self) -> Standing | None:
        """The player who has won most."""
        return max(self.standings.players, key=lambda player: player.net, default=None)

    @property
    def faults(self) -> int:
        """Number of decisions that the table made in place of a player that was asked."""
        return sum(map(faults_of, self.standings.players))


def faults_of(player: Standing) -> int:
    """Return how many decisions the table made in place of a player that was asked."""
    return sum(count for outcome, count in player.faults.items() if outcome not in _NOT_FAULTS)


def rooms_document(rooms: Sequence[RoomResult]) -> dict[str, Any]:
    """Return the results as JSON: those of each room and their sums; players as in the lobby."""
    return {
        "event": "rooms",
        **_sums(rooms),
        "rooms": [
            {
                "room": room.room,
                **_sums([room]),
                "players": [
                    player.model_dump(mode="json", exclude={"statistics", "latency"})
                    for player in room.standings.players
                ],
            }
            for room in rooms
        ],
    }


def _sums(rooms: Sequence[RoomResult]) -> dict[str, Any]:
    return {
        "hands": sum(room.hands for room in rooms),
        "chipsBoughtIn": sum(room.bought_in for room in rooms),
        "chipsInPlay": sum(room.in_play for room in rooms),
        "faults": sum(room.faults for room in rooms),
        "conserved": all(room.is_conserved for room in rooms),
    }
