"""Call `act` of a sample player with the kit of this interpreter; print the CPU of the calls.

`python bench/agents/typed_calls.py PORT CALLS IN_FLIGHT` reads the JSON of a question from the
standard input, and prints `warm`, and at the end the µs CPU that a call has taken on this side.
It needs nothing but the kit, and nothing that an older kit lacks: bench/versus.py runs it with the
interpreters of two checkouts.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from datetime import timedelta

import uvloop
from casino_agentkit import AgentClient, RemoteAgent
from casino_contracts import ActionRequest, ActionResponse

SECONDS = timedelta(seconds=20)
WARM_UP = 2_000


async def ask(peer: RemoteAgent, question: ActionRequest, numbers: Iterator[int]) -> None:
    """Ask the question again with each number."""
    for number in numbers:
        request = question.model_copy(update={"request_id": f"q{number}"})
        await peer.call("act", request, ActionResponse, timeout=SECONDS)


async def measure(question: ActionRequest, port: int, calls: int, in_flight: int) -> float:
    """Return the µs CPU of a call on this side."""
    client = AgentClient()
    peer = await client.resolve(f"http://127.0.0.1:{port}", timeout=SECONDS)

    async def ask_all(first: int, count: int) -> None:
        numbers = iter(range(first, first + count))
        await asyncio.gather(*(ask(peer, question, numbers) for _ in range(in_flight)))

    await ask_all(0, WARM_UP)
    print("warm", flush=True)
    before = time.process_time()
    await ask_all(WARM_UP, calls)
    spent = time.process_time() - before
    await client.close()
    return spent / calls * 1e6


if __name__ == "__main__":
    request = ActionRequest.model_validate_json(sys.stdin.buffer.read())
    print(uvloop.run(measure(request, *map(int, sys.argv[1:4]))))
