"""Simple card as a `Game`: number cards, tricks, points and chips.

Each player is dealt number cards. In each trick everybody plays one, clockwise from the leader; a
single highest card takes a point, and equal highest cards take none. The player that took the last
point leads, at first the first player. At the end each player receives the stake for each of its
points from each of the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from casino_games.game import GameConfig, Json
from casino_games.replayed import ReplayedGame
from casino_games.simple_card.config import SimpleCardConfig


@dataclass(slots=True)
class SimpleCardRound:
    """The cards in hand, the cards on the table, and the points; all by player."""

    hands: list[list[int]] = field(repr=False)
    points: list[int]
    leader: int = 0
    trick: dict[int, int] = field(default_factory=dict)
    """Played card by player, in playing order."""
    tricks: list[tuple[dict[int, int], int | None]] = field(default_factory=list)
    """The completed tricks and their winners."""


class SimpleCardGame(ReplayedGame[SimpleCardConfig, SimpleCardRound]):
    """One game between 2 and 10 players."""

    game_type = "simple_card"
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 10
    timeout_action: ClassVar[str] = "PLAY_CARD"  # the first offer, which is the lowest card
    config_model: ClassVar[type[GameConfig]] = SimpleCardConfig

    @classmethod
    def deck_plan(cls, game_config: Mapping[str, Any], seats: int) -> tuple[int, tuple[int, ...]]:
        """Return a deck without leaves: everybody has played all its cards at the end."""
        return SimpleCardConfig.checked(game_config).max_card_value * seats, ()

    def get_current_player(self) -> str:
        now = self._round()
        index = self._actor(now)
        return self._players[index] if now.hands[index] else ""

    def get_public_state(self) -> Json:
        now = self._round()
        return {
            "game_type": self.game_type,
            "stake": self._config.stake,
            "max_card_value": self._config.max_card_value,
            "current_player": self.get_current_player(),
            "on_table": self._played(now.trick),
            "players": [
                {"player_id": player_id, "cards_left": len(hand), "points": points}
                for player_id, hand, points in zip(
                    self._players, now.hands, now.points, strict=True
                )
            ],
            "tricks": [self._completed_trick(*trick) for trick in now.tricks],
        }

    def get_public_words(self) -> list[str]:
        now = self._round()
        number, all_tricks = len(now.tricks) + 1, self._config.cards_per_player
        words = []
        if now.tricks:
            _, winner = now.tricks[-1]
            taker = "Nobody" if winner is None else f"{{{self._players[winner]}}}"
            words.append(f"{taker} takes trick {number - 1}.")
        if number <= all_tricks:
            leader = self._players[now.leader]
            words.append(f"Trick {number} of {all_tricks}: {{{leader}}} leads.")
        return words

    def get_private_state(self, player_id: str) -> Json:
        """Return the cards in a player's hand, lowest first."""
        now = self._round()
        return {"hand": now.hands[self._index(player_id)].copy()}

    def get_available_actions(self) -> list[Json]:
        now = self._round()
        hand = now.hands[self._actor(now)]
        return [{"action_type": "PLAY_CARD", "card": card} for card in sorted({*hand})]

    def get_scores(self) -> dict[str, int]:
        points = self._round().points
        return {
            player_id: (own * len(points) - sum(points)) * self._config.stake
            for player_id, own in zip(self._players, points, strict=True)
        }

    def _deck_size(self) -> int:
        return self._config.max_card_value * len(self._players)

    def _deal(self, order: list[int]) -> SimpleCardRound:
        players, count = len(self._players), self._config.cards_per_player
        values = [card // players + 1 for card in order]
        hands = [sorted(values[index : players * count : players]) for index in range(players)]
        return SimpleCardRound(hands, [0] * players)

    def _perform(self, answer: Json) -> list[Json]:
        now = self._round()
        index = self._actor(now)
        card = answer["card"]
        now.hands[index].remove(card)
        now.trick[index] = card
        events: list[Json] = [
            {"event": "card_played", "player_id": self._players[index], "card": card}
        ]
        if len(now.trick) == len(self._players):
            self._end_trick(now)
            events.append({"event": "trick_over", **self._completed_trick(*now.tricks[-1])})
            if self.is_over():
                events.append({"event": "game_over", "scores": self.get_scores()})
        return events

    def _actor(self, now: SimpleCardRound) -> int:
        return (now.leader + len(now.trick)) % len(self._players)

    def _end_trick(self, now: SimpleCardRound) -> None:
        highest = max(now.trick.values())
        best = [index for index, card in now.trick.items() if card == highest]
        winner = best[0] if len(best) == 1 else None
        if winner is not None:
            now.points[winner] += 1
            now.leader = winner
        now.tricks.append((now.trick, winner))
        now.trick = {}

    def _completed_trick(self, trick: dict[int, int], winner: int | None) -> Json:
        return {
            "cards": self._played(trick),
            "winner": None if winner is None else self._players[winner],
        }

    def _played(self, trick: dict[int, int]) -> list[Json]:
        return [{"player_id": self._players[index], "card": card} for index, card in trick.items()]
