"""Hostile replies cost a decision at most its clock, on every binding.

Each attack runs against a table's decision with real sockets. The last tests switch each defence
off and demand that its attacks succeed then.
"""

import asyncio
import gzip
import re
import time
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import timedelta

import httpx
import pytest
from casino_agentkit import (
    AgentClient,
    AgentError,
    HttpTransport,
    Malformed,
    RemoteRefused,
)
from casino_agentkit.bounds import DEEPEST, ReplyBounds, is_deeper
from casino_contracts import ActionResponse, SignupResponse
from support.attack.replies.cards import CARD_ATTACKS
from support.attack.replies.catalogue import ATTACKS, gzipped
from support.attack.replies.frames import http
from support.attack.replies.measured import MOST_LATE_S, MOST_MEMORY, measuring
from support.attack.replies.own_process import OwnProcess
from support.attack.replies.raw_process import raw_agents
from support.attack.replies.victim import ASKED, CLOCK, attacked, signed_up
from support.envelopes import BINDINGS, EVERY_BINDING, INVOKE
from support.on_uvloop import on_uvloop

pytestmark = pytest.mark.full

CARD = ".well-known/agent-card.json"
SILENT = {
    "hang", "drip", "drip-head", "drip-chunks", "working", "working-long-id", "working-path",
    "working-history", "card-redirects", "card-missing", "card-drips",
}  # fmt: skip
OF_HTTP = ("endless-", "drip-", "gzip-", "deflate-", "br-", "zstd-", "twice-", "garbage",
           "not-http", "huge-length", "two-lengths", "switching")  # fmt: skip
"""Starts of attacks on HTTP, which the invoke profile and JSON-RPC read with the same transport."""
SOME = ["hang", "drip", "working", "card-redirects", "line-breaks", "many-lists", "nested-255"]
UNLIMITED = ReplyBounds(
    body=10**9, openings=10**9, commas=10**9, converted=10**9, converted_body=10**9, deepest=10**9,
    text=10**9, candidates=10**9, echoed=10**9,
)  # fmt: skip


def no_deadline(_seconds: float) -> nullcontext[None]:
    """Disable a deadline."""
    return nullcontext()


@pytest.fixture(scope="module")
def agents() -> Iterator[str]:
    """Run the hostile agents; returns their address."""
    with raw_agents() as url:
        yield url


def outcomes_of(attack: str, binding: str) -> set[str]:
    """Return how a decision may end."""
    is_converted = binding in {"rest", "v03"}  # by the SDK's client, and so less of it is read
    if binding == INVOKE and attack.startswith("working"):
        return {"malformed"}
    if attack in {"working-long-id", "working-path", "working-history"} and is_converted:
        return {"malformed"}
    if attack in SILENT:
        return {"timeout"}
    if attack == "honest" or (attack == "long-context" and not is_converted):
        return {"ok"}
    return {"disconnected"} if attack == "reset" else {"malformed"}


@pytest.mark.parametrize(
    ("binding", "attack"),
    [
        *((binding, attack) for binding in BINDINGS for attack in (*ATTACKS, *CARD_ATTACKS)),
        *((INVOKE, attack) for attack in ATTACKS if not attack.startswith(OF_HTTP)),
    ],
)
def test_a_decision_costs_its_clock_and_no_more(
    agents: str, own_process: OwnProcess, binding: str, attack: str
) -> None:
    """Time, loop stalls, memory and the second attempt are bounded."""
    url, expected = f"{agents}/{binding}/{attack}/{CARD}", outcomes_of(attack, binding)
    cost = own_process.run(attacked, url)
    for _ in range(3):  # the machine is shared, the clock short, and memory comes in large pieces
        if cost.decision.outcome in expected and cost.measured.is_bearable:
            break
        cost = own_process.run(attacked, url)
    assert cost.decision.outcome in expected, cost
    assert cost.measured.is_bearable, cost
    assert all(len(rejection.wire()) < 6_000 for rejection in cost.rejected)
    assert all(rejection.message.isprintable() for rejection in cost.rejected)


@pytest.mark.parametrize(
    "attack",
    ["hang", "drip", "working", "card-redirects", "line-breaks", "many-lists", "nested-255"],
)
@pytest.mark.parametrize("binding", EVERY_BINDING)
def test_a_sign_up_costs_its_time_limit_and_no_more(
    agents: str, own_process: OwnProcess, binding: str, attack: str
) -> None:
    """The lobby reports every failure as a refusal."""
    for _ in range(3):  # as above
        sign_up = own_process.run(signed_up, f"{agents}/{binding}/{attack}/{CARD}")
        if sign_up.measured.is_bearable:
            break
    assert sign_up.reason in {"AGENT_TIMED_OUT", "AGENT_CONTRACT_VIOLATION"}
    assert len(sign_up.message) < 1_500
    assert sign_up.measured.is_bearable, sign_up


