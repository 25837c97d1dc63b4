"""What a session comes to: chips won and lost per player, with the doubt that belongs to it."""

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from casino_contracts import TableEvent

_TWO_SIDED_95 = 1.96


@dataclass
class PlayerScore:
    """One player's session, in the room's own numbers."""

    player_id: str
    name: str
    bought: float = 0
    stack: float = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    results: list[float] = field(default_factory=list)
    """Chips won or lost, hand by hand."""

    @property
    def net(self) -> float:
        """Chips won (positive) or lost."""
        return self.stack - self.bought

    @property
    def faults(self) -> int:
        """Decisions that were not the player's own."""
        return sum(
            count for outcome, count in self.outcomes.items() if outcome not in {"ok", "retried"}
        )

    def big_blinds_per_100(self, big_blind: float) -> tuple[float, float]:
        """Return the win rate in big blinds per hundred hands, and half its 95 % interval.

        The interval is from the hands' own spread; a few dozen hands say nothing, and it shows.
        """
        hands = len(self.results)
        if hands < 2:  # noqa: PLR2004  no spread from one hand
            return 0.0, float("inf")
        mean = sum(self.results) / hands
        variance = sum((result - mean) ** 2 for result in self.results) / (hands - 1)
        per_100 = 100 / big_blind
        return mean * per_100, _TWO_SIDED_95 * sqrt(variance / hands) * per_100


@dataclass
class Hand:
    """One completed hand, as told in a line."""

    number: int
    pot: float
    board: tuple[str, ...]
    changes: dict[str, float]
    told: str


class Score:
    """A fold of a room's events."""

    def __init__(self) -> None:
        self.players: dict[str, PlayerScore] = {}
        self.hands = 0
        self.house: float = 0
        """What the bank has won, or lost, of a game that is played against one."""
        self._before: dict[str, float] = {}

    @property
    def bought_in(self) -> float:
        """All chips that came to the table."""
        return sum(player.bought for player in self.players.values())

    @property
    def in_play(self) -> float:
        """All chips in front of the players."""
        return sum(player.stack for player in self.players.values())

    @property
    def is_conserved(self) -> bool:
        """Whether every chip is there, with a player or with the house."""
        return self.in_play + self.house == self.bought_in

    def add(self, event: TableEvent) -> Hand | None:
        """Fold an event in; returns the hand that it completes, if it does."""
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
        """Let a player go with his chips: what he takes was bought, and is not in play any more."""
        player = self.players[payload["playerId"]]
        player.bought -= payload["stack"]
        player.stack -= payload["stack"]

    def _completed(self, payload: dict[str, Any], message: str) -> Hand:
        self.hands += 1
        self.house += payload.get("house", 0)
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
