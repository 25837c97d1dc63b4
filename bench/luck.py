"""How many times fewer hands a match needs without luck, and what finding the luck costs.

Matches between sample styles are played, and every estimator is compared with single hands on fresh
decks, on the same decisions: `ratio` is the variance of a hand divided by that of the estimator at
equal hands. `duplicate` is the plain mean over decks, `all_in` takes out the luck of all-ins, and
`adjusted` that of all cards.

`microseconds` is the CPU time of the controls, as a mean over the hands of the first block. `drift`
is the largest mean of a control, in standard errors: of fourteen controls of a few players it is
seldom above 3.5.

Prints one JSON line. Exits with 1 if a limit is missed.
"""

import argparse
import time
from itertools import product
from typing import Any

import numpy as np
from casino_match.domain.plan import Plan
from casino_match.luck.luck_controls import controls_of
from casino_match.play.match_hand import replay
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from casino_match.statistics.deck_values import DeckValues, joined, values_of
from casino_match.statistics.estimates import Sample
from rig import print_report

PAIRS = {
    "equity-tight": ("equity", "tight"),
    "equity-maniac": ("equity", "maniac"),
    "tight-caller": ("tight", "caller"),
    "tight-maniac": ("tight", "maniac"),
    "six-handed": ("equity", "tight", "equity", "tight", "caller", "maniac"),
}
FLOORS = {"equity-tight": 5.0}
"""Required ratio of the adjusted estimator, at `ENOUGH` decks."""
ENOUGH = 20_000
MOST_DRIFT = 4.5
DECKS_PER_BLOCK = 500
BIG_POINTS = 100


def plan_of(styles: tuple[str, ...], decks: int, seed: str) -> Plan:
    """Return the plan of a match between styles."""
    named = [{"name": f"{place} {s}", "player": f"style:{s}"} for place, s in enumerate(styles)]
    deal = {"seed": seed, "decks": decks, "decks_per_block": DECKS_PER_BLOCK}
    return Plan.model_validate({"players": named, "deal": deal})


def measure(styles: tuple[str, ...], decks: int, seed: str) -> dict[str, Any]:
    """Play a match and compare the estimators of the difference of its first two players."""
    plan = plan_of(styles, decks, seed)
    players = local_players(plan)
    parts: list[DeckValues] = []
    spent = hands = 0
    for number in range(plan.blocks):
        block = play_block(plan, number, players)
        parts.append(values_of(plan, block))
        if number == 0:  # a block is enough to know the costs
            for deck, seating in product(block.decks, range(len(styles))):
                hand = replay(plan, deck.number, seating, deck.hands[seating])
                began = time.process_time_ns()
                controls_of(hand)
                spent += time.process_time_ns() - began
                hands += 1
    values = joined(parts)
    sample = Sample(values, len(styles), "luck", resamples=100)
    ratios = {
        "duplicate" if estimate.estimator == "plain" else estimate.estimator: round(
            estimate.variance_ratio or 0.0, 2
        )
        for estimate in sample.estimates((0, 1))
    }
    return {
        "decks": decks,
        "deviation_bb": round(_deviation(values, len(styles)), 1),
        "ratio": ratios,
        "microseconds": round(spent / hands / 1_000, 1),
        "drift": round(_drift(values), 1),
    }


def _deviation(values: DeckValues, seats: int) -> float:
    """Return the standard deviation of the first player's hand, in big blinds."""
    products = np.zeros((1, 1)) if values.products is None else values.products
    square = float(products[0, 0]) / (values.decks * seats)
    return float((square - (values.nets[:, 0].mean() / BIG_POINTS) ** 2) ** 0.5)


def _drift(values: DeckValues) -> float:
    """Return the largest mean of a control in standard errors."""
    controls = values.controls.reshape(values.decks, -1)
    errors = controls.std(axis=0) / values.decks**0.5
    return float((np.abs(controls.mean(axis=0)) / np.maximum(errors, 1e-9)).max())


def main() -> None:
    """Measure all matches; `--decks` are per match, six-handed a fifth as many."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--decks", type=int, default=4_000)
    parser.add_argument("--long", action="store_true", help=f"{ENOUGH} decks, with the floor")
    parser.add_argument("--seed", default="luck", help="of the decks")
    parser.add_argument("--pair", choices=PAIRS, action="append", help="this match only")
    arguments = parser.parse_args()
    decks = ENOUGH if arguments.long else arguments.decks
    report: dict[str, Any] = {"name": "luck", "seed": arguments.seed}
    missed = []
    for name in arguments.pair or PAIRS:
        styles = PAIRS[name]
        number = decks if len(styles) == 2 else max(decks // 5, 100)  # noqa: PLR2004
        figures = measure(styles, number, arguments.seed)
        report[name] = figures
        if decks >= ENOUGH and figures["ratio"]["adjusted"] < FLOORS.get(name, 0.0):
            missed.append(f"{name}: ratio {figures['ratio']['adjusted']}")
        if figures["drift"] > MOST_DRIFT:
            missed.append(f"{name}: drift {figures['drift']}")
    print_report(report | {"missed": missed})


if __name__ == "__main__":
    main()
