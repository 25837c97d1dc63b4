"""Seeds, seats, rewards, views and errors of an environment."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from casino_agentkit.installation import installation_hint
from casino_games import IllegalAction, InvalidConfig, game_class, game_types
from casino_match import gym
from pettingzoo.test import api_test, seed_test

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


@pytest.mark.parametrize(("game_type", "players"), GAMES)
class TestEveryGame:
    """With the fewest and the most players."""

    # PettingZoo names the games whose observation may be a dictionary with a mask, and when a hand
    # is over no action is legal: its own card games are spared the same warnings.
    @pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
    @pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
    @pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
    def test_pettingzoo_s_own_tests_pass(self, game_type: str, players: int) -> None:
        api_test(gym.env(game_type, players=players), num_cycles=200)
        seed_test(lambda: gym.env(game_type, players=players), num_cycles=200)

    def test_every_number_is_in_its_range_and_every_action_of_a_mask_is_legal(
        self, game_type: str, players: int
    ) -> None:
        """In 25 hands, also for agents that wait and when a hand is over."""
        table = dealt(game_type, players=players)
        for _ in range(25):
            for agent, observation in play_hand(table):
                assert table.observation_space(agent).contains(observation)
                assert observation["action_mask"].any()
            for agent in table.agents:
                assert table.observation_space(agent).contains(table.observe(agent))
            table.reset()

    def test_an_observation_is_made_of_what_the_player_may_see(
        self, game_type: str, players: int
    ) -> None:
        """It follows from the public state and the player's own private state."""
        table = dealt(game_type, players=players)
        encoding, game = table.unwrapped.encoding, table.unwrapped._game
        for _ in play_hand(table):
            public = game.get_public_state()
            for agent in table.agents:
                seen = encoding.observe(public, game.get_private_state(agent), agent)
                assert (seen == table.observe(agent)["observation"]).all()

    def test_rewards_are_the_scores_of_the_hand(self, game_type: str, players: int) -> None:
        """They are 0 before the end; normalised they are in units."""
        table = dealt(game_type, players=players)
        unit = table.unwrapped.encoding.unit
        same = dealt(game_type, players=players, normalised=True)
        for _ in play_hand(table):
            assert not any(table.rewards.values())
        assert len(list(play_hand(same))) > 0
        scores = table.unwrapped._game.get_scores()
        assert table.rewards == {agent: scores[agent] for agent in table.agents}
        assert same.rewards == {agent: scores[agent] / unit for agent in table.agents}

    def test_the_view_is_a_text(self, game_type: str, players: int) -> None:
        table = dealt(game_type, players=players, render_mode="ansi")
        views = {table.render() for _ in play_hand(table)}
        assert all(views)
        assert isinstance(table.render(), str)


def cards(table: Any, agent: str) -> bytes:
    """Return the numbers of an agent's hole cards."""
    observation = table.observe(agent)["observation"]
    hole: np.ndarray[Any, Any] = observation[table.unwrapped.encoding.place("hole")]
    return hole.tobytes()


def test_a_seed_is_a_series_of_hands() -> None:
    table, other = dealt("texas-holdem", 7), dealt("texas-holdem", 7)
    hands = []
    for _ in range(5):
        assert cards(table, "player_0") == cards(other, "player_0")
        hands.append(cards(table, "player_0"))
        table.reset()
        other.reset()
    assert len(set(hands)) == 5
    table.reset(seed=7)
    assert cards(table, "player_0") == hands[0]
    table.reset(seed=8)
    assert cards(table, "player_0") != hands[0]


def test_without_a_seed_every_environment_deals_its_own_cards() -> None:
    hands = []
    for table in (gym.env("texas-holdem", players=10) for _ in range(2)):
        table.reset()
        hands.append([cards(table, agent) for agent in table.agents])
    assert hands[0] != hands[1]


