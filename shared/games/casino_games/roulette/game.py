"""Roulette behind the contract of every game: a window of bets, then the spin."""

from typing import ClassVar

from casino_games.bank import BankConfig, BankGame, not_dealt
from casino_games.chance import Chance
from casino_games.errors import InvalidSnapshot, UnknownPlayer
from casino_games.game import GameModel, Json
from casino_games.roulette.config import RouletteConfig
from casino_games.roulette.wheel import COVERED, POCKETS, color, won_by

SPIN_TAG = b"a2a-casino/roulette-spin/v1"
"""Keeps the stream of spins apart from every other use of the same seed."""


class RouletteGame(BankGame):
    """One spin for 1 to 10 players, each with one bet or none.

    Nobody sees another's bet before the ball falls, so nobody gains by answering late.
    """

    min_players: ClassVar[int] = 1
    max_players: ClassVar[int] = 10
    game_model: ClassVar[GameModel] = "phase_based"
    timeout_action: ClassVar[str] = "PASS"
    config_model: ClassVar[type[BankConfig]] = RouletteConfig

    @property
    def game_type(self) -> str:
        """The identifier in the registry."""
        return "roulette"

    def get_current_player(self) -> str:
        """Return the first player who has not decided, ``""`` when the ball has fallen."""
        decided = self._decided()
        return "" if decided == len(self._players) else self._players[decided]

    def get_pending_players(self) -> list[str]:
        """Return everybody who has not decided, in seat order: they are asked at once."""
        return self._players[self._decided() :]

    def get_actions_of(self, player_id: str) -> list[Json]:
        """Return every bet that a player who has not decided can pay, and ``PASS``."""
        if player_id not in self.get_pending_players():
            return []
        stack = self._settings.stacks[self._players.index(player_id)]
        limits = {"min": self._settings.min_bet, "max": min(self._settings.max_bet, stack)}
        bets = ({"action_type": "PLACE_BET", "bet": bet} | limits for bet in COVERED)
        return [{"action_type": "PASS"}, *bets]

    def get_available_actions(self) -> list[Json]:
        """Return what the first player who has not decided may do."""
        return self.get_actions_of(self.get_current_player())

    def get_public_state(self) -> Json:
        """Return the table; the bets and the pocket are there when the ball has fallen."""
        over = self.is_over()
        pocket = self._chance[0]
        won = self._won()
        return {
            "game_type": self.game_type,
            "phase": "over" if over else "betting",
            "min_bet": self._settings.min_bet,
            "max_bet": self._settings.max_bet,
            "pocket": pocket if over else None,
            "color": color(pocket) if over else None,
            "players": [
                {
                    "player_id": player_id,
                    "stack": self._settings.stacks[seat] + won[seat],
                    "has_decided": seat < self._decided(),
                    "bet": self._bet(seat) if over else None,
                    "won": won[seat] if over else None,
                }
                for seat, player_id in enumerate(self._players)
            ],
        }

    def get_private_state(self, player_id: str) -> Json:
        """Return the player's own bet, which the others do not see yet."""
        self._decided()
        if player_id not in self._players:
            raise UnknownPlayer("nobody of this id sits in this game")
        return {"bet": self._bet(self._players.index(player_id))}

    def is_over(self) -> bool:
        """Tell whether everybody has decided, which spins the wheel."""
        return self._decided() == len(self._players)

    def _decided(self) -> int:
        """Return how many have decided; they do it in seat order."""
        return len(self._bets) if self._chance else not_dealt()

    def _bet(self, seat: int) -> Json | None:
        bet = self._bets[seat] if seat < len(self._bets) else None
        return None if bet is None else {"bet": bet[0], "amount": bet[1]}

    def _draw(self, seed: str) -> list[int]:
        return [Chance(seed, SPIN_TAG).below(len(POCKETS))]

    def _begin(self, chance: list[int]) -> None:
        if len(chance) != 1 or chance[0] not in POCKETS:
            raise InvalidSnapshot("chance: one pocket, 0 to 36")
        self._bets: list[tuple[str, int] | None] = []

    def _take(self, answer: Json) -> list[Json]:
        player_id = self.get_current_player()
        is_bet = answer["action_type"] == "PLACE_BET"
        self._bets.append((answer["bet"], answer["amount"]) if is_bet else None)
        happened: list[Json] = [{"event": "decided", "player_id": player_id}]
        if self.is_over():
            pocket = self._chance[0]
            happened.append({"event": "ball_fell", "pocket": pocket, "color": color(pocket)})
            happened += [
                {"event": "bet_settled", "player_id": self._players[seat], "bet": bet[0]}
                | {"amount": bet[1], "won": won_by(*bet, pocket)}
                for seat, bet in enumerate(self._bets)
                if bet
            ]
        return happened

    def _won(self) -> list[int]:
        if not self.is_over():
            return [0] * len(self._players)
        pocket = self._chance[0]
        return [won_by(*bet, pocket) if bet else 0 for bet in self._bets]
