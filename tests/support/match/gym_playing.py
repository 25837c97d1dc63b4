"""Plays environments with random legal actions."""

from collections.abc import Iterator
from typing import Any

from casino_games import game_class, game_types
from casino_match import gym

GAMES = [
    (game_type, players)
    for game_type in game_types()
    for players in sorted({game_class(game_type).min_players, game_class(game_type).max_players})
]
"""Every game with the fewest and the most players."""


def play_hand(table: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each deciding agent with its observation, then play a random action for it.

    It ends with the hand, when every agent can be asked for its reward.
    """
    while not table.terminations[table.agent_selection]:
        agent = table.agent_selection
        observation, *_ = table.last()
        yield agent, observation
        table.step(table.action_space(agent).sample(observation["action_mask"]))


def dealt(game_type: str, seed: int = 1, **options: Any) -> Any:
    """Return an environment after its first deal, whose random actions are those of the seed."""
    table = gym.env(game_type, **options)
    table.reset(seed=seed)
    for number, agent in enumerate(table.agents):
        table.action_space(agent).seed(seed + number)
    return table
