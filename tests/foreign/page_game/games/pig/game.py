"""Pig, the dice game.

On a turn the player rolls one or two dice as often as they like, adding to
the turn total, or holds, which banks the turn total and passes the turn.

* Any 1 ends the turn and loses the turn total.
* Double 1 (two dice) also loses all banked points.
* Every player has a secret bonus (1..5), drawn at reset, that counts toward
  the target and is revealed and added to the score when the game is over.
* The first player to hold with banked points + bonus >= target wins.
"""

import random

MIN_BONUS = 1
MAX_BONUS = 5  # below the smallest target, so nobody starts the game as winner
PUBLIC_HISTORY = 20


class PigGame:
    def __init__(self, players, seed=None, target=50):
        players = list(players)
        if len(players) < 2:
            raise ValueError("Pig needs at least two players")
        if len(set(players)) != len(players):
            raise ValueError("player ids must be unique")
        self._players = players
        self._target = target
        self._seed = seed
        self.reset(seed)

    # -- required methods ---------------------------------------------------

    @property
    def game_type(self):
        return "pig"

    def reset(self, seed=None):
        if seed is None:
            seed = self._seed
        self._seed = seed
        self._rng = random.Random(seed)
        self._bonus = {p: self._rng.randint(MIN_BONUS, MAX_BONUS) for p in self._players}
        self._banked = {p: 0 for p in self._players}
        self._current = 0
        self._turn_number = 1
        self._turn_total = 0
        self._winner = None
        self._over = False
        self._history = []

    def get_current_player(self):
        return "" if self._over else self._players[self._current]

    def get_current_role(self):
        return "player"

    def get_public_state(self):
        state = {
            "game_type": self.game_type,
            "players": list(self._players),
            "target": self._target,
            "current_player": self.get_current_player(),
            "turn_number": self._turn_number,
            "turn_total": self._turn_total,
            "banked": dict(self._banked),
            "scores": self.get_scores(),
            "history": [_copy_event(e) for e in self._history[-PUBLIC_HISTORY:]],
            "is_over": self._over,
        }
        if self._over:
            state["winner"] = self._winner
            state["revealed_bonus"] = dict(self._bonus)
        return state

    def get_private_state(self, player_id):
        if player_id not in self._bonus:
            return {}
        bonus = self._bonus[player_id]
        return {
            "player_id": player_id,
            "secret_bonus": bonus,
            "points_needed": max(0, self._target - self._banked[player_id] - bonus),
        }

    def get_available_actions(self):
        if self._over:
            return []
        actions = [
            {"action_type": "ROLL", "dice": 1},
            {"action_type": "ROLL", "dice": 2},
        ]
        if self._turn_total > 0:
            actions.append({"action_type": "HOLD"})
        return actions

    def step(self, action):
        if self._over:
            raise ValueError("the game is over")
        if (
            not isinstance(action, dict)
            or type(action.get("dice", 1)) is not int  # True == 1 == 1.0
            or action not in self.get_available_actions()
        ):
            raise ValueError(f"illegal action: {action!r}")
        if action["action_type"] == "HOLD":
            event = self._hold()
        else:
            event = self._roll(action["dice"])
        self._history.append(event)
        info = _copy_event(event)
        if self._over:
            info["winner"] = self._winner
            info["final_scores"] = self.get_scores()
        return info, self._over

    def is_over(self):
        return self._over

    def get_winner(self):
        return self._winner

    def get_scores(self):
        if self._over:
            return {p: self._banked[p] + self._bonus[p] for p in self._players}
        return dict(self._banked)

    # -- rules --------------------------------------------------------------

    def _roll(self, dice):
        player = self._players[self._current]
        rolled = [self._rng.randint(1, 6) for _ in range(dice)]
        event = {"player": player, "turn": self._turn_number, "action_type": "ROLL",
                 "dice": dice, "rolled": rolled}
        if 1 not in rolled:
            self._turn_total += sum(rolled)
            event.update(outcome="added", turn_total=self._turn_total)
            return event
        event.update(outcome="bust", turn_total=0, lost=self._turn_total)
        if rolled == [1, 1]:
            event.update(outcome="double_one", lost_banked=self._banked[player])
            self._banked[player] = 0
        self._next_turn()
        return event

    def _hold(self):
        player = self._players[self._current]
        gained = self._turn_total
        self._banked[player] += gained
        event = {"player": player, "turn": self._turn_number, "action_type": "HOLD",
                 "outcome": "banked", "gained": gained, "banked": self._banked[player]}
        if self._banked[player] + self._bonus[player] >= self._target:
            self._turn_total = 0
            self._winner = player
            self._over = True
        else:
            self._next_turn()
        return event

    def _next_turn(self):
        self._turn_total = 0
        self._turn_number += 1
        self._current = (self._current + 1) % len(self._players)


def _copy_event(event):
    return {k: list(v) if isinstance(v, list) else v for k, v in event.items()}
