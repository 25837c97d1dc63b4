"""Random hands of Hold'em, played with pokerkit and by each interface of this engine."""

import random
from functools import cache
from typing import Any, Protocol

from casino_games import ArenaConfig, ArenaPlayer, Game, create_game
from casino_games.cards import DECK
from casino_games.holdem import Hand
from pokerkit import Automation, NoLimitTexasHoldem

SMALL_BLIND, BIG_BLIND, STACK = 50, 100, 10_000
FOLD, CALL, SMALLEST, POT, ALL_IN = range(5)


Record = list[tuple[int, list[dict[str, Any]]]]
"""The seed of each hand, and the answers in it."""


class Play(Protocol):
    """Function that plays a number of random hands."""

    def __call__(self, seats: int, hands: int, generator: random.Random) -> None:
        """Play `hands` hands with `seats` players."""


def choose(generator: random.Random, *, facing_bet: bool, may_raise: bool) -> int:
    """Draw an action: fold 10 %, call 60 %, raise 30 % if each is legal."""
    draw = generator.random()
    if facing_bet and draw < 0.10:  # noqa: PLR2004 - see the docstring
        return FOLD
    if not may_raise or draw < 0.70:  # noqa: PLR2004
        return CALL
    if draw < 0.85:  # noqa: PLR2004
        return SMALLEST
    return POT if draw < 0.97 else ALL_IN  # noqa: PLR2004


def play_pokerkit(seats: int, hands: int, generator: random.Random) -> None:
    """Play with pokerkit, which automates everything except decisions."""
    for _ in range(hands):
        state = NoLimitTexasHoldem.create_state(
            tuple(Automation),
            ante_trimming_status=True,
            raw_antes=0,
            raw_blinds_or_straddles=(SMALL_BLIND, BIG_BLIND),
            min_bet=BIG_BLIND,
            raw_starting_stacks=STACK,
            player_count=seats,
        )
        while state.status:
            least = state.min_completion_betting_or_raising_to_amount or 0
            most = state.max_completion_betting_or_raising_to_amount or 0
            facing_bet = bool(state.checking_or_calling_amount)
            action = choose(generator, facing_bet=facing_bet, may_raise=least > 0)
            if action == FOLD:
                state.fold()
            elif action == CALL:
                state.check_or_call()
            elif action == POT:
                amount = max(state.bets) + state.total_pot_amount
                state.complete_bet_or_raise_to(min(most, max(least, amount)))
            else:
                state.complete_bet_or_raise_to(least if action == SMALLEST else most)


def play_hand(seats: int, hands: int, generator: random.Random) -> None:
    """Play with the bare engine."""
    stacks = [STACK] * seats
    for _ in range(hands):
        cards = generator.sample(DECK, 2 * seats + 5)
        holes = list(zip(cards[:seats], cards[seats:-5], strict=True))
        hand = Hand(stacks, (SMALL_BLIND, BIG_BLIND), holes, tuple(cards[-5:]))
        while not hand.is_over:
            least, most = hand.min_raise_to, hand.max_raise_to
            facing_bet = hand.to_call > 0
            action = choose(generator, facing_bet=facing_bet, may_raise=least > 0)
            if action == FOLD:
                hand.fold()
            elif action == CALL and facing_bet:
                hand.call()
            elif action == CALL:
                hand.check()
            elif action == POT:
                hand.raise_to(min(most, max(least, hand.price + hand.pot)))
            else:
                hand.raise_to(least if action == SMALLEST else most)


class RecordedGame:
    """A game that notes its seeds and answers."""

    def __init__(self, game: Game) -> None:
        self.record: Record = []
        self._game = game
        self.is_over = game.is_over
        self.get_current_player = game.get_current_player
        self.get_available_actions = game.get_available_actions

    def reset(self, seed: int) -> None:
        """Deal, and note the seed."""
        self._game.reset(seed)
        self.record.append((seed, []))

    def step(self, answer: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Apply an answer, and note it."""
        self.record[-1][1].append(answer)
        return self._game.step(answer)


def new_game(seats: int) -> Game:
    """Return a game before its first deal."""
    players = tuple(ArenaPlayer(f"player-{seat}") for seat in range(seats))
    settings = {"small_blind": SMALL_BLIND, "big_blind": BIG_BLIND, "stacks": [STACK] * seats}
    return create_game("texas-holdem", ArenaConfig(players, game_config=settings))


def play_game(seats: int, hands: int, generator: random.Random) -> None:
    """Play with the `Game` interface: seeded deck, legal actions, step and events."""
    play_contract(new_game(seats), hands, generator, sees_states=False)


def play_game_with_states(seats: int, hands: int, generator: random.Random) -> None:
    """Play with the `Game` interface, building both states for every decision as a table does."""
    play_contract(new_game(seats), hands, generator, sees_states=True)


def play_contract(game: Any, hands: int, generator: random.Random, *, sees_states: bool) -> None:
    """Play with the `Game` interface; the policy reads pot and price from the events."""
    for _ in range(hands):
        game.reset(generator.getrandbits(64))
        pot, price = SMALL_BLIND + BIG_BLIND, BIG_BLIND
        while not game.is_over():
            player = game.get_current_player()
            offered = game.get_available_actions()
            if sees_states:
                game.get_public_state()
                game.get_private_state(player)
            facing_bet = offered[0]["action_type"] == "fold"
            may_raise = offered[-1]["action_type"] == "all-in"
            action = choose(generator, facing_bet=facing_bet, may_raise=may_raise)
            if action == FOLD:
                answer = offered[0]
            elif action == CALL:
                answer = offered[facing_bet]
            elif action == ALL_IN or "min" not in offered[-2]:
                answer = offered[-1]
            else:
                answer = offered[-2]
                wanted = price + pot if action == POT else 0
                answer["amount"] = min(answer["max"], max(answer["min"], wanted))
            events = game.step(answer)[0]["events"]
            pot = events[0]["pot"]
            price = max(price, events[0]["amount"] or 0) if len(events) == 1 else 0


@cache
def recorded(seats: int, hands: int) -> Record:
    """Return the seeds and answers of random hands."""
    game = RecordedGame(new_game(seats))
    play_contract(game, hands, random.Random(seats), sees_states=False)
    return game.record


def play_game_alone(seats: int, hands: int, generator: random.Random) -> None:
    """Play recorded hands with the `Game` interface: the calls of `play_game` without a policy."""
    del generator
    game = new_game(seats)
    for seed, answers in recorded(seats, hands):
        game.reset(seed)
        for answer in answers:
            game.is_over()
            game.get_current_player()
            game.get_available_actions()
            game.step(answer)


PLAYS: dict[str, tuple[Play, int]] = {
    "pokerkit": (play_pokerkit, 180),
    "hand": (play_hand, 9000),
    "game": (play_game, 6000),
    "game_with_states": (play_game_with_states, 4500),
    "game_alone": (play_game_alone, 6000),
}
"""The contenders, and how many hands each plays in a round, divided by the seats."""
