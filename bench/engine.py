"""Hold'em hands per second against pokerkit, all with the same random policy.

Blinds 50/100, stacks of 100 big blinds. Three variants of this project's engine:

* `hand`: the bare engine with its checks and its history;
* `game`: the `Game` interface with a seeded deck, legal actions and events;
* `game_with_states`: the same, with the public and private state built for every decision.

Contenders run in turns in this process, so other load affects all equally; medians are compared.
Prints one JSON line. Exits with 1 if a limit is missed.
"""

import random
import time
import warnings
from statistics import median
from typing import Protocol

from casino_games import ArenaConfig, ArenaPlayer, create_game
from casino_games.cards import DECK
from casino_games.holdem import Hand
from pokerkit import Automation, NoLimitTexasHoldem
from rig import print_report

SMALL_BLIND, BIG_BLIND, STACK = 50, 100, 10_000
ROUNDS = 11
FLOORS = {
    "hand": {2: 50, 6: 100, 9: 150},
    "game": {2: 25, 6: 45, 9: 80},
    "game_with_states": {2: 16, 6: 26, 9: 42},
}
"""Required rate as a multiple of pokerkit, by variant and seats."""
FOLD, CALL, SMALLEST, POT, ALL_IN = range(5)


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


def play_game(seats: int, hands: int, generator: random.Random) -> None:
    """Play with the `Game` interface: seeded deck, legal actions, step and events."""
    play_contract(seats, hands, generator, sees_states=False)


def play_game_with_states(seats: int, hands: int, generator: random.Random) -> None:
    """Play with the `Game` interface, building both states for every decision as a table does."""
    play_contract(seats, hands, generator, sees_states=True)


def play_contract(seats: int, hands: int, generator: random.Random, *, sees_states: bool) -> None:
    """Play with the `Game` interface; the policy reads pot and price from the events."""
    players = tuple(ArenaPlayer(f"player-{seat}") for seat in range(seats))
    settings = {"small_blind": SMALL_BLIND, "big_blind": BIG_BLIND, "stacks": [STACK] * seats}
    game = create_game("texas-holdem", ArenaConfig(players, game_config=settings))
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


def measure(seats: int) -> dict[str, float]:
    """Return the median hands per second of each contender."""
    contenders: dict[str, tuple[Play, int]] = {
        "pokerkit": (play_pokerkit, 180 // seats),
        "hand": (play_hand, 9000 // seats),
        "game": (play_game, 6000 // seats),
        "game_with_states": (play_game_with_states, 4500 // seats),
    }
    generators = {name: random.Random(seats) for name in contenders}
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, (play, hands) in contenders.items():
            started = time.perf_counter()
            play(seats, hands, generators[name])
            rates[name].append(hands / (time.perf_counter() - started))
    return {name: median(values) for name, values in rates.items()}


def main() -> None:
    """Measure and print the report."""
    warnings.simplefilter("ignore")  # pokerkit warns about its own automated showdowns
    per_second: dict[str, dict[str, int]] = {}
    ratios: dict[str, dict[str, float]] = {name: {} for name in FLOORS}
    missed: list[str] = []
    for seats in (2, 6, 9):
        rates = measure(seats)
        per_second[str(seats)] = {name: round(rate) for name, rate in rates.items()}
        for name, floors in FLOORS.items():
            ratio = rates[name] / rates["pokerkit"]
            ratios[name][str(seats)] = round(ratio, 1)
            if ratio < floors[seats]:
                missed.append(f"{name} at {seats} seats")
    report = {
        "bench": "engine",
        "unit": "hands per second",
        "per_second_by_seats": per_second,
        "ratio_to_pokerkit": ratios,
        "floor": FLOORS,
        "missed": missed,
    }
    print_report(report)


if __name__ == "__main__":
    main()
