"""Prompts of a round of blackjack."""

from collections.abc import Sequence
from typing import ClassVar

from casino_games.game import Json
from casino_games.state_adapter import JsonStateAdapter


class BlackjackStateAdapter(JsonStateAdapter):
    """Describes the dealer's shown cards and all hands and bets."""

    name: ClassVar[str] = "blackjack"
    rules: ClassVar[str] = (
        "You play against the dealer: the higher total wins, more than 21 loses. "
        "A natural pays 3:2. The dealer draws to 17."
    )
    action_types: ClassVar[tuple[str, ...]] = ("PASS", "BET", "STAND", "HIT", "DOUBLE", "SPLIT")
    parameters: ClassVar[Json] = {"amount": {"type": "integer", "minimum": 1}}

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        del private_state  # all cards of the players are public
        dealer = public_state["dealer"]
        soft = "stands on" if public_state["stands_on_soft_17"] else "hits"
        return [
            f"Phase: {public_state['phase']}",
            f"Bets: {public_state['min_bet']} to {public_state['max_bet']}",
            f"Shoe: {public_state['decks']} decks; the dealer {soft} a soft 17",
            f"Dealer: {' '.join(dealer['cards']) or 'no cards yet'}"
            + (", one card face down" if dealer["hidden"] else ""),
            f"You are: {public_state['current_player'] or 'waiting'}",
            "Players:",
            *(line for player in public_state["players"] for line in _player(player)),
        ]


def _player(player: Json) -> list[str]:
    hands = [
        "  hand {number}: {cards} ({soft}{total}), bet {bet}, {status}".format(
            number=number,
            cards=" ".join(hand["cards"]),
            soft="soft " if hand["is_soft"] else "",
            total=hand["total"],
            bet=hand["bet"],
            status=hand["status"],
        )
        for number, hand in enumerate(player["hands"], 1)
    ]
    return ["- {player_id}: stack {stack}, {status}".format(**player), *hands]
