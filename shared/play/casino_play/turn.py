"""Ask one player for a decision within a deadline, else use the default action.

The deadline is measured by the caller's clock from the moment of sending: the seat's clock, and
then what is left of its time bank.
An address that is unreachable, or closes the connection without a reply, is asked again until the
deadline, with the same `requestId`: an agent with a memory (`idempotency_cache.py`) sends the lost
reply again. A malformed or illegal answer gets one second attempt, with the reason of the rejection
and another id.
A late answer is not read, so it counts as none: `Turn.decide` returns a `Decision` whose `outcome`
(`timeout`) and `reason` name the fault, the table counts it in `count_decision`
(`casino_table/play/running_hand.py`), and the lobby lists it (`FaultBook`).
`Clock` measures the time, and `PlayerDirectory` finds the players' agents.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from casino_agentkit import (
    AgentError,
    Disconnected,
    HotOutput,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
)
from casino_agentkit.accepted_json import shown
from casino_agentkit.process.background_tasks import Backoff
from casino_contracts import FAULT_REASON_LIMIT, Defaulted, Outcome, Rejection, Usage
from casino_contracts.player_messages import usage_of_both
from pydantic_core import to_json

from casino_play.errors import IllegalAnswer

if TYPE_CHECKING:  # so that judging answers, where nobody is called, loads no client
    from casino_agentkit import AgentClient, Conversation, RemoteAgent

Action = dict[str, Any]  # an action of a game: its `action_type`, and `amount` where it takes one

PROBE_TIMEOUT = timedelta(seconds=2)
REFUSED_LIMIT = 1_000
_REASON_LIMIT = 300
_BACKOFF = Backoff(first_s=0.05, slowest_s=1.0)
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts the time for which the machine was suspended too: a lease ends meanwhile."""
_MILLISECOND = timedelta(milliseconds=1)
_SECOND_NS = 1_000_000_000


class Decision(NamedTuple):
    """An action of a player, and its outcome."""

    action: Action
    outcome: Outcome
    latency: timedelta = timedelta()
    message: str | None = None
    reasoning: str | None = None
    reason: str | None = None
    """Why an answer was refused or none came: one line, at most 300 characters. Never public."""
    refused: str | None = None
    """The answer that was refused last, as JSON of at most 1,000 characters. Never public."""
    defaulted: Defaulted | None = None
    """Why the player's program answered with a default; None for a decision of its own."""
    usage: Usage | None = None
    """What the decision cost, as the player says."""

    @property
    def latency_ms(self) -> int | None:
        """The time for the answer in milliseconds; None if nothing was asked."""
        return None if self.outcome == "sitting_out" else round(self.latency / _MILLISECOND)

    @property
    def is_own(self) -> bool:
        """Whether the action is the player's own, not the default."""
        return self.outcome in {"ok", "retried"}


@dataclass(frozen=True, slots=True)
class AgentSeat:
    """The agent that decides for a seat, at one decision."""

    card_url: str
    action_skill: str
    clock_ms: int  # the time for a decision
    token: str | None = field(default=None, repr=False)
    """The token that authenticates the caller to the agent."""
    time_bank_ms: int | None = None  # what is left of the time bank; None if there is none


class Reply(Protocol):
    """Optional fields of every answer."""

    @property
    def message(self) -> str | None:
        """Table talk, published to all viewers."""

    @property
    def reasoning(self) -> str | None:
        """Private reasoning: only in the hand record."""

    @property
    def away(self) -> bool | None:
        """Whether nobody is there to decide."""

    @property
    def defaulted(self) -> Defaulted | None:
        """Why something answered in the player's place; None for its own decision."""

    @property
    def usage(self) -> Usage | None:
        """What the decision cost."""


ReplyT = TypeVar("ReplyT", bound=Reply)


class Question(Protocol[ReplyT]):
    """A question to one player, in the format of the game."""

    @property
    def reply(self) -> type[ReplyT] | HotOutput[ReplyT]:
        """How the answer is read: its message class, or a faster way."""

    def request(
        self,
        attempt: int,
        left: timedelta,
        rejected: Rejection | None,
        time_bank_ms: int | None = None,
    ) -> bytes:
        """Return the request of an attempt, as JSON; `time_bank_ms` is left of the time bank."""

    def action(self, response: ReplyT) -> Action:
        """Return the answer as an action of the game; raises IllegalAnswer."""

    def for_invoke_profile(self) -> "Question[ReplyT]":
        """Return this question with the amounts that agents of the invoke profile mean."""

    @property
    def default(self) -> Action:
        """The action if no valid answer arrives in time."""

    @property
    def brief(self) -> str:
        """The task as text, for agents that read text."""


