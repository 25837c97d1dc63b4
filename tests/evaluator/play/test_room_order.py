"""A level's room has the rules of its game; every deck is played from both positions."""

import pytest
from casino_contracts import CreateRoomInput
from casino_contracts.player_messages import LONGEST_CLOCK_MS
from casino_evaluator.play.level_room import has_opponent, least_stack, room_order
from support.evaluator.level_side import examined, level


@pytest.mark.parametrize(
    ("game_type", "hands", "decks"),
    [
        ("kuhn_poker", 6, 3),
        ("texas-holdem", 22, 11),
        ("kuhn_poker", 2, 1),
        ("kuhn_poker", 7, None),  # odd: one deck would be played from one position only
        ("kuhn_poker", 8, None),  # an even number of decks keeps the positions
        ("blackjack", 6, None),
    ],
)
def test_half_of_the_hands_are_decks(game_type: str, hands: int, decks: int | None) -> None:
    """If that makes an odd number, and somebody sits on the other side."""
    game = examined(game_type, level(hands=hands), stack=200)
    order = CreateRoomInput.model_validate(
        room_order(game, 1, "the seed", "eval-1", action_timeout_ms=3_000)
    )
    config = order.config
    assert (config.decks, config.seed, config.max_hands) == (decks, "the seed", hands)
    assert config.granted_clock_ms(LONGEST_CLOCK_MS) == LONGEST_CLOCK_MS
    assert (config.action_timeout_ms, config.rebuy, config.max_seats) == (3_000, "none", 2)
    assert has_opponent(game) == (game_type != "blackjack")


@pytest.mark.parametrize(("game_type", "least"), [("simple_card", 3), ("kuhn_poker", 1)])
def test_the_least_stack_is_that_of_the_game(game_type: str, least: int) -> None:
    """Simple card can cost a stake for every trick, Kuhn poker begins with the ante."""
    assert least_stack(examined(game_type, level())) == least


@pytest.mark.parametrize("seed", ["a", "b", "c"])
@pytest.mark.parametrize("is_shuffled", [True, False])
def test_only_another_order_hides_which_deck_is_next(seed: str, *, is_shuffled: bool) -> None:
    """Whoever remembers the first half cannot say which hand is which; positions change.

    Without it, as before, each hand of the second half was the one of the same place.
    """
    decks = 15
    order = CreateRoomInput.model_validate(
        room_order(
            examined("kuhn_poker", level(hands=2 * decks)),
            1,
            seed,
            "eval-1",
            action_timeout_ms=3_000,
        )
    )
    deck_of = order.config.deck_of if is_shuffled else lambda number: (number - 1) % decks + 1
    first = [deck_of(number) for number in range(1, decks + 1)]
    second = [deck_of(number) for number in range(decks + 1, 2 * decks + 1)]
    assert first == list(range(1, decks + 1)) == sorted(second)
    guessed = sum(one == other for one, other in zip(first, second, strict=True))
    assert (guessed < decks / 2) is is_shuffled
    assert all((deck - number) % 2 for number, deck in enumerate(second, decks + 1))
