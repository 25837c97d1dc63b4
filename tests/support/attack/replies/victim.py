"""A decision of a hostile player, and what it costs the table: work is counted, not timed."""

import asyncio
import cProfile
import gc
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from casino_agentkit import AgentClient, CommandRefused, Conversation
from casino_contracts import ActionRequest, ActionResponse, Rejection, SignupResponse
from casino_lobby.table_messages import translate_errors
from casino_play.turn import Action, AgentSeat, Clock, Decision, PlayerDirectory, Turn

from support.table.virtual_clock import VirtualClock

CLOCK = timedelta(milliseconds=300)
MOST_CALLS: Final = 600_000
"""Calls of functions that a decision of two attempts may take: each may convert 4,000 values."""
MOST_MEMORY: Final = 16 * 2**20
"""Bytes of Python that it may take at a time, with those of the attacker in the same process."""

ASKED = ActionRequest.model_validate(
    {
        "tableId": "t1",
        "bettingRound": "preflop",
        "communityCards": [],
        "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "K", "suit": "diamonds"}],
        "pot": 3,
        "minimumRaise": 2,
        "currentBet": 2,
        "playerStack": 200,
        "legalActions": ["fold", "call"],
    }
)


class OneQuestion:
    """A question to fold or call, whose rejections are kept."""

    reply = ActionResponse
    brief = "Fold or call?"

    def __init__(self) -> None:
        self.default: Action = {"action_type": "fold"}
        self.rejected: list[Rejection] = []

    def request(
        self,
        _attempt: int,
        _left: timedelta,
        rejected: Rejection | None,
        _time_bank_ms: int | None = None,
    ) -> bytes:
        """Return the question; on the second attempt with what was wrong."""
        if rejected is not None:
            self.rejected.append(rejected)
        return ASKED.model_copy(update={"rejected": rejected}).wire()

    def action(self, response: ActionResponse) -> Action:
        """Return any answer unchanged."""
        return {"action_type": response.action}

    def for_invoke_profile(self) -> "OneQuestion":
        """Return this question, which has no amounts."""
        return self


@dataclass
class Work:
    """What a block cost this thread."""

    calls: int = 0
    """Calls of functions, in Python or in C."""
    memory: int = 0
    """The most bytes that Python held at a time, beyond those before."""

    @property
    def is_bearable(self) -> bool:
        """Whether the cost for others is negligible."""
        return self.calls <= MOST_CALLS and self.memory <= MOST_MEMORY


@contextmanager
def counted() -> Iterator[Work]:
    """Count the work of a block."""
    work, profile = Work(), cProfile.Profile()
    gc.collect()
    tracemalloc.start()
    profile.enable()
    try:
        yield work
    finally:
        profile.disable()
        work.memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        work.calls = sum(entry.callcount for entry in profile.getstats())


@asynccontextmanager
async def in_time(limit: timedelta) -> AsyncIterator[None]:
    """Assert that a block ends before a clock that starts with it rings."""
    rings_after_s = limit.total_seconds() + 0.001
    bell = asyncio.ensure_future(asyncio.sleep(rings_after_s))  # virtual: the claim is an order
    try:
        yield
        assert not bell.done(), "the clock rang before"
    finally:
        bell.cancel()


@dataclass
class Cost:
    """What one decision cost the table."""

    decision: Decision
    rejected: list[Rejection]
    work: Work = field(default_factory=Work)


async def decide(
    client: AgentClient, card_url: str, clock: timedelta = CLOCK, time: Clock | None = None
) -> Cost:
    """Request one decision of the agent at a card URL, as a table does, by its clock."""
    question = OneQuestion()
    seat = AgentSeat(card_url, "act", round(clock.total_seconds() * 1000))
    turn = Turn(PlayerDirectory(client), time or VirtualClock())
    decision = await turn.decide(seat, question, Conversation())
    return Cost(decision, question.rejected)


async def attacked(
    client: AgentClient, card_url: str, clock: timedelta = CLOCK, time: Clock | None = None
) -> Cost:
    """Return the cost of a decision.

    The agent decides once before it, so that what is loaded or made once is not counted.
    """
    await decide(client, card_url, clock, time)
    with counted() as work:
        cost = await decide(client, card_url, clock, time)
    cost.work = work
    return cost


async def signed_up(client: AgentClient, card_url: str) -> CommandRefused:
    """Return how the lobby refuses a sign-up that fails."""
    try:
        with translate_errors("The player"):
            peer = await client.resolve(card_url, timeout=CLOCK / 2)
            await peer.call("signup", ASKED, SignupResponse, timeout=CLOCK / 2)
    except CommandRefused as error:
        return error
    raise AssertionError("the sign-up did not fail")
