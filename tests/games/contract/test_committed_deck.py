"""A committed deck deals what a seed could have dealt, and opens what everybody saw: every game."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from casino_games import GameError, game_class, restore_game
from casino_games.cards import NAMES
from casino_games.dealt import DealtGame
from games.playing import EXAMPLE, SEEDS, new_game, positions, sizes

ABSENT = 2
"""How many players are not in the hand, of those that were at the table when it committed."""


def cut(order: Sequence[int], sizes: Sequence[int]) -> tuple[list[list[int]], list[int]]:
    """Return the leaves of an order, and its rest."""
    rest = iter(order)
    return [[next(rest) for _ in range(size)] for size in sizes], [*rest]


def committed(game_type: str, players: int, seed: str) -> tuple[DealtGame[Any, Any], Any, Any, int]:
    """Return an undealt game, leaves and rest of a random deck for it, and how many leaves."""
    absent = ABSENT if game_type == "texas-holdem" else 0
    game = new_game(game_type, players)
    assert isinstance(game, DealtGame)
    cards, plan = game.deck_plan({}, players + absent)
    order = random.Random(seed).sample(range(cards), cards)
    return game, *cut(order, plan), len(plan)


class TestACommittedDeck:
    def test_begins_a_hand_that_its_snapshot_begins_too(self, game_type: str) -> None:
        """It replaces a used hand wholly, and the order is one that a seed could have given."""
        if game_type == EXAMPLE:
            return  # a game of others
        for players in sizes(game_type):
            for seed in SEEDS:
                game, leaves, rest, _ = committed(game_type, players, seed)
                game.reset("another")
                *_, end = positions(game, random.Random(seed))
                assert end.is_over()
                game.deal(leaves, rest)
                order = game.serialize()
                assert restore_game(game_type, order).serialize() == order
                *_, end = positions(game, random.Random(seed))
                assert end.is_over()

    def test_opens_the_leaves_that_everybody_saw(self, game_type: str) -> None:
        """At the end, shown cards are in opened leaves and all others in closed ones."""
        if game_type == EXAMPLE:
            return
        some_closed = some_opened = 0
        for players in sizes(game_type):
            for seed in SEEDS:
                game, leaves, rest, count = committed(game_type, players, seed)
                game.deal(leaves, rest)
                *_, end = positions(game, random.Random(seed))
                names = getattr(game, "card_names", NAMES)
                public = str(end.get_public_state())
                opened = game.opened_leaves(count)
                assert [*opened] == sorted({*opened})
                for leaf, cards in enumerate(leaves):
                    seen = [f"'{names[card]}'" in public for card in cards]
                    assert seen == [leaf in opened] * len(cards)
                some_opened += len(opened)
                some_closed += count - len(opened)
        has_leaves = game_type in {"texas-holdem", "kuhn_poker", "leduc_poker"}
        assert bool(some_opened) is bool(some_closed) is has_leaves

    def test_is_refused_unless_it_has_each_card_once(self, game_type: str) -> None:
        """Cards that lack, come twice or do not exist, and leaves of another shape."""
        if game_type == EXAMPLE:
            return
        game, leaves, rest, _ = committed(game_type, sizes(game_type)[0], "a seed")
        twice = leaves[0][0] if leaves else rest[1]
        wrong = [(leaves, [other, *rest[1:]]) for other in (twice, -1, 1000)]
        wrong += [(leaves, []), ([*leaves, [0]], rest), ([[]], rest)]
        if leaves:
            wrong += [(leaves[:-1], rest), ([leaves[1], *leaves[1:]], rest)]
        for of_leaves, others in wrong:
            with pytest.raises(GameError, match="each card"):
                game.deal(of_leaves, others)
        if game_type == "texas-holdem":
            with pytest.raises(GameError, match="each card"):
                game.deal(leaves[::-1], rest)

    def test_is_none_in_a_game_of_others(self, example: str) -> None:
        """Such a game was written before there were committed decks: a seed deals it."""
        rules = game_class(example)
        assert issubclass(rules, DealtGame)
        assert rules.deck_plan({}, 2) == (0, ())
