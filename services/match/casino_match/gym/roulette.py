"""Roulette in numbers: the own bet, and the pocket when the ball has fallen. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from casino_games.game import Json
from casino_games.roulette import RouletteConfig
from casino_games.roulette.wheel import COVERED, PAYS, POCKETS

from casino_match.gym import bank
from casino_match.gym.encoding import Encoding, Part, Values, clockwise, flag

BETS: Final = tuple(COVERED)
_PASS = 0


class RouletteEncoding(Encoding):
    """Chips are divided by the largest stack at the start; players are clockwise from oneself."""

    def __init__(self, config: RouletteConfig, bet_parts: Sequence[float] = bank.BET_PARTS) -> None:
        players = len(config.stacks)
        self._scale = max(config.stacks)
        self._bet_parts = tuple(bet_parts)
        self.unit = config.min_bet
        self.actions = (
            "pass",
            *(name for bet in BETS for name in bank.names(bet, self._bet_parts)),
        )
        chips = 1.0 + max(PAYS.values())
        self.parts = (
            Part("stack", players, "chips before the spin, after it those left, by player", chips),
            Part("over", 1, "1 when the ball has fallen"),
            Part("bet", len(BETS), f"1 at the own bet: {', '.join(BETS[:12])}, straight-0 … 36"),
            Part("amount", 1, "chips of the own bet"),
            Part("pocket", len(POCKETS), "1 where the ball fell, zeros before"),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        """Return the numbers of each part, as the player sees the table."""
        players = clockwise(public["players"], player_id)
        bet = private["bet"] or {"bet": None, "amount": 0}
        return {
            "stack": [player["stack"] / self._scale for player in players],
            "over": [float(public["phase"] == "over")],
            "bet": flag(len(BETS), None if bet["bet"] is None else BETS.index(bet["bet"])),
            "amount": [bet["amount"] / self._scale],
            "pocket": flag(len(POCKETS), public["pocket"]),
        }

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        """Return the legal bets, each with the amounts of the grid."""
        del public, player_id
        legal: dict[int, Json] = {}
        for offer in offered:
            if offer["action_type"] == "PASS":
                legal[_PASS] = {"action_type": "PASS"}
                continue
            start = _PASS + 1 + BETS.index(offer["bet"]) * len(self._bet_parts)
            for index, amount in bank.amounts(offer, self._bet_parts):
                answer = {"action_type": "PLACE_BET", "bet": offer["bet"], "amount": amount}
                legal[start + index] = answer
        return legal
