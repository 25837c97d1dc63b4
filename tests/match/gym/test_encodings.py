"""What single encodings show, and which actions they offer."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from casino_games import ArenaConfig, ArenaPlayer, Game, game_types, restore_game
from casino_games.holdem import HoldemGame
from casino_games.kuhn_poker import KuhnGame
from casino_games.leduc_poker import LeducGame
from casino_match.gym import Encoding, encoding_of
from casino_match.gym.encodings import ENCODINGS

Json = dict[str, Any]
PLAYERS = tuple(ArenaPlayer(f"player_{number}") for number in range(2))


def test_every_game_of_the_casino_has_an_encoding() -> None:
    """A new game needs one before it can be registered."""
    assert sorted(ENCODINGS) == game_types()


def positions(game: Game) -> Iterator[Game]:
    """Yield every position with a decision that follows from a deal."""
    if game.is_over():
        return
    yield game
    for action in game.get_available_actions():
        following = restore_game(game.game_type, game.serialize())
        following.step(action)
        yield from positions(following)


def every_deal(game_type: str, dealt: int) -> Iterator[Game]:
    """Yield a game for each order of its first cards."""
    rules: dict[str, Any] = {"kuhn_poker": KuhnGame, "leduc_poker": LeducGame}
    game: Any = rules[game_type](ArenaConfig(PLAYERS))
    game.reset(1)
    snapshot = game.serialize()
    deck = range(len(snapshot["order"]))
    for first in permutations(deck, dealt):
        rest = [card for card in deck if card not in first]
        yield restore_game(game_type, {**snapshot, "order": [*first, *rest]})


@pytest.mark.parametrize(
    ("game_type", "dealt", "states"), [("kuhn_poker", 3, 12), ("leduc_poker", 3, 288)]
)
def test_observations_are_exactly_the_information_states(
    game_type: str, dealt: int, states: int
) -> None:
    """12 of Kuhn, and 288 of Leduc without its suits, are the numbers of the literature."""
    encoding = encoding_of(game_type)
    seen_as: dict[bytes, set[str]] = defaultdict(set)
    for deal in every_deal(game_type, dealt):
        for game in positions(deal):
            player = game.get_current_player()
            public, private = game.get_public_state(), game.get_private_state(player)
            seen = encoding.observe(public, private, player).tobytes()
            ranks = (private["card"][0], (public["public_card"] or "-")[0])
            seen_as[seen].add(f"{ranks} {public['history']}")
    assert len(seen_as) == states
    assert {len(same) for same in seen_as.values()} == {1}


def holdem(encoding: Encoding, *actions: Json, **config: Any) -> tuple[Game, dict[str, Json]]:
    """Return a hand after some actions, and the legal actions by name."""
    game = HoldemGame(ArenaConfig(PLAYERS, "a seed", config))
    game.reset()
    for action in actions:
        game.step(action)
    player = game.get_current_player()
    legal = encoding.answers(game.get_available_actions(), game.get_public_state(), player)
    return game, {encoding.actions[number]: answer for number, answer in legal.items()}


def test_raises_are_fractions_of_the_pot_after_a_call() -> None:
    """Half of the pot is the smallest raise here, and 60 pots are more than the stack."""
    _, legal = holdem(encoding_of("texas-holdem", sizes=[0.5, 1, 2, 60]))
    assert legal == {
        "fold": {"action_type": "fold"},
        "call": {"action_type": "call"},
        "all-in": {"action_type": "all-in"},
        "raise-min": {"action_type": "raise", "amount": 200},
        "raise-1-pot": {"action_type": "raise", "amount": 300},
        "raise-2-pot": {"action_type": "raise", "amount": 500},
    }  # half of the pot is the smallest raise, and 60 pots are more than the stack


def test_a_first_bet_has_the_same_numbers_as_a_raise() -> None:
    encoding = encoding_of("texas-holdem", sizes=[0.5, 1])
    _, legal = holdem(encoding, {"action_type": "call"}, {"action_type": "check"})
    assert legal["raise-min"] == {"action_type": "bet", "amount": 100}
    assert "raise-0.5-pot" not in legal
    assert legal["raise-1-pot"] == {"action_type": "bet", "amount": 200}


def test_a_call_of_the_whole_stack_is_the_only_way_to_put_it_in() -> None:
    _, legal = holdem(encoding_of("texas-holdem"), {"action_type": "all-in"})
    assert sorted(legal) == ["call", "fold"]


def test_a_raise_that_is_too_short_is_all_in() -> None:
    _, legal = holdem(
        encoding_of("texas-holdem", config={"stacks": [150, 10000]}), stacks=[150, 10000]
    )
    assert sorted(legal) == ["all-in", "call", "fold"]


def test_the_numbers_of_a_hand_are_those_of_its_layout() -> None:
    """Cards, chips in stacks and the last decision of a hand that was raised."""
    encoding = encoding_of("texas-holdem")
    raised, _ = holdem(encoding, {"action_type": "raise", "amount": 300})
    seen = encoding.observe(
        raised.get_public_state(), {"hole_cards": ["2c", "As"]}, raised.get_current_player()
    )

    def part(name: str) -> list[float]:
        return [round(float(value), 6) for value in seen[encoding.place(name)]]

    assert [place for place, value in enumerate(part("hole")) if value] == [0, 51]
    assert part("round") == [1, 0, 0, 0]
    assert part("pot") == [0.04]
    assert part("to_call") == [0.02]
    assert part("minimum_raise") == [0.02]
    assert part("stack") == [0.99, 0.97]
    assert part("bet") == [0.01, 0.03]
    assert part("button") == [0, 1]
    assert part("to_act") == [1, 0]
    # preflop; the opponent; fold, check, call, bet, raise, all-in; to 300 of 10,000
    assert part("history")[:13] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.03]
    assert not any(part("history")[13:])
    with pytest.raises(KeyError):
        encoding.place("no such part")


def test_amounts_at_a_bank_are_parts_of_the_range() -> None:
    encoding = encoding_of("roulette", config={"min_bet": 2, "max_bet": 100})
    offers: list[Json] = [
        {"action_type": "PASS"},
        {"action_type": "PLACE_BET", "bet": "black", "min": 2, "max": 100},
    ]
    legal = encoding.answers(offers, {}, "player_0")
    assert {encoding.actions[number]: answer.get("amount") for number, answer in legal.items()} == {
        "pass": None,
        "black-min": 2,
        "black-0.25": 26,
        "black-0.5": 51,
        "black-max": 100,
    }


def test_a_range_of_a_single_amount_is_a_single_action() -> None:
    """Numbers with an amount that was there before are not legal."""
    encoding = encoding_of("blackjack", config={"min_bet": 10, "max_bet": 10})
    offers: list[Json] = [{"action_type": "PASS"}, {"action_type": "BET", "min": 10, "max": 10}]
    legal = encoding.answers(offers, {}, "player_0")
    assert [encoding.actions[number] for number in legal] == ["pass", "bet-min"]
