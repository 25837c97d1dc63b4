"""The AEC environment: an episode is a hand, and an agent is a player of it."""

import json
from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any

import numpy as np
from casino_games import ArenaConfig, ArenaPlayer, Game, IllegalAction, InvalidConfig
from casino_games.game import Json
from casino_games.hosting.checked_game import hosted_game
from casino_games.offers import match
from casino_games.registry import state_adapter
from casino_games.shuffle import derive_seed
from casino_games.state_adapter import JsonStateAdapter
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from casino_match.gym.encoding import Encoding

__all__ = ["CasinoEnv", "OrderEnforcingWrapper"]

Observation = dict[str, Any]
"""`observation`, an array of float32, and `action_mask`, an array of int8."""


class CasinoEnv(AECEnv):  # type: ignore[misc]  # published without type information
    """A game as PettingZoo's AEC interface; who decides at the same time sees the same state."""

    def __init__(
        self,
        game_type: str,
        players: int,
        config: Mapping[str, Any],
        encoding: Encoding,
        *,
        normalised: bool,
        rotates: bool,
        render_mode: str | None,
        entropy: Callable[[], str] = token_hex,
    ) -> None:
        """Create the game; raises `UnknownGame`, `InvalidConfig`, `GameFault`."""
        super().__init__()
        self.possible_agents = [f"player_{number}" for number in range(players)]
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self.render_mode = render_mode
        self.encoding = encoding
        """The layout of observations and the names of actions."""
        self.metadata = {
            "name": f"{game_type.replace('-', '_')}_v1",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self._game_type = game_type
        self._games = [self._game_from(seat, config) for seat in range(players if rotates else 1)]
        self._game = self._games[0]
        self._scale = encoding.unit if normalised else 1
        self._entropy = entropy
        self._seed: str | None = None
        self._hand = 0
        self._public: Json | None = None
        self._legal: dict[int, Json] | None = None
        self._pending: list[str] = []
        self._answers: list[Json] = []
        actions, most = len(encoding.actions), encoding.most
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(np.zeros_like(most), most, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    @property
    def game(self) -> Game:
        """The game of this hand, which holds every card: never passed to a player."""
        return self._game

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, always the same object."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, always the same object."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a seed's first hand, or the next one; without any seed a random one is taken.

        `options={"seating": k}` moves everybody k seats on for this hand, with the same cards by
        seat: a deck in all seatings. Raises `InvalidConfig` for a seating that there is not.
        """
        seating = (options or {}).get("seating")
        if seating is not None and seating not in range(len(self._games)):
            raise InvalidConfig(f"seating: {seating} is not from 0 to {len(self._games) - 1}")
        if seed is not None or self._seed is None:
            self._seed = self._entropy() if seed is None else str(seed)
            self._hand = 0
        else:
            self._hand += 1
        self.agents = self.possible_agents.copy()
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Json] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._game = self._games[self._hand % len(self._games) if seating is None else seating]
        self._game.reset(derive_seed(self._seed, "gym", self._hand))
        self._go_on()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what a player sees; its mask is 0 everywhere if it does not decide now."""
        mask = np.zeros(len(self.encoding.actions), dtype=np.int8)
        if agent == self.agent_selection:
            mask[list(self._legal_now())] = 1
        private = self._game.get_private_state(agent)
        return {
            "observation": self.encoding.observe(self._public_now(), private, agent),
            "action_mask": mask,
        }

    def step(self, action: int | np.integer[Any] | Json | None) -> None:
        """Play the selected agent's action, None after the end; raises `IllegalAction`.

        An action is a number of the mask, or an answer of the game, whose amount may be any.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        answer: Json | None = None
        if isinstance(action, dict):
            answer = match(action, self._game.get_actions_of(agent))
        elif action is not None:
            answer = self._legal_now().get(int(action))
        if answer is None:
            names = (self.encoding.actions[number] for number in self._legal_now())
            raise IllegalAction(f"{action} is not an action of the mask: {', '.join(names)}")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self._legal = None
        self._answers.append(answer)
        if len(self._answers) < len(self._pending):
            self.agent_selection = self._pending[len(self._answers)]
        else:
            for decision in self._answers:
                if self._game.step(decision)[1]:
                    break
            self._go_on()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the state as the selected agent sees it, None without a render mode."""
        if self.render_mode is None:
            return None
        private = self._game.get_private_state(self.agent_selection)
        adapter = state_adapter(self._game_type)
        if isinstance(adapter, JsonStateAdapter):
            return "\n".join(adapter.describe(self._public_now(), private))
        return json.dumps({"public": self._public_now(), "private": private}, indent=2)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _go_on(self) -> None:
        """Select the next agent, or end the hand: the rewards are what everybody won or lost."""
        self._public = self._legal = None
        self._answers = []
        self._pending = self._game.get_pending_players()
        if self._pending:
            self.agent_selection = self._pending[0]
            return
        scores = self._game.get_scores()
        self.rewards = {agent: scores[agent] / self._scale for agent in self.agents}
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def _public_now(self) -> Json:
        if self._public is None:
            self._public = self._game.get_public_state()
        return self._public

    def _legal_now(self) -> dict[int, Json]:
        if self._legal is None:
            agent = self.agent_selection
            offered = self._game.get_actions_of(agent) if self._pending else []
            self._legal = self.encoding.answers(offered, self._public_now(), agent)
        return self._legal

    def _game_from(self, seat: int, config: Mapping[str, Any]) -> Game:
        """Return a game whose last players sit in front, so many seats on."""
        order = self.possible_agents[-seat:] + self.possible_agents[:-seat]
        players = tuple(map(ArenaPlayer, order if seat else self.possible_agents))
        return hosted_game(
            self._game_type, ArenaConfig(players, game_config=config, game_type=self._game_type)
        )
