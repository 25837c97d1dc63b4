"""The rules."""

import random

from core import Game


class MyGame(Game):
    """Everybody has secret cards, and plays one a trick; the highest wins a point.

    Of equal cards the first one wins. Most points at the end win the game.
    """

    def __init__(self, players, seed, config):
        self.players = players
        self.config = config
        self.reset(seed)

    @property
    def game_type(self):
        return "my_game"

    def reset(self, seed):
        """Deal; all chance comes from the seed."""
        chance = random.Random(seed)
        self.hands = {
            player: sorted(
                chance.randint(1, self.config.highest_card) for _ in range(self.config.hand_size)
            )
            for player in self.players
        }
        self.scores = dict.fromkeys(self.players, 0)
        self.trick = []
        self.history = []

    def get_players(self):
        return list(self.players)

    def get_current_player(self):
        return "" if self.is_over() else self.players[len(self.trick)]

    def get_current_role(self):
        return "player"

    def get_public_state(self):
        return {
            "players": self.players,
            "scores": self.scores,
            "trick": self.trick,
            "history": self.history,
        }

    def get_private_state(self, player_id):
        return {"player_id": player_id, "hand": self.hands[player_id]}

    def get_available_actions(self):
        hand = [] if self.is_over() else self.hands[self.get_current_player()]
        return [{"action_type": "PLAY_CARD", "card": card} for card in sorted(set(hand))]

    def step(self, action):
        if action not in self.get_available_actions():
            raise ValueError(f"not a legal action: {action}")
        player = self.get_current_player()
        self.hands[player].remove(action["card"])
        self.trick.append({"player": player, "card": action["card"]})
        if len(self.trick) == len(self.players):
            best = max(self.trick, key=lambda played: played["card"])
            self.scores[best["player"]] += 1
            self.history.append(self.trick)
            self.trick = []
        return {"played": action["card"]}, self.is_over()

    def is_over(self):
        return not self.trick and not any(self.hands.values())

    def get_winner(self):
        most = max(self.scores.values())
        best = [player for player in self.players if self.scores[player] == most]
        return best[0] if self.is_over() and len(best) == 1 else None

    def get_scores(self):
        return dict(self.scores)
