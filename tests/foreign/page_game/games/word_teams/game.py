"""A spymaster of each team gives a number, the operative of the team points at words."""

import random
from typing import Any

import core
from games.word_teams import words


class TeamGame(core.Game):
    """What a game of teams has."""

    def get_teams(self):
        return {team: list(seats.values()) for team, seats in self.seats.items()}


class WordTeamsGame(TeamGame):
    game_type = "word_teams"

    def __init__(self, seats, seed, config):
        super().__init__()
        if sorted(map(len, seats.values())) != [2, 2]:
            raise ValueError("Word teams needs two teams with a spymaster and an operative each")
        self.seats, self.seed, self.config = seats, seed, config
        self.reset(seed)

    def reset(self, seed: Any = None):
        rng = random.Random(self.seed if seed is None else seed)
        count = self.config.board.words
        self.board = rng.sample(words.WORDS, count)
        self.owners = {word: rng.choice([*self.seats, "nobody"]) for word in self.board}
        self.found = {team: 0 for team in self.seats}
        self.shown = {}
        self.turn = 0
        self.clue = None

    def _team(self):
        return list(self.seats)[self.turn // 2 % 2]

    def get_current_role(self):
        return "" if self.is_over() else ("spymaster", "operative")[self.turn % 2]

    def get_current_player(self):
        return "" if self.is_over() else self.seats[self._team()][self.get_current_role()]

    def get_players(self):
        return [p for seats in self.seats.values() for p in seats.values()]

    def get_public_state(self):
        return {"board": self.board, "shown": self.shown, "clue": self.clue,
                "scores": self.get_scores(), "turn": self.turn}

    def get_private_state(self, player_id):
        for seats in self.seats.values():
            if seats["spymaster"] == player_id:
                return {"owners": self.owners}
        return {}

    def get_available_actions(self):
        if self.is_over():
            return []
        if self.get_current_role() == "spymaster":
            return [{"action_type": "GIVE_CLUE", "amount": number} for number in (1, 2, 3)]
        hidden = [word for word in self.board if word not in self.shown]
        return [{"action_type": "GUESS", "word": word} for word in hidden] + [{"action_type": "PASS"}]

    def step(self, action):
        if action not in self.get_available_actions():
            raise ValueError("illegal")
        info = {"events": "are not the casino's", "owners": self.owners}
        if action["action_type"] == "GIVE_CLUE":
            self.clue = action["amount"]
        elif action["action_type"] == "GUESS":
            owner = self.owners[action["word"]]
            self.shown[action["word"]] = owner
            if owner in self.found:
                self.found[owner] += 1
        self.turn += 1
        return info, self.is_over()

    def is_over(self):
        return self.turn >= 4 * self.config.rounds or len(self.shown) == len(self.board)

    def get_winner(self):
        red, blue = self.seats
        if not self.is_over() or self.found[red] == self.found[blue]:
            return None
        return max(self.found, key=self.found.get)

    def get_scores(self):
        return {"teams": {team: {"score": self.found[team], "of": len(self.board)} for team in self.seats},
                "turns": self.turn}
