"""Results of a session: chips won and lost per player, with confidence intervals."""

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from casino_contracts import TableEvent

_TWO_SIDED_95 = 1.96


@dataclass
class PlayerScore:
    """One player's results; amounts are in chips."""

    player_id: str
    name: str
    bought: float = 0
    stack: float = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    results: list[float] = field(default_factory=list)
    """Chips won or lost in each hand."""

    @property
    def net(self) -> float:
        """Chips won (positive) or lost."""
        return self.stack - self.bought

    @property
    def faults(self) -> int:
        """Number of decisions that the table made in the player's place."""
        return sum(
            count for outcome, count in self.outcomes.items() if outcome not in {"ok", "retried"}
        )

    def big_blinds_per_100(self, big_blind: float) -> tuple[float, float]:
        """Return the win rate in big blinds per 100 hands, and half its 95 % interval.

        The interval is computed from the sample variance of the hands' results.
        """
        hands = len(self.results)
        if hands < 2:  # noqa: PLR2004  a variance needs two hands
            return 0.0, float("inf")
        mean = sum(self.results) / hands
        variance = sum((result - mean) ** 2 for result in self.results) / (hands - 1)
        per_100 = 100 / big_blind
        return mean * per_100, _TWO_SIDED_95 * sqrt(variance / hands) * per_100


@dataclass
class Hand:
    """One completed hand, as reported in one line."""

    number: int
    pot: float
    board: tuple[str, ...]
    changes: dict[str, float]
    message: str


class Score:
    """Accumulates a room's events into results."""

    def __init__(self) -> None:
        self.players: dict[str, PlayerScore] = {}
        self.hands = 0
        self.bank: float = 0
        """Chips that the bank has won or lost, in a game that is played against one."""
        self._before: dict[str, float] = {}

    @property
    def bought_in(self) -> float:
        """All chips bought in, less those of players who left."""
        return sum(player.bought for player in self.players.values())

    @property
    def in_play(self) -> float:
        """All chips in front of the players."""
        return sum(player.stack for player in self.players.values())

    @property
    def is_conserved(self) -> bool:
        """Whether every chip is with a player or the bank."""
        return self.in_play + self.bank == self.bought_in

    def add(self, event: TableEvent) -> Hand | None:
        """Apply an event; return the hand that it completes, or None."""
        payload = event.payload or {}
        match event.event_type:
            case "player_registered":
                self._seated(payload)
            case "hand_started":
                self._before = {seat["playerId"]: seat["stack"] for seat in payload["players"]}
            case "action_taken":
                self.players[payload["playerId"]].outcomes[payload["outcome"]] += 1
            case "hand_completed":
                return self._completed(payload, event.message)
            case "table_status" if payload.get("kind") == "hand_cancelled":
                for player_id, stack in self._before.items():
                    self.players[player_id].stack = stack
            case "table_status" if payload.get("kind") == "left":
                self._left(payload)
            case "table_status" if payload.get("kind") == "rebought":
                player = self.players[payload["playerId"]]
                player.bought += payload["amount"]
                player.stack += payload["amount"]
        return None

    def _seated(self, payload: dict[str, Any]) -> None:
        player = PlayerScore(payload["playerId"], payload["displayName"])
        player.bought = player.stack = payload["stack"]
        self.players[player.player_id] = player

    def _left(self, payload: dict[str, Any]) -> None:
        """Subtract a leaving player's chips, both from those bought and from those in play."""
        player = self.players[payload["playerId"]]
        player.bought -= payload["stack"]
        player.stack -= payload["stack"]

    def _completed(self, payload: dict[str, Any], message: str) -> Hand:
        self.hands += 1
        self.bank += payload.get("house", 0)
        changes = {}
        for after in payload["stacks"]:
            player = self.players[after["playerId"]]
            change = after["stack"] - self._before[player.player_id]
            player.stack = after["stack"]
            player.results.append(change)
            changes[player.player_id] = change
        return Hand(
            payload["handNumber"],
            sum(pot["amount"] for pot in payload.get("pots", ())),
            tuple(card["rank"] + card["suit"][0] for card in payload.get("communityCards", ())),
            changes,
            message.partition(": ")[2],
        )
