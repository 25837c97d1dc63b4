"""A registered game of others needs an encoding of its own, and is hosted as tables host it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from casino_games import GAME_REGISTRY, UnknownGame
from casino_games.hosting.checked_game import CheckedGame
from casino_match import gym
from games import installed_game
from games.playing import EXAMPLE, forget_example, register_example

Json = dict[str, Any]


class SealedBids(gym.Encoding):
    """The own card, and all bids when they are shown; a bid is its number."""

    parts = (
        gym.Part("card", 1, "the own card / 10"),
        gym.Part("bids", 3, "all bids / 10, when everybody has bid"),
    )
    actions = tuple(f"bid-{amount}" for amount in range(11))

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Sequence[float]]:
        del player_id
        bids = [entry["bid"] / 10 for entry in public["shown"]]
        return {"card": [private["card"] / 10], "bids": bids or [0.0] * 3}

    def answers(self, offered: Sequence[Json], public: Json, player_id: str) -> dict[int, Json]:
        del public, player_id
        if not offered:
            return {}
        amounts = range(offered[1]["min"], offered[1]["max"] + 1)
        bids = {amount: {"action_type": "BID", "amount": amount} for amount in amounts}
        return {0: {"action_type": "PASS"}, **bids}


class TooFewNumbers(SealedBids):
    """It forgets that nobody has bid yet."""

    def encode(self, public: Json, private: Json, player_id: str) -> Mapping[str, Sequence[float]]:
        del public, private, player_id
        return {"card": [0.0], "bids": []}


class AdapterOfOthers:
    """It has the document's methods and no base class."""


@pytest.fixture(autouse=True)
def example() -> Iterator[None]:
    """Register the example of docs/games.md for a test."""
    register_example()
    yield
    forget_example()


def test_it_is_refused_without_an_encoding() -> None:
    with pytest.raises(UnknownGame, match=r"sealed_bid is a game of others: pass encoding="):
        gym.env(EXAMPLE)
    with pytest.raises(UnknownGame, match="no game is called 'chess'; the known ones are"):
        gym.env("chess")


def test_it_is_played_with_an_encoding_and_bids_are_secret() -> None:
    table = gym.env(EXAMPLE, players=3, encoding=SealedBids(), render_mode="ansi")
    table.reset(seed=3)
    assert isinstance(table.unwrapped._game, CheckedGame)
    cards = []
    for bid in (2, 5, 3):
        observation, reward, terminated, *_ = table.last()
        assert (reward, terminated) == (0, False)
        assert not observation["observation"][1:].any()
        assert observation["action_mask"][bid]
        assert table.render().startswith("Your card: ")
        cards.append(round(float(observation["observation"][0]) * 10))
        table.step(bid)
    gain = cards[1] - 5
    assert table.rewards == {"player_0": -gain, "player_1": 2 * gain, "player_2": -gain}
    assert table.last()[0]["observation"][1:].tolist() == pytest.approx([0.2, 0.5, 0.3])


def test_without_an_adapter_of_ours_its_view_is_the_state_as_json(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A game of the document's interface alone describes nothing in lines."""
    entry = installed_game.REGISTRATION.copy()
    entry["state_adapter_class"] = f"{__name__}.AdapterOfOthers"
    monkeypatch.setitem(GAME_REGISTRY, "bids_of_others", entry)
    table = gym.env("bids_of_others", players=3, encoding=SealedBids(), render_mode="ansi")
    table.reset(seed=3)
    view = json.loads(table.render())
    assert view["public"]["waiting_for"] == table.agents
    assert view["private"]["bid"] is None


def test_numbers_that_are_not_of_the_layout_are_a_clear_error() -> None:
    table = gym.env(EXAMPLE, players=3, encoding=TooFewNumbers())
    table.reset(seed=3)
    with pytest.raises(ValueError, match="bids: 0 numbers instead of 3"):
        table.last()
