"""Generated requests: the protocol, the application and the SDK say the same to each.

Three servers of equal agents get the same bytes: one answers plain calls in the protocol, one in
the application, and one leaves every call to the SDK. Each counts its calls, and its answers have
the count, so that a call that runs twice, or not at all, is seen.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from typing import Any

from casino_agentkit import ANYONE, IdempotencyCache
from casino_contracts import ActionRequest
from casino_contracts.fast_struct import FastReader
from fuzz.paths.plan import CASES, Differences, numbers, tell, unlogged
from fuzz.paths.requests import Pieces, pieces
from fuzz.paths.said import responses_in, values_of
from support.loops.virtual_loop import loop
from support.plain.agent import Answer, PlainAgent
from support.plain.requests import without_ids
from support.plain.server import PlainServer, plain_server

_OF_A_SERVER = 2_000
"""Then come new servers, which know no head."""
_KINDS: tuple[dict[str, Any], ...] = ({}, {"has_front": False}, {"by_sdk": True})


def agent() -> PlainAgent:
    """Return an agent with questions of Hold'em beside its other calls; it answers their values."""
    made = PlainAgent()

    def act(asked: ActionRequest) -> Answer:
        made.ran["act"] += 1
        text = json.dumps(values_of(asked), sort_keys=True)  # objects of JSON have no order
        return Answer(text=text, number=made.ran["act"])

    async def act_later(asked: ActionRequest) -> Answer:
        return act(asked)

    options: dict[str, Any] = {"who": ANYONE, "hot": FastReader(ActionRequest)}
    memory = IdempotencyCache(ignoring=("deadlineMs", "timeBankMs"), size=8)
    made.agent.entrypoint("act", is_quick=True, memory=memory, **options)(act)
    made.agent.entrypoint("act_later", **options)(act_later)
    made.go.set()
    return made


async def ends(servers: Sequence[PlainServer], sent: Pieces) -> tuple[object, object] | None:
    """Return what two of the servers say, if it differs; else None."""
    by_protocol, by_application, by_sdk = [await server.answers(sent) for server in servers]
    if without_ids(by_protocol) != without_ids(by_application):
        return without_ids(by_protocol), without_ids(by_application)
    fast, slow = responses_in(by_application), responses_in(by_sdk)
    return None if fast == slow else (fast, slow)


async def run(
    cases: Iterator[tuple[str, random.Random]], differences: Differences, found: Counter[str]
) -> None:
    """Send cases to new servers, up to one that differs: their counts may differ since then."""
    async with AsyncExitStack() as stack:
        made = [plain_server(agent().agent, **kind) for kind in _KINDS]
        servers = [await stack.enter_async_context(server) for server in made]
        for name, rng in islice(cases, _OF_A_SERVER):
            loop().begin_day()
            sent, before = pieces(rng), servers[0].by_application
            differing = await ends(servers, sent)
            found["connections"] += 1
            found["by the protocol"] += servers[0].by_application == before
            if differing:
                differences.add(name, sent, *differing)
                return


async def test_requests() -> None:
    differences, found = Differences(), Counter[str]()
    cases = numbers("requests", CASES)
    before = -1
    with unlogged():
        while found["connections"] > before:
            before = found["connections"]
            await run(cases, differences, found)
    tell(f"{dict(found)}, {len(differences)} differences")
    assert not len(differences), str(differences)
