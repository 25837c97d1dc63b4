"""Blackjack behind the contract of every game: players and words outside, seats inside."""

from itertools import islice
from typing import ClassVar, cast

from casino_games.bank import BankConfig, BankGame, not_dealt
from casino_games.blackjack import views
from casino_games.blackjack.config import BlackjackConfig
from casino_games.blackjack.round import Round
from casino_games.cards import DECK
from casino_games.chance import Chance
from casino_games.errors import InvalidSnapshot, UnknownPlayer
from casino_games.game import Json

SHOE_TAG = b"a2a-casino/blackjack-shoe/v1"
"""Keeps the stream of shoes apart from every other use of the same seed."""


class BlackjackGame(BankGame):
    """One round of blackjack from a freshly shuffled shoe, for 1 to 7 players."""

    min_players: ClassVar[int] = 1
    max_players: ClassVar[int] = 7
    timeout_action: ClassVar[str] = "STAND"  # before the cards, the first offer: PASS
    config_model: ClassVar[type[BankConfig]] = BlackjackConfig

    @property
    def game_type(self) -> str:
        """The identifier in the registry."""
        return "blackjack"

    def get_current_player(self) -> str:
        """Return the id of the player who bets or plays, ``""`` when the round is over."""
        now = self._now()
        return "" if now.phase == "over" else self._players[now.actor]

    def get_public_state(self) -> Json:
        """Return the table: limits, the dealer's shown cards, every player's bets and hands."""
        now = self._now()
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
        """Return nothing: all cards of the players lie open."""
        if player_id not in self._players:
            raise UnknownPlayer("nobody of this id sits in this game")
        return {}

    def get_available_actions(self) -> list[Json]:
        """Return what the current player may do."""
        return views.actions(self._now(), self._config.min_bet, self._config.max_bet)

    def is_over(self) -> bool:
        """Tell whether every bet has been settled."""
        return self._now().phase == "over"

    @property
    def _config(self) -> BlackjackConfig:
        return cast("BlackjackConfig", self._settings)

    def _now(self) -> Round:
        return self._round if self._chance else not_dealt()

    def _draw(self, seed: str) -> list[int]:
        return Chance(seed, SHOE_TAG).shuffled([*DECK] * self._config.decks)

    def _begin(self, chance: list[int]) -> None:
        if sorted(chance) != sorted([*DECK] * self._config.decks):
            raise InvalidSnapshot(f"chance: no shoe of {self._config.decks} decks")
        self._round = Round(
            self._config.stacks,
            iter(chance),
            stands_on_soft_17=self._config.stands_on_soft_17,
        )

    def _take(self, answer: Json) -> list[Json]:
        now = self._now()
        player_id = self._players[now.actor]
        told = len(now.happened)
        event = {"event": "action", "player_id": player_id, "action": answer["action_type"]}
        match answer["action_type"]:
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
        return [event, *views.dealt(islice(now.happened, told, None), self._players)]

    def _won(self) -> list[int]:
        return [box.won for box in self._now().boxes]
