"""CPU of one `act` call over HTTP, both sides, against the floor and the stock SDK.

Prints one JSON line. The floor is bench/floor.py. Limits: at most 1.5 times the CPU of the floor,
at most 1/30 of the stock SDK; a call with a seat token at most 1.03 times one without.
`client_us` is the table's share of a decision. That of an agent without the extension
(bench/agents/text_agent.py), which is asked in text, is at most twice that of a typed call.
The stock SDK is measured as installed, with the tracing spans that agentkit disables.
"""

import argparse
import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import timedelta
from statistics import median

os.environ["OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"] = "true"  # before the SDK's first import

import uvloop
from agents.stock_agent import StockClient
from casino_agentkit import AgentClient
from casino_contracts import ActionResponse, SignupInvitation, SignupResponse
from floor import Floor
from rig import BENCH, Lap, free_port, lap, print_report, question, server, summary, wait_for_port

BARE, TYPED, KEYED, STOCK = "bare_asgi", "typed_call", "typed_call_with_token", "stock_sdk"
UNTYPED = "untyped_call"
MOST_OF_FLOOR, LEAST_UNDER_STOCK, MOST_OF_OPEN, MOST_OF_TYPED = 1.5, 30.0, 1.03, 2.0
BRIEF = "You play poker. Choose one of the legal actions."
SEAT_TOKEN = "0123456789abcdef" * 4
INVITATION = SignupInvitation(
    casino_name="Bench",
    table_id="guarded",
    room_id="guarded",
    min_buy_in=40,
    max_buy_in=400,
    small_blind=1,
    big_blind=2,
    seat_token=SEAT_TOKEN,
)
_TURNS = 10
Call = Callable[[int], Awaitable[None]]
SECONDS = timedelta(seconds=20)


