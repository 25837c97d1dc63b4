"""Whose leaf is whose: an engine deals a committed deck in the order that a verifier computes."""

import random
from collections.abc import Iterator

import pytest
from casino_contracts.deal_messages import board_leaves, holdem_leaves, holdem_order
from casino_games.cards import NAMES
from casino_games.dealt import DealtGame
from casino_table.domain.seat import Places, Seat, next_deal
from casino_table.domain.table import Table
from casino_table.play.running_hand import RunningHand
from support.table.table_side import config


def hands(most: int, game_type: str = "texas-holdem", walks: int = 30) -> Iterator[RunningHand]:
    """Yield hands of tables whose seats come, go broke and are dealt in again."""
    for walk in range(walks):
        dice = random.Random(f"{game_type} {walk}")
        table = Table("main", "casino", config(maxSeats=10), 1, game_type, {})
        numbers = dice.sample(range(10), min(most, 2 + walk % 8))
        seats = [Seat(number, f"p{number}", "P", "http://p", "act", 100) for number in numbers]
        last: Places | None = None
        for number in range(1, 13):
            positions = next_deal(seats, last, number)
            last = positions.places
            if len(positions.seats) > 1:
                yield RunningHand(table, positions, "a seed")
            for seat in seats:
                seat.stack = 0 if dice.random() < 0.25 else 100
                seat.is_new = seat.is_new and seat not in positions.seats
            for seat in dice.sample(seats, 2):
                seat.stack = 100


def dealt(hand: RunningHand, leaves: list[list[int]], cards: int) -> list[str]:
    """Deal leaves, and return the players in the order in which they have them."""
    game = hand.game
    assert isinstance(game, DealtGame)
    used = {card for leaf in leaves for card in leaf}
    game.deal(leaves, [card for card in range(cards) if card not in used])
    numbers = [seat.number for seat in hand.deal.seats]
    return [f"p{number}" for number in holdem_order(numbers, hand.deal.button_seat)]


def test_leaf_n_is_of_the_nth_player_from_the_button_on() -> None:
    """With 2 to 9 seats, dead buttons, and heads-up, where the button is the small blind."""
    seen: set[tuple[int, bool]] = set()
    for number, hand in enumerate(hands(9)):
        deal, absent = hand.deal, number % 3
        sizes = holdem_leaves(len(deal.seats) + absent)
        cards = iter(random.Random(number).sample(range(52), sum(sizes)))
        leaves = [[next(cards) for _ in range(size)] for size in sizes]
        players = dealt(hand, leaves, 52)
        for leaf, player_id in zip(leaves, players, strict=False):
            names = [NAMES[card] for card in leaf]
            assert hand.game.get_private_state(player_id) == {"hole_cards": names}
        while not hand.is_over:
            offered = {one["action_type"] for one in hand.game.get_available_actions()}
            hand.game.step({"action_type": "call" if "call" in offered else "check"})
        public = hand.game.get_public_state()
        board = board_leaves(len(sizes), len(public["community_cards"]))
        assert [NAMES[card] for leaf in board for card in leaves[leaf]] == public["community_cards"]
        assert isinstance(hand.game, DealtGame)
        shown = sorted(players.index(one["player_id"]) for one in public["results"]["shown"])
        assert hand.game.opened_leaves(len(sizes)) == (*shown, *board)
        is_dead = deal.button_seat not in [seat.number for seat in deal.seats]
        seen.add((len(deal.seats), is_dead))
    assert {count for count, _ in seen} == {*range(2, 10)}
    assert {count for count, is_dead in seen if is_dead} >= {*range(3, 9)}


@pytest.mark.parametrize(("game_type", "count"), [("kuhn_poker", 2), ("leduc_poker", 3)])
def test_other_games_count_from_the_button_too(game_type: str, count: int) -> None:
    for hand in hands(2, game_type):
        players = dealt(hand, [[leaf] for leaf in range(count)], 3 * (count - 1))
        names = [hand.game.get_private_state(player_id) for player_id in players]
        assert names == [{"card": card} for card in (("J", "Q"), ("Jh", "Js"))[count - 2]]
