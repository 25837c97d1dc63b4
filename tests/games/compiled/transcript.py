"""Prints all that random hands of Hold'em show: `python -m games.compiled.transcript HANDS`.

Two builds of the rules are equal if they print the same lines, one a hand. The first line says
which build it is.
"""

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from casino_games import IllegalAction
from casino_games.cards import DECK
from casino_games.holdem import Hand, HoldemGame, betting
from casino_games.holdem.hand import cards_needed, deal
from casino_games.holdem.ranking import best_five, class_name, rank_cards, rank_showdown
from casino_games.shuffle import deck_order, derive_seed
from games.holdem.dealing import new_game
from games.playing import some_answer, wrong_answers


def build() -> str:
    """Return `compiled` or `pure`."""
    return "pure" if str(betting.__file__).endswith(".py") else "compiled"


def refusals(game: HoldemGame) -> Iterator[str]:
    """Yield what is said to answers that are not legal now."""
    for wrong in wrong_answers(game.get_available_actions()):
        try:
            game.step(wrong)
        except IllegalAction as refused:
            yield str(refused)


def game_shown(generator: random.Random) -> Iterator[Any]:
    """Play a game and yield everything that its methods return."""
    seats = generator.randint(2, 10)
    big_blind = generator.choice((2, 3, 100))
    depth = generator.choice((2, 20, 100)) * big_blind
    game = new_game(
        [generator.randint(1, depth) for _ in range(seats)],
        seed=generator.getrandbits(64),
        small_blind=generator.randint(1, big_blind),
        big_blind=big_blind,
        ante=generator.choice((0, 0, 1, big_blind)),
        button=generator.randrange(seats),
    )
    for _ in range(2):  # the second deal takes over the forced bets of the first
        yield game.opening_events()
        while not game.is_over():
            yield [game.get_current_player(), game.get_state(), game.get_available_actions()]
            yield list(refusals(game))
            yield game.step(some_answer(game.get_available_actions(), generator))
        yield [game.get_state(), game.get_scores(), game.get_winner(), game.serialize()]
        yield HoldemGame.deserialize(game.serialize()).get_state()
        game.reset(generator.getrandbits(64))


def hand_shown(generator: random.Random) -> Iterator[Any]:
    """Play the bare engine, with up to 22 seats and dead antes, and yield its values."""
    seats = generator.randint(2, 22)
    holes, board = deal(generator.sample(DECK, cards_needed(seats)), seats)
    stacks = [generator.randint(1, 5_000) for _ in range(seats)]
    antes = [0, 100] + [0] * (seats - 2)
    hand = Hand(stacks, (50, 100), holes, board, antes=antes, ante_is_dead=True)
    while not hand.is_over:
        yield [hand.actor, hand.to_call, hand.min_raise_to, hand.max_raise_to, hand.price]
        if hand.min_raise_to and generator.random() < 0.3:
            hand.raise_to(generator.randint(hand.min_raise_to, hand.max_raise_to))
        elif hand.to_call:
            generator.choice((hand.call, hand.call, hand.fold))()
        else:
            hand.check()
    yield [hand.board, hand.actions, hand.forced_bets, hand.contributed, hand.stacks]
    yield [hand.uncalled, hand.awards, hand.shown, list(hand.ranks.items())]


def cards_shown(generator: random.Random) -> Iterator[Any]:
    seed = str(generator.getrandbits(64))
    yield [deck_order(seed), deck_order(seed, generator.randint(0, 52)), derive_seed(seed, "a", 7)]
    for size in (5, 6, 7):
        cards = generator.sample(DECK, size)
        rank = rank_cards(cards)
        yield [rank, class_name(rank), best_five(cards, rank)]
    board, *holes = [generator.sample(DECK, 5), *([card, card + 1] for card in range(0, 8, 2))]
    if not {*board} & {*range(8)}:
        yield rank_showdown(board, holes)


def transcript(hands: int) -> Iterator[str]:
    for number in range(hands):
        generator = random.Random(f"transcript/{number}")
        shown = [*game_shown(generator), *hand_shown(generator), *cards_shown(generator)]
        yield json.dumps(shown)


if __name__ == "__main__":
    sys.stdout.write(build() + "\n")
    sys.stdout.writelines(line + "\n" for line in transcript(int(sys.argv[1])))
