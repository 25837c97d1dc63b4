"""PettingZoo's own tests pass; the three warnings are those that its own card games are spared."""

import pytest
from casino_match import gym
from pettingzoo.test import api_test, seed_test
from support.match.gym_playing import GAMES

pytestmark = [
    # It names the games whose observation may be a dictionary with a mask.
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    # When a hand is over no action is legal.
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]


@pytest.mark.parametrize(("game_type", "players"), GAMES)
def test_api(game_type: str, players: int) -> None:
    """The interface, spaces, rewards and the removal of agents."""
    api_test(gym.env(game_type, players=players), num_cycles=200)


@pytest.mark.parametrize(("game_type", "players"), GAMES)
def test_seeds(game_type: str, players: int) -> None:
    """Two environments with a seed are equal in everything."""
    seed_test(lambda: gym.env(game_type, players=players), num_cycles=200)
