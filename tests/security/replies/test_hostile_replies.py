"""Hostile replies cost a decision at most its clock, on every binding.

Each attack runs against a table's decision with real sockets, on a virtual clock: bytes, calls and
memory are counted. The last tests switch each defence off and demand that its attacks succeed then.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import pytest
from casino_agentkit import AgentClient, AgentError, HttpTransport, Malformed, RemoteRefused
from casino_agentkit.accepted_json import DEEPEST, ReplyBounds, is_deeper
from casino_contracts import ActionResponse, SignupResponse
from support.attack.replies.catalogue import ATTACKS, CARD_ATTACKS, MEGABYTE
from support.attack.replies.raw_agent import HostileAgents
from support.attack.replies.victim import (
    ASKED,
    CLOCK,
    attacked,
    counted,
    decide,
    in_time,
    signed_up,
)
from support.envelopes import EVERY_BINDING, INVOKE

CARD = ".well-known/agent-card.json"
MOST_SENT = 10 * MEGABYTE
"""Bytes that a hostile agent gets rid of at most in two decisions of two attempts."""
SILENT = {
    "hang", "drip", "drip-head", "drip-chunks", "working", "working-long-id", "working-path",
    "working-history", "card-redirects", "card-missing", "card-drips",
}  # fmt: skip
CONVERTED = (
    "honest", "hang", "nested-33", "nested-1000", "many-lists", "many-parts", "many-texts",
    "large-answer", "long-context", "refusal", "working-path", "working-history",
)  # fmt: skip
"""Attacks on what the SDK's client converts, which is less than what is read otherwise."""
PROFILE = ("honest", "hang", "nested-1000", "line-breaks", "many-lists", "odd-refusal", "working")
CASES = [
    *(("jsonrpc", attack) for attack in (*ATTACKS, *CARD_ATTACKS)),
    *(("rest", attack) for attack in CONVERTED),
    *(("v03", attack) for attack in ("honest", "many-parts", "nested-1000", "working-long-id")),
    *((INVOKE, attack) for attack in PROFILE),
]
"""What HTTP carries is attacked once: every binding reads it with the same transport."""
UNLIMITED = ReplyBounds(
    body=10**9, openings=10**9, commas=10**9, converted=10**9, converted_body=10**9, deepest=10**9,
    text=10**9, candidates=10**9, echoed=10**9,
)  # fmt: skip


def no_deadline(_seconds: float) -> nullcontext[None]:
    return nullcontext()


@asynccontextmanager
async def asked(
    transport: HttpTransport | None = None, **options: Any
) -> AsyncIterator[tuple[AgentClient, HostileAgents, str]]:
    """Run the hostile agents; gives a client, them, and the form of their card's URL."""
    client, agents = AgentClient(transport or HttpTransport(), **options), HostileAgents()
    async with agents.listening():
        yield client, agents, f"{agents.url}/{{}}/{{}}/{CARD}"
        await client.close()


def outcomes_of(attack: str, binding: str) -> set[str]:
    is_converted = binding in {"rest", "v03"}  # by the SDK's client, and so less of it is read
    if binding == INVOKE and attack.startswith("working"):
        return {"malformed"}
    if attack in {"working-long-id", "working-path", "working-history"} and is_converted:
        return {"malformed"}
    if attack in SILENT:
        return {"timeout"}
    if attack in {"honest", "under-raise"} or (attack == "long-context" and not is_converted):
        return {"ok"}
    return {"disconnected"} if attack == "reset" else {"malformed"}


@pytest.mark.parametrize(("binding", "attack"), CASES)
async def test_a_decision_costs_its_clock_and_no_more(binding: str, attack: str) -> None:
    async with asked() as (client, agents, card), in_time(2 * CLOCK):
        cost = await attacked(client, card.format(binding, attack))
        assert cost.decision.outcome in outcomes_of(attack, binding), cost
        assert cost.work.is_bearable, cost
        assert agents.sent < MOST_SENT
    assert all(len(rejection.wire()) < 6_000 for rejection in cost.rejected)
    assert all(rejection.message.isprintable() for rejection in cost.rejected)