@pytest.mark.parametrize(
    ("rotates", "first"),
    [
        (True, ["player_0", "player_2", "player_1", "player_0"]),
        (False, ["player_0"] * 4),
    ],
)
def test_seats_rotate_from_hand_to_hand(*, rotates: bool, first: list[str]) -> None:
    table = dealt("simple_card", players=3, rotates=rotates)
    leaders = [table.agent_selection]
    for _ in range(3):
        table.reset()
        leaders.append(table.agent_selection)
    assert leaders == first


def test_players_that_decide_at_once_do_not_see_each_other_decide() -> None:
    """Each of them sees the table as it was before all."""
    table = dealt("roulette", players=3)
    before = {agent: table.observe(agent)["observation"] for agent in table.agents}
    asked = []
    for agent, observation in play_hand(table):
        asked.append(agent)
        assert (observation["observation"] == before[agent]).all()
    assert asked == ["player_0", "player_1", "player_2"]
    pocket = table.unwrapped.encoding.place("pocket")
    assert table.observe("player_0")["observation"][pocket].sum() == 1


@pytest.mark.parametrize("action", [2, 99, None])
def test_an_action_outside_the_mask_changes_nothing(action: int | None) -> None:
    """`call` is no answer to nothing, and None is for the end of a hand."""
    table = dealt("kuhn_poker")
    before = table.observe("player_0")
    with pytest.raises(IllegalAction, match="is not an action of the mask: check, bet"):
        table.step(action)
    assert table.agent_selection == "player_0"
    assert (table.observe("player_0")["observation"] == before["observation"]).all()


def test_a_hand_without_a_decision_is_over_after_the_deal() -> None:
    table = dealt("texas-holdem", config={"stacks": [40, 40]})
    assert all(table.terminations.values())
    assert sorted(table.rewards.values()) in ([-40, 40], [0, 0])
    won = dict(table.rewards)
    for agent in table.agent_iter():
        observation, reward, *_ = table.last()
        assert reward == won[agent]
        assert not observation["action_mask"].any()
        table.step(None)
    assert not table.agents


@pytest.mark.parametrize(
    ("game_type", "options", "message"),
    [
        ("texas-holdem", {"players": 11}, "players"),
        ("texas-holdem", {"config": {"big_blind": 0}}, "big_blind"),
        ("texas-holdem", {"sizes": []}, "sizes"),
        ("texas-holdem", {"sizes": [-1]}, "sizes"),
        ("kuhn_poker", {"sizes": [1]}, "sizes: kuhn_poker has no bets of a free size"),
        ("kuhn_poker", {"render_mode": "human"}, 'render_mode: "ansi" or None'),
    ],
)
def test_settings_that_cannot_be_are_refused(
    game_type: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        gym.env(game_type, **options)


def test_a_seating_is_chosen_and_an_answer_of_the_game_may_have_any_amount() -> None:
    """The seating that there is not, and the amount that is not offered, change nothing."""
    table = gym.env("texas-holdem", players=3)
    table.reset(seed=4, options={"seating": 2})
    assert table.agent_selection == "player_1"  # who is on the button decides first of three
    with pytest.raises(InvalidConfig, match="seating: 3 is not from 0 to 2"):
        table.reset(seed=5, options={"seating": 3})
    with pytest.raises(IllegalAction, match="an amount, a whole number from 200"):
        table.step({"action_type": "raise", "amount": 199})
    table.step({"action_type": "raise", "amount": 233})
    assert table.unwrapped.game.get_public_state()["current_bet"] == 233


@pytest.mark.full
def test_without_the_extra_it_says_how_to_install_it() -> None:
    """Encodings work without it, and importing the package imports none of it."""
    program = (
        "import sys; sys.modules['pettingzoo'] = None\n"
        "from casino_match import gym\n"
        "assert gym.encoding_of('kuhn_poker').actions[0] == 'check'\n"
        "assert 'gymnasium' not in sys.modules\n"
        "gym.env('kuhn_poker')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    hint = f"ImportError: pettingzoo is not installed: {installation_hint('gym')}"
    assert done.stderr.splitlines()[-1] == hint
