"""The rules: the highest bidder gets its card's value from each of the others, less its bid."""

from dataclasses import dataclass, field
from typing import ClassVar

from casino_games.game import GameConfig, GameModel, Json
from casino_games.replayed import ReplayedGame
from games.sealed_bid.config import SealedBidConfig


@dataclass
class Bids:
    """A card for each player, and the bids so far; a pass is a bid of 0."""

    cards: list[int] = field(repr=False)
    bids: list[int] = field(default_factory=list)


class SealedBidGame(ReplayedGame[SealedBidConfig, Bids]):
    """One round; all bids are secret until everybody has bid."""

    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 6
    game_model: ClassVar[GameModel] = "phase_based"
    timeout_action: ClassVar[str] = "PASS"
    config_model: ClassVar[type[GameConfig]] = SealedBidConfig

    @property
    def game_type(self) -> str:
        return "sealed_bid"

    def get_pending_players(self) -> list[str]:
        return self._players[len(self._round().bids) :]

    def get_current_player(self) -> str:
        return next(iter(self.get_pending_players()), "")

    def get_actions_of(self, player_id: str) -> list[Json]:
        if player_id not in self.get_pending_players():
            return []
        stack = self._config.stacks[self._index(player_id)]
        others = len(self._players) - 1
        most = min(self._config.highest_card, 1 + stack // others)  # its card is worth 1 at least
        return [{"action_type": "PASS"}, {"action_type": "BID", "min": 1, "max": most}]

    def get_available_actions(self) -> list[Json]:
        return self.get_actions_of(self.get_current_player())

    def get_public_state(self) -> Json:
        return {
            "highest_card": self._config.highest_card,
            "players": self.get_players(),
            "waiting_for": self.get_pending_players(),
            "shown": self._shown(),
        }

    def get_private_state(self, player_id: str) -> Json:
        index = self._index(player_id)
        bids = self._round().bids
        return {
            "card": self._round().cards[index],
            "bid": bids[index] if index < len(bids) else None,
        }

    def get_scores(self) -> dict[str, int]:
        scores = dict.fromkeys(self._players, 0)
        bids = self._round().bids
        if self.is_over() and any(bids):
            winner = bids.index(max(bids))  # of equal bids the first
            gain = self._round().cards[winner] - bids[winner]
            scores = dict.fromkeys(self._players, -gain)
            scores[self._players[winner]] = gain * (len(bids) - 1)
        return scores

    def _deck_size(self) -> int:
        return self._config.highest_card

    def _deal(self, order: list[int]) -> Bids:
        return Bids([card + 1 for card in order[: len(self._players)]])

    def _perform(self, answer: Json) -> list[Json]:
        events: list[Json] = [{"event": "bid_made", "player_id": self.get_current_player()}]
        self._round().bids.append(answer.get("amount", 0))
        if self.is_over():
            events.append({"event": "bids_shown", "bids": self._shown()})
            events.append({"event": "game_over", "scores": self.get_scores()})
        return events

    def _shown(self) -> list[Json]:
        """Return every bid, and the card of whoever bid most, when all have bid."""
        bids = self._round().bids
        if not self.is_over():
            return []
        return [
            {"player_id": player_id, "bid": bid, "card": card if bid == max(bids) > 0 else None}
            for player_id, bid, card in zip(self._players, bids, self._round().cards, strict=True)
        ]