@pytest.mark.parametrize(
    ("binding", "attack"),
    [
        *(("jsonrpc", attack) for attack in ("hang", "drip", "card-redirects", "line-breaks")),
        *((binding, attack) for binding in EVERY_BINDING for attack in ("working", "nested-255")),
    ],
)
async def test_a_sign_up_costs_its_time_limit_and_no_more(binding: str, attack: str) -> None:
    """The lobby reports every failure as a refusal."""
    async with asked() as (client, agents, card), in_time(CLOCK):
        refused = await signed_up(client, card.format(binding, attack))
        assert agents.sent < MOST_SENT
    assert refused.reason in {"AGENT_TIMED_OUT", "AGENT_CONTRACT_VIOLATION"}
    assert len(refused.message) < 1_500


@pytest.mark.parametrize("attack", ["refusal", "many-faults", "odd-refusal"])
@pytest.mark.parametrize("binding", EVERY_BINDING)
async def test_a_refusal_is_passed_on_in_bounds(binding: str, attack: str) -> None:
    async with asked() as (client, _, card):
        peer = await client.resolve(card.format(binding, attack), timeout=CLOCK)
        with pytest.raises(AgentError) as error:
            await peer.call("signup", ASKED, SignupResponse, timeout=CLOCK)
    assert len(error.value.message) <= 600
    assert error.value.message.isprintable()
    if isinstance(error.value, RemoteRefused):
        assert re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", error.value.reason)
        assert len(error.value.violations) <= 20
        faults = [text for one in error.value.violations for text in (one.field, one.message)]
        assert all(len(text) <= 300 and text.isprintable() for text in faults)


# Each defence switched off: its attacks succeed.


async def test_without_a_deadline_a_decision_is_held_up() -> None:
    for attack in ("drip", "drip-head", "drip-chunks", "hang", "card-drips"):
        off = HttpTransport(deadline=no_deadline)
        async with asked(off, deadline=no_deadline) as (client, _, card):
            held_up = asyncio.ensure_future(decide(client, card.format("jsonrpc", attack)))
            await asyncio.sleep(2 * CLOCK.total_seconds())
            assert not held_up.done(), attack
            held_up.cancel()
            await asyncio.gather(held_up, return_exceptions=True)


async def test_a_deadline_of_each_request_alone_is_not_enough() -> None:
    async with asked(deadline=no_deadline) as (client, _, card):
        base = card.format("jsonrpc", "card-missing").removesuffix(CARD)
        held_up = asyncio.ensure_future(client.resolve(base, timeout=CLOCK))
        await asyncio.sleep(CLOCK.total_seconds() + 0.05)
        assert not held_up.done()
        with pytest.raises(AgentError):
            await held_up


@pytest.mark.parametrize(("binding", "attack"), [("jsonrpc", "many-lists"), ("rest", "some-parts")])
async def test_without_bounds_a_reply_stalls_the_table(binding: str, attack: str) -> None:
    async with asked(bounds=UNLIMITED) as (client, _, card):
        with counted() as work:
            await decide(client, card.format(binding, attack))
        assert not work.is_bearable, work


@pytest.mark.parametrize(
    ("attack", "limit"),
    [
        ("endless-informational", "head_limit"),
        ("endless-hints", "head_limit"),
        ("endless-chunks", "body_limit"),
    ],
)
async def test_without_a_limit_of_the_size_a_reply_is_read_without_end(
    attack: str, limit: str
) -> None:
    most = float("inf")
    for off in (dict[str, Any](), {limit: 10**9}):
        async with asked(HttpTransport(**off)) as (client, agents, card):
            agents.most = most
            await decide(client, card.format("jsonrpc", attack))
            assert (agents.sent > most) == bool(off)
            most = 3 * agents.sent


async def keeps_what_cannot_be_sent(depth: int, **options: Any) -> bool:
    """Tell whether a refused answer is kept that is nested too deep to be serialized."""
    async with asked(**options) as (client, _, card):
        peer = await client.resolve(card.format("jsonrpc", f"nested-{depth}"), timeout=CLOCK)
        with pytest.raises(Malformed) as malformed:
            await peer.call("act", ASKED, ActionResponse, timeout=CLOCK)
    return is_deeper(malformed.value.content, DEEPEST)


@pytest.mark.parametrize("depth", [33, 200])
async def test_without_bounds_an_answer_is_kept_that_ends_the_session(depth: int) -> None:
    assert await keeps_what_cannot_be_sent(depth, bounds=UNLIMITED)
    assert not await keeps_what_cannot_be_sent(depth)
