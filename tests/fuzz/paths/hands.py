"""Hands of Hold'em of any size, stakes, names and unit, and random play in them."""

import random
from collections.abc import Callable
from typing import Final

from casino_contracts import Unit
from casino_games.holdem import Hand
from casino_games.holdem.betting import Seat
from casino_games.holdem.game import legal_actions
from casino_games.holdem.hand import cards_needed, deal
from casino_games.shuffle import deck_order
from casino_play.hand_questions import HandNames, HandQuestions, NamedPlayer

TEXTS: Final = (
    "main", "Ada", "", "Ada \u00e9\u202e\u2028", "\U0001f4a3", '"\\\n\t/\x7f\x01\b', "</script>",
    "x" * 300, "\ufffd\uffff", "%b %d %", "null",
)  # fmt: skip


def _text(rng: random.Random) -> str:
    return rng.choice(TEXTS) + str(rng.randint(0, 9))


def dealt(rng: random.Random) -> HandQuestions:
    count = rng.randint(2, 10)
    unit = Unit(decimals=rng.choice((0, 0, 1, 2, 6)))
    small, ante = rng.choice(((1, 0), (2, 1), (5, 3), (50, 0)))
    stacks = [rng.choice((2, 3, 7, 40, 205, 1_000, 10**9)) for _ in range(count)]
    holes, board = deal(deck_order(f"seed {rng.random()}", cards_needed(count)), count)
    antes = [ante] * count if ante else ()
    hand = Hand(stacks, (small, 2 * small), holes, board, antes=antes)
    numbers = rng.sample(range(10), count)
    players = tuple(NamedPlayer(_text(rng), _text(rng), number) for number in numbers)
    names = HandNames(_text(rng), _text(rng), rng.randint(1, 10**6), players)
    return HandQuestions(hand, names, unit, away_in(names))


def away_in(names: HandNames) -> Callable[[Seat], bool]:
    """Return what tells who sits out: the players with certain names."""
    return lambda seat: names.players[seat].display_name.endswith("7")


def act(rng: random.Random, hand: Hand) -> None:
    """Take a random action, more often than not a check or call."""
    available = legal_actions(hand)
    passive = [offered for offered in available if offered["action_type"] in {"check", "call"}]
    offered = rng.choice(available if rng.random() < 1 / 3 or not passive else passive)
    kind = offered["action_type"]
    if kind in {"bet", "raise"}:
        hand.raise_to(min(offered["max"], offered["min"] + rng.choice((0, 0, 3, 500))))
    else:
        getattr(hand, kind.replace("-", "_"))()
