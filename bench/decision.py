"""CPU of one `act` call over HTTP, both sides, against two floors and the stock SDK.

Prints one JSON line. A typed call is asked as a table asks: with JSON, whose answer is read without
a model. Limits: at most 3.5 times the CPU of the bare protocol (bench/floors/bare.py), which only
moves the bytes; with a seat token at most 1.03 times that without; at most 1/30 of the stock SDK.
A typed call of models is at most 1.5 times a bare ASGI application with the kit's client and the
same validation (bench/floors/floor.py).
`client_us` is the table's share of a decision. That of an agent without the extension
(bench/agents/text_agent.py), which is asked in text, is at most twice that of a typed call.
The stock SDK is measured as installed, with the tracing spans that agentkit disables.
"""

import argparse
import os
from collections.abc import Callable
from statistics import median

import uvloop
from agents.contenders import (
    ASGI,
    BARE,
    KEYED,
    MODELS,
    STOCK,
    TYPED,
    UNTYPED,
    Contender,
    contenders,
)
from rig import Lap, lap, print_report, question, summary

MOST_OF_BARE, MOST_OF_ASGI = 3.5, 1.5
MOST_WITH_TOKEN, MOST_OF_TYPED, LEAST_UNDER_STOCK = 1.03, 2.0, 30.0
_TURNS = 10


async def measure(rounds: int, calls: int, in_flight: int) -> dict[str, object]:
    """Run the contenders in turns."""
    laps: dict[str, list[Lap]] = {}
    with_token: list[float] = []
    of_round = {UNTYPED: calls // 2, STOCK: max(100, calls // 60)}
    async with contenders() as by_name:
        for number in range(rounds + 1):
            for name, contender in by_name.items():
                if name != KEYED:
                    each = of_round.get(name, calls)
                    result = await lap(contender.ask, each, in_flight, contender.pid)
                    if number:  # the first round warms up
                        laps.setdefault(name, []).append(result)
            if number:
                keyed, of_open = await _compare(by_name[TYPED], by_name[KEYED], calls, in_flight)
                laps.setdefault(KEYED, []).append(keyed)
                with_token.append(of_open)

    def ratio(above: str, below: str, part: Callable[[Lap], float]) -> float:
        pairs = zip(laps[above], laps[below], strict=True)
        return median(part(contender) / part(other) for contender, other in pairs)

    of_bare = ratio(TYPED, BARE, both_sides)
    of_asgi = ratio(MODELS, ASGI, both_sides)
    token = median(with_token)
    untyped = ratio(UNTYPED, TYPED, client_side)
    under_stock = ratio(STOCK, TYPED, both_sides)
    return {
        "bench": "decision",
        "load": round(os.getloadavg()[0], 1),
        "in_flight": in_flight,
        "request_bytes": len(question().model_dump_json()),
        "contenders": {name: summary(contender) for name, contender in laps.items()},
        "typed_of_bare_cpu": round(of_bare, 2),
        "typed_of_floor_cpu": round(of_asgi, 2),
        "stock_over_typed_cpu": round(under_stock, 1),
        "token_of_open_cpu": round(token, 3),
        "untyped_of_typed_client_cpu": round(untyped, 2),
        "floor": {
            "typed_of_bare_cpu": MOST_OF_BARE,
            "typed_of_floor_cpu": MOST_OF_ASGI,
            "stock_over_typed_cpu": LEAST_UNDER_STOCK,
            "token_of_open_cpu": MOST_WITH_TOKEN,
            "untyped_of_typed_client_cpu": MOST_OF_TYPED,
        },
        "missed": [
            *(["typed_of_bare_cpu"] if of_bare > MOST_OF_BARE else []),
            *(["typed_of_floor_cpu"] if of_asgi > MOST_OF_ASGI else []),
            *(["token_of_open_cpu"] if token > MOST_WITH_TOKEN else []),
            *(["untyped_of_typed_client_cpu"] if untyped > MOST_OF_TYPED else []),
            *(["stock_over_typed_cpu"] if under_stock < LEAST_UNDER_STOCK else []),
        ],
    }


def both_sides(result: Lap) -> float:
    """Return the CPU of client and server."""
    return result.us


def client_side(result: Lap) -> float:
    """Return the CPU of the client."""
    return result.client_us


async def _compare(
    plain: Contender, keyed: Contender, calls: int, in_flight: int
) -> tuple[Lap, float]:
    """Measure both calls in short turns, so that other load affects both equally.

    Returns the last lap with a token, and the CPU ratio of all laps with a token to those without.
    """
    of_plain = of_keyed = 0.0
    for turn in range(_TURNS):
        for contender in (plain, keyed) if turn % 2 else (keyed, plain):
            result = await lap(contender.ask, calls // _TURNS, in_flight, contender.pid)
            if contender is keyed:
                of_keyed, last = of_keyed + result.us, result
            else:
                of_plain += result.us
    return last, of_keyed / of_plain


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=12_000)
    parser.add_argument("--in-flight", type=int, default=32)
    arguments = parser.parse_args()
    print_report(uvloop.run(measure(arguments.rounds, arguments.calls, arguments.in_flight)))


if __name__ == "__main__":
    main()
