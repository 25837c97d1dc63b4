"""Simple card in numbers: the own hand, the trick and the cards that were played. Pure."""

from collections.abc import Mapping, Sequence

from casino_games.game import Json
from casino_games.simple_card import SimpleCardConfig

from casino_match.gym.encoding import Encoding, Part, Values, clockwise, flag


class SimpleCardEncoding(Encoding):
    """Players are clockwise from oneself; an action is the number of a card, less 1."""

    def __init__(self, config: SimpleCardConfig) -> None:
        players, cards = len(config.stacks), config.max_card_value
        self._players = players
        self._cards = cards
        self._tricks = config.cards_per_player
        self.unit = config.stake
        self.actions = tuple(f"play-{card}" for card in range(1, cards + 1))
        self.parts = (
            Part("hand", cards, "how many of each card from 1 up are in the own hand", players),
            Part("on_table", players * cards, "1 at the card of this trick, by player"),
            Part(
                "played",
                players * cards,
                "how many of each card were played in tricks that are over, by player",
                players,
            ),
            Part("points", players, "points / tricks, by player"),
            Part("cards_left", players, "cards left / tricks, by player"),
            Part("to_act", players, "1 at the player that decides"),
        )

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Values]:
        """Return the numbers of each part, as the player sees the game."""
        players = clockwise(public["players"], player_id)
        ids = [player["player_id"] for player in players]
        acting = public["current_player"]
        return {
            "hand": self._counts(private["hand"]),
            "on_table": self._by_player(ids, public["on_table"]),
            "played": self._by_player(
                ids, [play for trick in public["tricks"] for play in trick["cards"]]
            ),
            "points": [player["points"] / self._tricks for player in players],
            "cards_left": [player["cards_left"] / self._tricks for player in players],
            "to_act": flag(self._players, ids.index(acting) if acting else None),
        }

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        """Return the cards that may be played."""
        del public, player_id
        return {offer["card"] - 1: offer for offer in offered}

    def _by_player(self, ids: Sequence[str], plays: Sequence[Json]) -> list[float]:
        return [
            count
            for player_id in ids
            for count in self._counts(
                [play["card"] for play in plays if play["player_id"] == player_id]
            )
        ]

    def _counts(self, cards: Sequence[int]) -> list[float]:
        return [float(cards.count(card)) for card in range(1, self._cards + 1)]
