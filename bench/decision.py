"""What one decision costs: an `act` over HTTP, both sides, against the floor and the stock SDK.

Prints one JSON line. Floors: at most 1.5 times the floor's CPU, at most 1/30 of the stock SDK's.
The stock SDK is measured as it is installed, with the spans that our kit switches off.
"""

import argparse
import asyncio
import os
from contextlib import ExitStack
from datetime import timedelta
from statistics import median

os.environ["OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"] = "true"  # before the SDK's first import

import uvloop
from casino_agentkit import AgentClient
from casino_contracts import ActionResponse
from floor import Floor
from rig import BENCH, Lap, answering, free_port, lap, question, server, summary, tell
from stock_agent import StockClient

BARE, TYPED, STOCK = "bare_asgi", "typed_call", "stock_sdk"
MOST_OF_FLOOR, LEAST_UNDER_STOCK = 1.5, 30.0
SECONDS = timedelta(seconds=20)


async def measure(rounds: int, calls: int, in_flight: int) -> dict[str, object]:
    """Run the contenders in turn, round by round."""
    with ExitStack() as stack:
        ports = {name: free_port() for name in (BARE, TYPED, STOCK)}
        commands = {
            BARE: [str(BENCH / "floor.py"), str(ports[BARE])],
            TYPED: [
                "-m",
                "casino_player_example",
                "caller",
                "--port",
                str(ports[TYPED]),
            ],
            STOCK: [str(BENCH / "stock_agent.py"), str(ports[STOCK])],
        }
        pids = {
            name: stack.enter_context(server(*command, as_installed=name == STOCK)).pid
            for name, command in commands.items()
        }
        for port in ports.values():
            await answering(port)
        asked = question()
        floor = Floor(f"http://127.0.0.1:{ports[BARE]}/")
        client = AgentClient()
        peer = await client.resolve(f"http://127.0.0.1:{ports[TYPED]}", timeout=SECONDS)
        stock = await StockClient.to(f"http://127.0.0.1:{ports[STOCK]}")

        async def ask_floor(number: int) -> None:
            await floor.act(asked.model_copy(update={"request_id": f"q{number}"}))

        async def ask_typed(number: int) -> None:
            request = asked.model_copy(update={"request_id": f"q{number}"})
            await peer.call("act", request, ActionResponse, timeout=SECONDS)

        async def ask_stock(number: int) -> None:
            await stock.act(asked.model_copy(update={"request_id": f"q{number}"}))

        laps: dict[str, list[Lap]] = {BARE: [], TYPED: [], STOCK: []}
        for number in range(rounds + 1):
            done = {
                BARE: await lap(ask_floor, calls, in_flight, pids[BARE]),
                TYPED: await lap(ask_typed, calls, in_flight, pids[TYPED]),
                STOCK: await lap(ask_stock, max(100, calls // 20), in_flight, pids[STOCK]),
            }
            if number:  # the first round warms up
                for name, one in done.items():
                    laps[name].append(one)
        await asyncio.gather(floor.close(), client.close(), stock.close())
    of_floor = median(
        typed.us / bare.us for typed, bare in zip(laps[TYPED], laps[BARE], strict=True)
    )
    under_stock = median(
        stock.us / typed.us for stock, typed in zip(laps[STOCK], laps[TYPED], strict=True)
    )
    return {
        "bench": "decision",
        "in_flight": in_flight,
        "request_bytes": len(asked.model_dump_json()),
        "contenders": {name: summary(some) for name, some in laps.items()},
        "typed_of_floor_cpu": round(of_floor, 2),
        "stock_over_typed_cpu": round(under_stock, 1),
        "floor": {
            "typed_of_floor_cpu": MOST_OF_FLOOR,
            "stock_over_typed_cpu": LEAST_UNDER_STOCK,
        },
        "missed": [
            *(["typed_of_floor_cpu"] if of_floor > MOST_OF_FLOOR else []),
            *(["stock_over_typed_cpu"] if under_stock < LEAST_UNDER_STOCK else []),
        ],
    }


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=6000)
    parser.add_argument("--in-flight", type=int, default=32)
    given = parser.parse_args()
    tell(uvloop.run(measure(given.rounds, given.calls, given.in_flight)))


if __name__ == "__main__":
    main()