class Clock:
    """The system clock."""

    _second = -1
    _text = ""  # the newest second as text, without its fraction

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.clock_gettime(_CLOCK)

    def timestamp(self) -> str:
        """Return the wall-clock time as ISO 8601 in UTC, with milliseconds."""
        second, nanoseconds = divmod(time.time_ns(), _SECOND_NS)
        if second != self._second:
            self._second = second
            self._text = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{self._text}.{nanoseconds // 1_000_000:03d}Z"

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class PlayerClient(Protocol):
    """A player's agent."""

    @property
    def is_invoke(self) -> bool: ...

    async def call(
        self,
        skill: str,
        message: bytes,
        output: type[ReplyT] | HotOutput[ReplyT],
        *,
        timeout: timedelta,
        conversation: "Conversation",
        brief: str,
        token: str | None,
    ) -> ReplyT:
        """Return the answer; raises AgentError."""


class Players(Protocol):
    """Finds the agents of players by card URL."""

    async def peer(self, card_url: str, timeout: timedelta) -> PlayerClient: ...

    def forget(self, card_url: str) -> None:
        """Let the next `peer` read the card again."""


class Turn:
    """Ask players, each within the seat's clock, and its time bank where there is one.

    `require_right` takes the time of the clock, and raises where nobody may be asked any more.
    """

    def __init__(
        self,
        players: Players,
        clock: Clock,
        require_right: Callable[[float], None] = lambda _now: None,
    ) -> None:
        self._players = players
        self._clock = clock
        self._require_right = require_right

    async def decide(
        self,
        seat: AgentSeat,
        question: Question[ReplyT],
        conversation: "Conversation",
        attempt: int = 1,
    ) -> Decision:
        """Return the decision or the default; `require_right` may raise before an attempt.

        `attempt` is the first one's number: a question that was answered before has a higher one.
        """
        asked_at = self._clock.now()
        clock_ends_at = ends_at = asked_at + seat.clock_ms / 1000
        time_bank_ms = seat.time_bank_ms
        if time_bank_ms is not None:
            ends_at += time_bank_ms / 1000
        rejected: Rejection | None = None
        failures = 0
        outcome: Outcome = "timeout"
        reason: str | None = None
        refused: str | None = None
        spent: Usage | None = None  # by refused answers, too
        while (left_s := ends_at - self._clock.now()) > 0:
            left = timedelta(seconds=left_s)
            try:
                peer = await self._players.peer(seat.card_url, left)
                posed = question.for_invoke_profile() if peer.is_invoke else question
                now = self._clock.now()
                self._require_right(now)
                left = timedelta(seconds=max(0.0, ends_at - now))
                on_clock = left
                if time_bank_ms is not None:
                    on_clock = timedelta(seconds=max(0.0, clock_ends_at - now))
                    time_bank_ms = min(time_bank_ms, int(left.total_seconds() * 1000))
                response = await peer.call(
                    seat.action_skill,
                    posed.request(attempt, on_clock, rejected, time_bank_ms),
                    posed.reply,
                    timeout=left,
                    conversation=conversation,
                    brief=posed.brief,
                    token=seat.token,
                )
                spent = usage_of_both(spent, response.usage)
                action = posed.action(response)
            except TimedOut as error:
                # After failed connections, the deadline only cut the last attempt short.
                if outcome not in {"unreachable", "disconnected"}:
                    outcome, reason = "timeout", _late(error, rejected)
                break
            except (Malformed, ProtocolFault, RemoteRefused, IllegalAnswer) as error:
                outcome = "illegal" if isinstance(error, IllegalAnswer) else "malformed"
                reason, rejection = _reason(error), _rejection(error)
                refused = _as_json(rejection.answer) or refused
                if rejected is not None:
                    break
                attempt, rejected = attempt + 1, rejection
            except Unreachable as error:
                outcome = "disconnected" if isinstance(error, Disconnected) else "unreachable"
                reason = _reason(error)
                self._players.forget(seat.card_url)
                failures += 1
                left_s = max(0.0, ends_at - self._clock.now())
                await self._clock.sleep(min(_BACKOFF.pause_s(failures), left_s))
            else:
                took = self._since(asked_at)
                return _decided(action, response, took, spent, rejected, refused)
        took = self._since(asked_at)
        return Decision(
            question.default, outcome, took, reason=reason, refused=refused, usage=spent
        )

    def _since(self, asked_at: float) -> timedelta:
        return timedelta(seconds=self._clock.now() - asked_at)


_AWAY = Defaulted(reason="away")


def outcome_of(reply: Reply, *, is_second: bool) -> tuple[Outcome, Defaulted | None]:
    """Return the outcome of a legal answer, and why it is a default; `away` alone is a reason."""
    defaulted = reply.defaulted or (_AWAY if reply.away else None)
    if defaulted is not None:
        return "away" if defaulted.reason == "away" else "defaulted", defaulted
    return "retried" if is_second else "ok", None


def _decided(
    action: Action,
    reply: Reply,
    took: timedelta,
    spent: Usage | None,
    rejected: Rejection | None,
    refused: str | None,
) -> Decision:
    outcome, defaulted = outcome_of(reply, is_second=rejected is not None)
    why = rejected.message if rejected else None
    if defaulted is not None:
        why = defaulted.detail or why
    reason = shown(why, FAULT_REASON_LIMIT) if why else None
    texts = reply.message, reply.reasoning, reason, refused
    return Decision(action, outcome, took, *texts, defaulted, spent)


def _reason(error: AgentError | IllegalAnswer) -> str:
    message = error.args[0] if isinstance(error, IllegalAnswer) else error.message
    return shown(message, FAULT_REASON_LIMIT)


def _late(error: TimedOut, rejected: Rejection | None) -> str:
    """Return why no answer came; the first one may have been refused."""
    first = f"; the first answer was refused: {rejected.message}" if rejected else ""
    return shown(error.message + first, FAULT_REASON_LIMIT)


def _rejection(error: AgentError | IllegalAnswer) -> Rejection:
    if isinstance(error, IllegalAnswer):
        message, answer = error.args
        return Rejection(reason="illegal", message=message[:_REASON_LIMIT], answer=answer)
    answer = error.content if isinstance(error, Malformed) else None
    return Rejection(reason="malformed", message=error.message[:_REASON_LIMIT], answer=answer)


def _as_json(answer: object) -> str | None:
    """Return a refused answer in one line; None if there is none, or it is too large or deep."""
    return None if answer is None else shown(to_json(answer).decode(), REFUSED_LIMIT)


class PlayerDirectory:
    """Resolve and cache peers by card URL."""

    def __init__(self, client: "AgentClient") -> None:
        self._client = client
        self._peers: dict[str, RemoteAgent] = {}
        self._reading: dict[str, asyncio.Event] = {}
        """Set when a card that is being read was read, or could not be."""

    async def peer(self, card_url: str, timeout: timedelta) -> "RemoteAgent":
        cached = self._peers.get(card_url)
        if cached is None:
            is_read = self._reading[card_url] = asyncio.Event()
            try:
                cached = await self._client.resolve(card_url, timeout=timeout)
                self._peers[card_url] = cached
            finally:
                is_read.set()
                if self._reading.get(card_url) is is_read:
                    del self._reading[card_url]
        return cached

    async def joined(self, card_url: str, timeout: timedelta) -> "RemoteAgent":
        """Return a player's agent as `peer`, but wait for a reading of its card in progress."""
        if card_url not in self._peers and (is_read := self._reading.get(card_url)):
            await is_read.wait()
        return await self.peer(card_url, timeout)

    def cached(self, card_url: str) -> "RemoteAgent | None":
        return self._peers.get(card_url)

    def forget(self, card_url: str) -> None:
        self._peers.pop(card_url, None)

    async def is_back(self, card_url: str) -> bool:
        self.forget(card_url)
        try:
            async with asyncio.timeout(PROBE_TIMEOUT.total_seconds()):
                await self.peer(card_url, PROBE_TIMEOUT)
        except (AgentError, TimeoutError):
            return False
        return True
