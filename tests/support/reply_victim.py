"""A table that asks a hostile player, and what that costs it."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from casino_agentkit import AgentClient, Conversation
from casino_contracts import ActionRequest, ActionResponse, Rejection
from casino_table.clock import Clock
from casino_table.roster import Roster
from casino_table.seat import Seat
from casino_table.turn import Action, Decision, Turn

CLOCK = timedelta(milliseconds=300)
MOST_LATE_S = 0.05
MOST_STALL_S = 0.05
MOST_MEMORY = 8 * 2**20

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
    """Fold or call?"""

    reply = ActionResponse
    brief = "Fold or call?"
    default: Action = {"action_type": "fold"}

    def __init__(self) -> None:
        self.rejected: list[Rejection] = []

    def request(self, _attempt: int, _left: timedelta, rejected: Rejection | None) -> bytes:
        """Return the question; on the second attempt with what was wrong."""
        if rejected is not None:
            self.rejected.append(rejected)
        return ASKED.model_copy(update={"rejected": rejected}).wire()

    def action(self, response: ActionResponse) -> Action:
        """Take whatever is answered."""
        return {"action_type": response.action}


class Watch:
    """Measures how long the event loop's thread computes without a pause.

    Processor time is measured, not time: what other processes take does not count.
    """

    def __init__(self) -> None:
        self.stall_s = 0.0

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Watch within the block."""
        task = asyncio.create_task(self._watch())
        await asyncio.sleep(0)
        try:
            yield
        finally:
            await asyncio.sleep(0.002)
            task.cancel()

    async def _watch(self) -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            self.stall_s = max(self.stall_s, now - before)
            before = now


@dataclass
class Cost:
    """What one decision cost the table."""

    decision: Decision
    late_s: float
    """Beyond the clock; what a timer of the same length was late is not counted."""
    stall_s: float
    memory: int
    """Bytes by which the most that the process ever used grew."""
    rejected: list[Rejection]

    @property
    def is_bearable(self) -> bool:
        """Whether it costs the others next to nothing."""
        return (
            self.late_s <= MOST_LATE_S
            and self.stall_s <= MOST_STALL_S
            and self.memory <= MOST_MEMORY
        )


async def decide(client: AgentClient, card_url: str, clock: timedelta = CLOCK) -> Cost:
    """Ask the agent at a card URL for one decision, as a table does."""
    question: Any = OneQuestion()
    seat: Any = Seat.__new__(Seat)
    seat.card_url, seat.action_skill = card_url, "act"
    seat.token = None
    turn = Turn(Roster(client), Clock(), clock)
    gc.collect()
    base = memory_now()
    reset_peak()
    watch = Watch()
    loop = asyncio.get_running_loop()
    async with watch.watching():
        timer = asyncio.create_task(_end_of(clock))
        began = loop.time()
        decision = await turn.decide(seat, question, Conversation())
        ended = loop.time()
    late = 0.0
    if ended - began > clock.total_seconds():
        late = ended - max(began + clock.total_seconds(), await timer)
    else:
        timer.cancel()
    return Cost(decision, late, watch.stall_s, peak_memory() - base, question.rejected)


async def _end_of(clock: timedelta) -> float:
    await asyncio.sleep(clock.total_seconds())
    return asyncio.get_running_loop().time()


def reset_peak() -> None:
    """Have the kernel forget the most memory that this process ever used."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    """Return the most bytes of memory used since then."""
    return _status("VmHWM")


def memory_now() -> int:
    """Return the bytes of memory in use."""
    return _status("VmRSS")


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(name)
