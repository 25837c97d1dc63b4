"""Blackjack as a `Game`: maps players and action types to seats and hands."""

from typing import ClassVar

from casino_games.bank import BankGame
from casino_games.blackjack import views
from casino_games.blackjack.config import BlackjackConfig
from casino_games.blackjack.round import Round
from casino_games.cards import DECK
from casino_games.config import GameConfig
from casino_games.game import Json


class BlackjackGame(BankGame[BlackjackConfig, Round]):
    """One round of blackjack from a freshly shuffled shoe, for 1 to 7 players.

    The order has a number for each card of the shoe; the number modulo 52 is the card.
    """

    min_players: ClassVar[int] = 1
    max_players: ClassVar[int] = 7
    timeout_action: ClassVar[str] = "STAND"  # before the deal the default is the first offer, PASS
    config_model: ClassVar[type[GameConfig]] = BlackjackConfig

    @property
    def game_type(self) -> str:
        """The identifier in the registry."""
        return "blackjack"

    def get_current_player(self) -> str:
        """Return the id of the player to act, `""` when the round is over."""
        now = self._round()
        return "" if now.phase == "over" else self._players[now.actor]

    def get_public_state(self) -> Json:
        """Return the table: limits, the dealer's shown cards, every player's bets and hands."""
        now = self._round()
        config = self._config
        return {
            "game_type": self.game_type,
            "phase": now.phase,
            "min_bet": config.min_bet,
            "max_bet": config.max_bet,
            "decks": config.decks,
            "stands_on_soft_17": config.stands_on_soft_17,
            "current_player": self.get_current_player(),
            "current_hand": now.active if now.phase == "playing" else None,
            "dealer": views.dealer(now),
            "players": views.players(now, self._players),
        }

    def get_private_state(self, player_id: str) -> Json:
        """Return an empty state: all cards of the players are public."""
        self._round()
        self._index(player_id)
        return {}

    def get_available_actions(self) -> list[Json]:
        """Return the legal actions of the current player."""
        return views.actions(self._round(), self._config.min_bet, self._config.max_bet)

    def _deck_size(self) -> int:
        return self._config.decks * len(DECK)

    def _deal(self, order: list[int]) -> Round:
        shoe = (place % len(DECK) for place in order)
        return Round(self._config.stacks, shoe, stands_on_soft_17=self._config.stands_on_soft_17)

    def _perform(self, answer: Json) -> list[Json]:
        now = self._round()
        kind = answer["action_type"]
        before = len(now.happened)
        event = {"event": "action", "player_id": self._players[now.actor], "action": kind}
        match kind:
            case "BET":
                event["amount"] = answer["amount"]
                now.bet(answer["amount"])
            case "PASS":
                now.bet(0)
            case "STAND":
                now.stand()
            case "HIT":
                now.hit()
            case "DOUBLE":
                now.double()
            case _:
                now.split()
        events = [event, *views.dealt(now.happened[before:], self._players)]
        if now.phase == "over":
            events.append({"event": "hand_over", "scores": self.get_scores()})
        return events

    def _won(self) -> list[int]:
        return [box.won for box in self._round().boxes]
