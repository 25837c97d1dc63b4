"""Roulette as a `Game`: the European wheel with its bets, concurrent bets, then the spin."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from casino_games.game import GameConfig, GameModel, Json
from casino_games.replayed import BankGame
from casino_games.roulette.config import RouletteConfig

Pocket: TypeAlias = int
"""0..36; 0 is green."""

POCKETS = range(37)
_REDS = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})
_NUMBERS = range(1, 37)


def _covered() -> dict[str, frozenset[Pocket]]:
    """Return the pockets that each bet wins on, in the order in which bets are offered."""
    bets = {
        "red": _REDS,
        "black": frozenset(_NUMBERS) - _REDS,
        "odd": frozenset(range(1, 37, 2)),
        "even": frozenset(range(2, 37, 2)),
        "low": frozenset(range(1, 19)),
        "high": frozenset(range(19, 37)),
    }
    for third in range(3):
        bets[f"dozen-{third + 1}"] = frozenset(range(12 * third + 1, 12 * third + 13))
    for third in range(3):
        bets[f"column-{third + 1}"] = frozenset(range(third + 1, 37, 3))
    return bets | {f"straight-{pocket}": frozenset({pocket}) for pocket in POCKETS}


COVERED = _covered()
PAYS = {bet: len(_NUMBERS) // len(pockets) - 1 for bet, pockets in COVERED.items()}
"""Payout of a winning bet per chip, without the bet itself: fair odds without the zero."""


def color(pocket: Pocket) -> str:
    """Return `green` for the zero, else `red` or `black`."""
    if pocket == 0:
        return "green"
    return "red" if pocket in _REDS else "black"


def won_by(bet: str, amount: int, pocket: Pocket) -> int:
    """Return the chips that a bet wins or, negative, loses with `pocket`."""
    return amount * PAYS[bet] if pocket in COVERED[bet] else -amount


@dataclass(slots=True)
class Spin:
    """The pocket, and the bets so far in seat order; None is a pass."""

    pocket: int = field(repr=False)
    bets: list[tuple[str, int] | None] = field(default_factory=list)


class RouletteGame(BankGame[RouletteConfig, Spin]):
    """One spin for 1 to 10 players, each with one bet or none.

    Bets are hidden before the spin, so that answering late is no advantage.
    The pocket is the first of the order.
    """

    game_type = "roulette"
    min_players: ClassVar[int] = 1
    max_players: ClassVar[int] = 10
    game_model: ClassVar[GameModel] = "phase_based"
    timeout_action: ClassVar[str] = "PASS"
    config_model: ClassVar[type[GameConfig]] = RouletteConfig

    @classmethod
    def deck_plan(cls, game_config: Mapping[str, Any], seats: int) -> tuple[int, tuple[int, ...]]:
        del seats
        cls.config_model.checked(game_config)
        return len(POCKETS), ()

    def get_current_player(self) -> str:
        return next(iter(self.get_pending_players()), "")

    def get_pending_players(self) -> list[str]:
        return self._players[len(self._round().bets) :]

    def get_actions_of(self, player_id: str) -> list[Json]:
        if player_id not in self.get_pending_players():
            return []
        stack = self._config.stacks[self._players.index(player_id)]
        limits = {"min": self._config.min_bet, "max": min(self._config.max_bet, stack)}
        bets = ({"action_type": "PLACE_BET", "bet": bet} | limits for bet in COVERED)
        return [{"action_type": "PASS"}, *bets]

    def get_available_actions(self) -> list[Json]:
        return self.get_actions_of(self.get_current_player())

    def get_public_state(self) -> Json:
        """Return the public state; bets and pocket are included after the spin."""
        spin, over, won = self._round(), self.is_over(), self._won()
        return {
            "game_type": self.game_type,
            "phase": "over" if over else "betting",
            "min_bet": self._config.min_bet,
            "max_bet": self._config.max_bet,
            "pocket": spin.pocket if over else None,
            "color": color(spin.pocket) if over else None,
            "players": [
                {
                    "player_id": player_id,
                    "stack": self._config.stacks[seat] + won[seat],
                    "has_decided": seat < len(spin.bets),
                    "bet": self._bet(seat) if over else None,
                    "won": won[seat] if over else None,
                }
                for seat, player_id in enumerate(self._players)
            ],
        }

    def get_public_words(self) -> list[str]:
        spin = self._round()
        if self.is_over():
            return [f"The ball falls on {spin.pocket}, {color(spin.pocket)}."]
        limits = f"{self._config.min_bet} to {self._config.max_bet}"
        decided = f"{len(spin.bets)} of {len(self._players)} have decided"
        return [f"Bets of {limits} are placed: {decided}."]

    def get_private_state(self, player_id: str) -> Json:
        self._round()
        return {"bet": self._bet(self._index(player_id))}

    def _deck_size(self) -> int:
        return len(POCKETS)

    def _deal(self, order: list[int]) -> Spin:
        return Spin(order[0])

    def _perform(self, answer: Json) -> list[Json]:
        spin = self._round()
        player_id = self.get_current_player()
        is_bet = answer["action_type"] == "PLACE_BET"
        spin.bets.append((answer["bet"], answer["amount"]) if is_bet else None)
        events: list[Json] = [{"event": "decided", "player_id": player_id}]
        if self.is_over():
            pocket = spin.pocket
            events.append({"event": "ball_fell", "pocket": pocket, "color": color(pocket)})
            events += [
                {"event": "bet_settled", "player_id": self._players[seat], "bet": bet[0]}
                | {"amount": bet[1], "won": won_by(*bet, pocket)}
                for seat, bet in enumerate(spin.bets)
                if bet
            ]
            events.append({"event": "hand_over", "scores": self.get_scores()})
        return events

    def _won(self) -> list[int]:
        spin = self._round()
        if not self.is_over():
            return [0] * len(self._players)
        return [won_by(*bet, spin.pocket) if bet else 0 for bet in spin.bets]

    def _bet(self, seat: int) -> Json | None:
        bets = self._round().bets
        bet = bets[seat] if seat < len(bets) else None
        return None if bet is None else {"bet": bet[0], "amount": bet[1]}
