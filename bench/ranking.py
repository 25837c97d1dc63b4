"""Seven-card hands ranked per second, against treys: prints one JSON line.

Every round runs every contender once in this process, so a busy machine slows all alike; medians
are compared.  Exits with 1 when the fast form is below its floor.
"""

import random
import time
from collections.abc import Callable
from statistics import median

from casino_games.cards import DECK, NAMES
from casino_games.holdem.ranking import KEYS, rank_cards, rank_keys, rank_showdown
from rig import print_report
from treys import Card, Evaluator

ROUNDS = 15
HANDS = 4500
SHOWDOWN_SEATS = 9
FLOOR = 15.0
"""Required rate of the fast variant as a multiple of treys."""


def rates_of(contenders: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median hands per second of each contender; each call ranks `HANDS`."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, rank_all in contenders.items():
            started = time.perf_counter()
            rank_all()
            rates[name].append(HANDS / (time.perf_counter() - started))
    return {name: median(values) for name, values in rates.items()}


def main() -> None:
    """Measure and print the report."""
    generator = random.Random(7)
    hands = [tuple(generator.sample(DECK, 7)) for _ in range(HANDS)]
    keyed = [tuple(KEYS[card] for card in hand) for hand in hands]
    for_treys = [
        ([Card.new(NAMES[card]) for card in hand[:2]], [Card.new(NAMES[card]) for card in hand[2:]])
        for hand in hands
    ]
    showdowns = []
    for _ in range(HANDS // SHOWDOWN_SEATS):
        cards = generator.sample(DECK, 5 + 2 * SHOWDOWN_SEATS)
        showdowns.append((cards[:5], list(zip(cards[5::2], cards[6::2], strict=True))))
    evaluate = Evaluator().evaluate
    rates = rates_of(
        {
            "treys": lambda: [evaluate(hole, board) for hole, board in for_treys],
            "rank_cards": lambda: [rank_cards(hand) for hand in hands],
            "rank_keys": lambda: [rank_keys(keys) for keys in keyed],
            "rank_showdown": lambda: [list(rank_showdown(*showdown)) for showdown in showdowns],
        }
    )
    ratios = {name: round(rate / rates["treys"], 1) for name, rate in rates.items()}
    missed = ["rank_keys"] if ratios["rank_keys"] < FLOOR else []
    report = {
        "bench": "ranking",
        "unit": "seven-card hands per second",
        "per_second": {name: round(rate) for name, rate in rates.items()},
        "ratio_to_treys": ratios,
        "floor": {"rank_keys": FLOOR},
        "missed": missed,
    }
    print_report(report)


if __name__ == "__main__":
    main()
