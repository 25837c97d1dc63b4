"""Random hands of Hold'em as hand histories: uneven stacks, antes, all-ins, side pots."""

import random
from dataclasses import replace

from casino_games.cards import DECK
from casino_games.holdem import Hand
from casino_games.holdem.hand import cards_needed, deal
from casino_histories import HandHistory
from casino_match.hand_export import HandName, history_of

_SEATS = (2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10)
_BLINDS = ((50, 100), (1, 2), (5, 10), (10, 25))


def random_hand(number: int, seed: str = "hands", *, decimals: int = 0) -> HandHistory:
    """Return a hand that follows from its number; every eighth has an ante of the big blind."""
    generator = random.Random(f"{seed}/{number}")
    seats = generator.choice(_SEATS)
    blinds = generator.choice(_BLINDS)
    depth = generator.choice((4, 10, 40, 200))
    stacks = [generator.randint(1, depth * blinds[1]) for _ in range(seats)]
    big_seat = 0 if seats == 2 else 1
    ante = generator.randint(1, blinds[1]) if generator.random() < 0.4 else 0
    is_dead = ante > 0 and number % 8 == 0
    antes = [ante * (not is_dead or seat == big_seat) for seat in range(seats)]
    stacks[big_seat] += ante + blinds[1]
    holes, board = deal(generator.sample(DECK, cards_needed(seats)), seats)
    hand = Hand(stacks, blinds, holes, board, antes=antes, ante_is_dead=is_dead)
    while not hand.is_over:
        decide(generator, hand)
    name = HandName(f"random/{number}", "random", number, [f"Player {n}" for n in range(seats)])
    history = history_of(hand, name, stacks, blinds, ante)
    forced = (bet._replace(is_dead=is_dead and bet.kind == "ante") for bet in history.forced)
    return replace(history, forced=tuple(forced), decimals=decimals)


def decide(generator: random.Random, hand: Hand) -> None:
    """Take a decision."""
    draw, least, most = generator.random(), hand.min_raise_to, hand.max_raise_to
    if hand.to_call and draw < 0.12:
        hand.fold()
    elif not least or draw < 0.65:
        if hand.to_call:
            hand.call()
        else:
            hand.check()
    elif draw < 0.80:
        hand.raise_to(least)
    else:
        hand.raise_to(generator.randint(least, min(most, 4 * least)) if draw < 0.92 else most)
