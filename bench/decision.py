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

MOST_OF_FLOOR, LEAST_UNDER_STOCK = 1.5, 30.0
SECONDS = timedelta(seconds=20)


async def measure(rounds: int, calls: int, in_flight: int) -> dict[str, object]:
    """Run the contenders in turn, round by round."""
    with ExitStack() as stack:
        ports = {name: free_port() for name in ("floor", "typed", "stock")}
        commands = {
            "floor": [str(BENCH / "floor.py"), str(ports["floor"])],
            "typed": ["-m", "casino_player_example", "caller", "--port", str(ports["typed"])],
            "stock": [str(BENCH / "stock_agent.py"), str(ports["stock"])],
        }
        pids = {
            name: stack.enter_context(server(*command, as_installed=name == "stock")).pid
            for name, command in commands.items()
        }
        for port in ports.values():
            await answering(port)
        asked = question()
        floor = Floor(f"http://127.0.0.1:{ports['floor']}/")
        client = AgentClient()
        peer = await client.resolve(f"http://127.0.0.1:{ports['typed']}", timeout=SECONDS)
        stock = await StockClient.to(f"http://127.0.0.1:{ports['stock']}")

        async def ask_floor(number: int) -> None:
            await floor.act(asked.model_copy(update={"request_id": f"q{number}"}))

        async def ask_typed(number: int) -> None:
            request = asked.model_copy(update={"request_id": f"q{number}"})
            await peer.call("act", request, ActionResponse, timeout=SECONDS)

        async def ask_stock(number: int) -> None:
            await stock.act(asked.model_copy(update={"request_id": f"q{number}"}))

        laps: dict[str, list[Lap]] = {"floor": [], "typed": [], "stock": []}
        for number in range(rounds + 1):
            done = {
                "floor": await lap(ask_floor, calls, in_flight, pids["floor"]),
                "typed": await lap(ask_typed, calls, in_flight, pids["typed"]),
                "stock": await lap(ask_stock, max(100, calls // 20), in_flight, pids["stock"]),
            }
            if number:  # the first round warms up
                for name, one in done.items():
                    laps[name].append(one)
        await asyncio.gather(floor.close(), client.close(), stock.close())
    of_floor = median(
        typed.us / bare.us for typed, bare in zip(laps["typed"], laps["floor"], strict=True)
    )
    under_stock = median(
        stock.us / typed.us for stock, typed in zip(laps["stock"], laps["typed"], strict=True)
    )
    return {
        "bench": "decision",
        "inFlight": in_flight,
        "requestBytes": len(asked.model_dump_json()),
        **{name: summary(some) for name, some in laps.items()},
        "typedOfFloorCpu": round(of_floor, 2),
        "stockOverTypedCpu": round(under_stock, 1),
        "floors": {"typedOfFloorCpu": MOST_OF_FLOOR, "stockOverTypedCpu": LEAST_UNDER_STOCK},
        "passed": of_floor <= MOST_OF_FLOOR and under_stock >= LEAST_UNDER_STOCK,
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
