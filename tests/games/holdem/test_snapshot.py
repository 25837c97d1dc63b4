"""A hand is restored from its snapshot."""

import copy
import json
from typing import Any

import pytest
from casino_games import InvalidSnapshot
from casino_games.holdem import HoldemGame
from casino_games.holdem.config import HoldemSnapshot
from games.holdem.dealing import new_game, step_all


def running_game() -> HoldemGame:
    """Return a game on the flop, with a raise and an ante behind it."""
    game = new_game([1000, 600, 1000], ante=10, button=1)
    step_all(game, ("raise", 300), "call", "call", "check", ("bet", 100))
    return game


def test_a_snapshot_is_the_settings_the_deck_and_the_decisions() -> None:
    """The rest follows from them; the seed is not needed, and is not in it."""
    snapshot = running_game().serialize()
    assert sorted(snapshot) == ["actions", "config", "deck", "game_type", "players"]
    assert snapshot["actions"] == [
        {"action_type": "raise", "amount": 300},
        {"action_type": "call", "amount": None},
        {"action_type": "call", "amount": None},
        {"action_type": "check", "amount": None},
        {"action_type": "bet", "amount": 100},
    ]
    assert "a seed" not in json.dumps(snapshot)


def test_a_snapshot_keeps_its_deck_out_of_its_repr() -> None:
    """A repr may be logged."""
    data = running_game().serialize()
    assert data["deck"] not in repr(HoldemSnapshot.checked(data))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("game_type",), "leduc"),
        (("players",), ["p0", "p1"]),
        (("players",), ["p0", "p1", "p1"]),
        (("players",), ["p0", "p1", ""]),
        (("players",), ["p0", "p1", 7]),
        (("config", "stacks"), [1000, 600]),
        (("config", "stacks"), [1000, 600, -1]),
        (("config", "stacks"), [1000, 600, 1000.5]),
        (("config", "small_blind"), 200),
        (("config", "button"), 3),
        (("config", "rake"), 5),
        (("deck",), ""),
        (("deck",), "AhKd"),
        (("deck",), "Xx" * 14),
        (("deck",), "Ah" * 14),
        (("deck",), None),
        (("actions", 0, "action_type"), "shout"),
        (("actions", 0, "action_type"), "check"),
        (("actions", 0, "amount"), 150),
        (("actions", 0, "amount"), None),
        (("actions", 0, "amount"), 300.0),
        (("actions", 0, "amount"), True),
        (("actions", 0, "extra"), 1),
        (("actions",), [{"action_type": "fold"}] * 3),
        (("actions",), "fold"),
        (("extra",), 1),
    ],
)
def test_a_snapshot_that_tells_no_possible_hand_is_refused(
    path: tuple[str | int, ...], value: Any
) -> None:
    """Without naming a card, in the message or behind it."""
    data = copy.deepcopy(running_game().serialize())
    deck = data["deck"]
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InvalidSnapshot) as refused:
        HoldemGame.deserialize(data)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    words = str(refused.value).replace(",", " ").split()
    assert not any(deck[at : at + 2] in words for at in range(0, len(deck), 2))


@pytest.mark.parametrize("data", [None, [], "text", 5])
def test_what_is_no_object_is_no_snapshot(data: Any) -> None:
    with pytest.raises(InvalidSnapshot):
        HoldemGame.deserialize(data)