async def measure(rounds: int, calls: int, in_flight: int) -> dict[str, object]:
    """Run the contenders in turns."""
    with ExitStack() as stack:
        ports = {name: free_port() for name in (BARE, TYPED, UNTYPED, STOCK)}
        commands = {
            BARE: [str(BENCH / "floor.py"), str(ports[BARE])],
            TYPED: [
                "-m",
                "casino_player_example",
                "caller",
                "--port",
                str(ports[TYPED]),
            ],
            UNTYPED: [str(BENCH / "agents/text_agent.py"), str(ports[UNTYPED])],
            STOCK: [str(BENCH / "agents/stock_agent.py"), str(ports[STOCK])],
        }
        pids = {
            name: stack.enter_context(server(*command, as_installed=name == STOCK)).pid
            for name, command in commands.items()
        }
        for port in ports.values():
            await wait_for_port(port)
        template = question()
        floor = Floor(f"http://127.0.0.1:{ports[BARE]}/")
        client = AgentClient()
        peer = await client.resolve(f"http://127.0.0.1:{ports[TYPED]}", timeout=SECONDS)
        await peer.call("signup", INVITATION, SignupResponse, timeout=SECONDS)
        reader = await client.resolve(f"http://127.0.0.1:{ports[UNTYPED]}", timeout=SECONDS)
        stock = await StockClient.to(f"http://127.0.0.1:{ports[STOCK]}")

        async def ask_floor(number: int) -> None:
            await floor.act(template.model_copy(update={"request_id": f"q{number}"}))

        async def ask_typed(number: int) -> None:
            request = template.model_copy(update={"request_id": f"q{number}"})
            await peer.call("act", request, ActionResponse, timeout=SECONDS)

        async def ask_keyed(number: int) -> None:
            update = {"request_id": f"q{number}", "table_id": INVITATION.table_id}
            request = template.model_copy(update=update)
            await peer.call("act", request, ActionResponse, timeout=SECONDS, token=SEAT_TOKEN)

        async def ask_untyped(number: int) -> None:
            request = template.model_copy(update={"request_id": f"q{number}"})
            await reader.call("act", request, ActionResponse, timeout=SECONDS, brief=BRIEF)

        async def ask_stock(number: int) -> None:
            await stock.act(template.model_copy(update={"request_id": f"q{number}"}))

        laps: dict[str, list[Lap]] = {BARE: [], TYPED: [], UNTYPED: [], KEYED: [], STOCK: []}
        of_open: list[float] = []
        for number in range(rounds + 1):
            round_laps = {
                BARE: await lap(ask_floor, calls, in_flight, pids[BARE]),
                TYPED: await lap(ask_typed, calls, in_flight, pids[TYPED]),
                UNTYPED: await lap(ask_untyped, calls // 2, in_flight, pids[UNTYPED]),
                STOCK: await lap(ask_stock, max(100, calls // 20), in_flight, pids[STOCK]),
            }
            if number:  # the first round warms up
                for name, contender_lap in round_laps.items():
                    laps[name].append(contender_lap)
                keyed_lap, ratio = await _compare(
                    ask_typed, ask_keyed, calls, in_flight, pids[TYPED]
                )
                laps[KEYED].append(keyed_lap)
                of_open.append(ratio)
        await asyncio.gather(floor.close(), client.close(), stock.close())
    of_floor = median(
        typed.us / bare.us for typed, bare in zip(laps[TYPED], laps[BARE], strict=True)
    )
    under_stock = median(
        stock.us / typed.us for stock, typed in zip(laps[STOCK], laps[TYPED], strict=True)
    )
    of_typed = median(
        untyped.client_us / typed.client_us
        for untyped, typed in zip(laps[UNTYPED], laps[TYPED], strict=True)
    )
    return {
        "bench": "decision",
        "load": round(os.getloadavg()[0], 1),
        "in_flight": in_flight,
        "request_bytes": len(template.model_dump_json()),
        "contenders": {name: summary(contender) for name, contender in laps.items()},
        "typed_of_floor_cpu": round(of_floor, 2),
        "stock_over_typed_cpu": round(under_stock, 1),
        "token_of_open_cpu": round(median(of_open), 3),
        "untyped_of_typed_client_cpu": round(of_typed, 2),
        "floor": {
            "typed_of_floor_cpu": MOST_OF_FLOOR,
            "stock_over_typed_cpu": LEAST_UNDER_STOCK,
            "token_of_open_cpu": MOST_OF_OPEN,
            "untyped_of_typed_client_cpu": MOST_OF_TYPED,
        },
        "missed": [
            *(["typed_of_floor_cpu"] if of_floor > MOST_OF_FLOOR else []),
            *(["token_of_open_cpu"] if median(of_open) > MOST_OF_OPEN else []),
            *(["untyped_of_typed_client_cpu"] if of_typed > MOST_OF_TYPED else []),
            *(["stock_over_typed_cpu"] if under_stock < LEAST_UNDER_STOCK else []),
        ],
    }


async def _compare(
    plain: Call, keyed: Call, calls: int, in_flight: int, pid: int
) -> tuple[Lap, float]:
    """Measure both calls in short turns, so that other load affects both equally.

    Returns the last lap with a token, and the CPU ratio of all laps with a token to those without.
    """
    of_plain = of_keyed = 0.0
    for turn in range(_TURNS):
        share = calls // _TURNS
        pair = [
            (await lap(call, share, in_flight, pid), call is keyed)
            for call in _order(turn, plain, keyed)
        ]
        for turn_lap, is_keyed in pair:
            if is_keyed:
                of_keyed, last = of_keyed + turn_lap.us, turn_lap
            else:
                of_plain += turn_lap.us
    return last, of_keyed / of_plain


def _order(turn: int, plain: Call, keyed: Call) -> tuple[Call, Call]:
    return (plain, keyed) if turn % 2 else (keyed, plain)


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=6000)
    parser.add_argument("--in-flight", type=int, default=32)
    arguments = parser.parse_args()
    print_report(uvloop.run(measure(arguments.rounds, arguments.calls, arguments.in_flight)))


if __name__ == "__main__":
    main()