@pytest.mark.parametrize("attack", ["refusal", "many-faults", "odd-refusal"])
@pytest.mark.parametrize("binding", EVERY_BINDING)
@on_uvloop
async def test_a_refusal_is_passed_on_in_bounds(agents: str, binding: str, attack: str) -> None:
    """Its text, reason and faults are bounded."""
    client = AgentClient(HttpTransport())
    peer = await client.resolve(f"{agents}/{binding}/{attack}/{CARD}", timeout=CLOCK)
    with pytest.raises(AgentError) as error:
        await peer.call("signup", ASKED, SignupResponse, timeout=CLOCK)
    await client.close()
    assert len(error.value.message) <= 600
    assert error.value.message.isprintable()
    if isinstance(error.value, RemoteRefused):
        assert re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", error.value.reason)
        assert len(error.value.violations) <= 20
        faults = [text for one in error.value.violations for text in (one.field, one.message)]
        assert all(len(text) <= 300 and text.isprintable() for text in faults)


# Each defence switched off: its attacks succeed.


async def is_held_up(client: AgentClient, url: str) -> bool:
    """Tell whether an attack delayed a decision by a second beyond its clock."""
    try:
        async with asyncio.timeout(CLOCK.total_seconds() + 1):
            return (await attacked(f"{url}/{CARD}", client=client)).measured.late_s > MOST_LATE_S
    except TimeoutError:
        return True


@pytest.mark.parametrize("attack", ["drip", "drip-head", "drip-chunks", "hang", "card-drips"])
@pytest.mark.parametrize("binding", BINDINGS)
@on_uvloop
async def test_without_a_deadline_a_decision_is_held_up(
    agents: str, binding: str, attack: str
) -> None:
    """With it, the decision ends in time."""
    url = f"{agents}/{binding}/{attack}"
    off = AgentClient(HttpTransport(deadline=no_deadline), deadline=no_deadline)
    assert await is_held_up(off, url)
    tries = [await is_held_up(AgentClient(HttpTransport()), url) for _ in range(3)]
    assert not all(tries)  # a shared machine may be late by itself now and then


@on_uvloop
async def test_a_deadline_of_each_request_alone_is_not_enough(agents: str) -> None:
    """Several requests, each in time, take longer than the clock."""
    client = AgentClient(HttpTransport(), deadline=no_deadline)
    began = time.monotonic()
    with pytest.raises(AgentError):
        await client.resolve(f"{agents}/jsonrpc/card-missing", timeout=CLOCK)
    assert time.monotonic() - began > CLOCK.total_seconds() + MOST_LATE_S
    await client.close()


async def stalls(client: AgentClient, url: str) -> bool:
    """Tell whether an attack stalls the loop or fills the memory."""
    return not (await attacked(f"{url}/{CARD}", client=client)).measured.is_bearable


@pytest.mark.parametrize(
    ("binding", "attack"),
    [("jsonrpc", "many-lists"), ("rest", "many-parts"), ("v03", "many-parts")],
)
@on_uvloop
async def test_without_bounds_a_reply_stalls_the_table(
    agents: str, binding: str, attack: str
) -> None:
    """Parsing and converting it takes too long."""
    assert await stalls(
        AgentClient(HttpTransport(), bounds=UNLIMITED), f"{agents}/{binding}/{attack}"
    )


@pytest.mark.parametrize(
    "attack", ["endless-informational", "endless-hints", "endless-tiny-chunks"]
)
@on_uvloop
async def test_without_a_limit_of_the_head_a_reply_keeps_the_table_busy(
    agents: str, attack: str
) -> None:
    """Aiohttp parses heads and trailers for as long as the clock runs."""
    url = f"{agents}/jsonrpc/{attack}/{CARD}"
    limited = (await attacked(url)).measured
    off = AgentClient(HttpTransport(head_limit=10**9))
    unlimited = (await attacked(url, client=off)).measured
    assert unlimited.busy_s > 3 * limited.busy_s, (unlimited, limited)


@on_uvloop
async def test_without_a_limit_of_the_body_a_reply_fills_the_memory(agents: str) -> None:
    """At the speed of the connection."""
    off = AgentClient(HttpTransport(body_limit=10**9))
    assert await stalls(off, f"{agents}/jsonrpc/endless-chunks")


async def keeps_what_cannot_be_sent(client: AgentClient, url: str) -> bool:
    """Tell whether a refused answer is kept that is nested too deep to be serialized."""
    peer = await client.resolve(f"{url}/{CARD}", timeout=CLOCK)
    with pytest.raises(Malformed) as malformed:
        await peer.call("act", ASKED, ActionResponse, timeout=CLOCK)
    await client.close()
    return is_deeper(malformed.value.content, DEEPEST)


@pytest.mark.parametrize("depth", [33, 200])
@on_uvloop
async def test_without_bounds_an_answer_is_kept_that_ends_the_session(
    agents: str, depth: int
) -> None:
    """The second attempt quotes it, and cannot be serialized."""
    url = f"{agents}/jsonrpc/nested-{depth}"
    assert await keeps_what_cannot_be_sent(AgentClient(HttpTransport(), bounds=UNLIMITED), url)
    assert not await keeps_what_cannot_be_sent(AgentClient(HttpTransport()), url)


@on_uvloop
async def test_the_bomb_fills_a_client_that_unpacks() -> None:
    """Httpx decompresses replies."""
    reply = http(gzipped(64 * 2**20), b"200 OK", b"Content-Encoding: gzip")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with measuring(timedelta(seconds=30)) as measured, httpx.AsyncClient() as client:
        assert len((await client.get(url)).content) == 64 * 2**20
    assert measured.memory > MOST_MEMORY
    assert len(gzip.decompress(gzipped(1_000))) == 1_000
    server.close()
