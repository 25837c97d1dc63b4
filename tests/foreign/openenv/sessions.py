"""Play with OpenEnv's own client, and print one JSON line: `sessions.py URL PART`.

| part | |
| --- | --- |
| `hands` | 1,000 hands of five seats, each deck in every seating: rewards with and without luck |
| `games` | a hand of each game, and of Hold'em with 2 to 9 seats |
| `apart` | two sessions in turns, and each hand alone: the same observations |
| `errors` | what is said of bad input, and that the session goes on |
"""

import json
import sys
from collections.abc import Iterator
from itertools import zip_longest
from math import sqrt
from random import Random
from statistics import fmean, variance
from typing import Any

from casino_hand_env import CasinoHandAction, CasinoHandEnv
from openenv import GenericEnvClient

Json = dict[str, Any]
SEATS, DECKS = 5, 200
HANDS_APART = 20
OPPONENTS = ["tight", "caller", "maniac", "random"]
GAMES = ("blackjack", "kuhn_poker", "leduc_poker", "roulette", "simple_card")
BAD_ORDERS: dict[str, Json] = {
    "unknown game": {"game": "chess"},
    "1 seat": {"seats": 1},
    "10 seats": {"seats": 10},
    "seats as text": {"seats": "six"},
    "seating": {"seats": 3, "seating": 3},
    "seed": {"seed": -1},
    "style": {"opponents": "reckless"},
    "opponents": {"seats": 3, "opponents": ["tight"]},
    "opponents of another game": {"game": "kuhn_poker", "opponents": "tight"},
    "config": {"config": {"big_blind": 0}},
    "unknown field": {"color": "red"},
}


def chosen(offers: list[Json], dice: Random) -> Json:
    """Check or call, and raise now and then."""
    by_type = {offer["action_type"]: offer for offer in offers}
    for kind in ("bet", "raise"):
        if kind in by_type and dice.random() < 0.15:
            return {"action_type": kind, "amount": by_type[kind]["min"]}
    for kind in ("check", "call"):
        if kind in by_type:
            return {"action_type": kind}
    offer = dice.choice(offers)
    answer = {key: value for key, value in offer.items() if key not in {"min", "max"}}
    return answer | ({"amount": offer["min"]} if "min" in offer else {})


def turns(table: Any, dice: Random, **order: Any) -> Iterator[Any]:
    """Yield what is seen of a hand, after `reset` and each `step`."""
    seen = table.reset(**order)
    yield seen
    while not seen.done:
        action = chosen(seen.observation.legal_actions, dice)
        seen = table.step(CasinoHandAction(action=action))
        yield seen


def hands(table: Any) -> Json:
    """Play every deck in all seatings; its mean difference is one observation of a paired t."""
    nets: list[float] = []
    rewards: list[float] = []
    dice = Random(35)
    for seed in range(DECKS):
        for seating in range(SEATS):
            order = {"seed": seed, "seating": seating, "seats": SEATS, "opponents": OPPONENTS}
            *_, seen = turns(table, dice, **order)
            nets.append(seen.metadata["net"])
            rewards.append(seen.reward)
    gaps = [net - reward for net, reward in zip(nets, rewards, strict=True)]
    decks = [fmean(gaps[first : first + SEATS]) for first in range(0, len(gaps), SEATS)]
    return {
        "hands": len(nets),
        "mean_net": fmean(nets),
        "mean_reward": fmean(rewards),
        "variance_net": variance(nets),
        "variance_reward": variance(rewards),
        "ratio": variance(nets) / variance(rewards),
        "paired_t": fmean(decks) / sqrt(variance(decks) / len(decks)),
    }


def games(table: Any) -> Json:
    """Play a hand of each, with what was said about its end."""
    ended: Json = {}
    orders = {game: {"game": game} for game in GAMES} | {
        f"{seats} seats": {"seats": seats} for seats in range(2, 10)
    }
    for name, order in orders.items():
        *_, seen = turns(table, Random(name), seed=3, **order)
        ended[name] = {"reward": seen.reward, **seen.metadata}
    return ended


def series(table: Any, **order: Any) -> Iterator[Any]:
    """Yield what is seen of some hands, one after the other."""
    for seed in range(HANDS_APART):
        yield from (seen.observation for seen in turns(table, Random(seed), seed=seed, **order))


def apart(url: str) -> Json:
    """Return how many observations there were; raises where two that must agree do not."""
    orders: list[Json] = [{"seats": 6, "opponents": "maniac"}, {"game": "leduc_poker"}]
    with CasinoHandEnv(base_url=url).sync() as first, CasinoHandEnv(base_url=url).sync() as second:
        alone = [[*series(first, **order)] for order in orders]
        running = [series(first, **orders[0]), series(second, **orders[1])]
        mixed = [seen for both in zip_longest(*running) for seen in both if seen is not None]
    assert mixed == [seen for both in zip_longest(*alone) for seen in both if seen is not None]
    return {"observations": len(mixed)}


def errors(table: Any, url: str) -> Json:
    """Return what was said of each bad input, and the state of the session after all."""
    said: Json = {}

    def refused(name: str, call: Any) -> None:
        try:
            call()
        except RuntimeError as error:
            said[name] = str(error)

    call = CasinoHandAction(action="call")
    refused("step before reset", lambda: table.step(call))
    table.reset(seed=1)
    for name, order in BAD_ORDERS.items():
        refused(name, lambda order=order: table.reset(**order))
    with GenericEnvClient(base_url=url).sync() as raw:
        raw.reset(seed=1)
        refused("action of another type", lambda: raw.step({"action": 3}))
    twice = [table.step(CasinoHandAction(action=answer)) for answer in ("no idea", {"x": 1})]
    said["outcomes"] = [seen.metadata["outcome"] for seen in twice]
    seen = twice[-1]
    while not seen.done:
        seen = table.step(call)
    refused("step after the end", lambda: table.step(call))
    state = table.state()
    said["state"] = state.model_dump()
    return said


def main(url: str, part: str) -> None:
    """Print the line of a part."""
    with CasinoHandEnv(base_url=url).sync() as table:
        match part:
            case "hands":
                content = hands(table)
            case "games":
                content = games(table)
            case "apart":
                content = apart(url)
            case _:
                content = errors(table, url)
    sys.stdout.write(json.dumps(content) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
