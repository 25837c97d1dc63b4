"""Ask one player for a decision within a deadline, else use the default action.

The deadline is measured by the table's clock from the moment of sending.
An unreachable address is retried until the deadline. A malformed or illegal answer gets one second
attempt, with the reason of the rejection.
"""

from datetime import timedelta
from typing import Any, NamedTuple, Protocol, TypeVar

from casino_agentkit import (
    AgentError,
    Conversation,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
)
from casino_contracts import Outcome, Rejection

from casino_table.clock import Clock
from casino_table.decisions.player_directory import PlayerDirectory
from casino_table.domain.seat import Seat

_FIRST_RETRY_S, _SLOWEST_RETRY_S = 0.05, 1.0
_REASON_LIMIT = 300

Action = dict[str, Any]


class IllegalAnswer(Exception):
    """The answer is well formed but not a legal action; the message lists the legal actions."""


class Reply(Protocol):
    """Optional fields of every answer."""

    @property
    def message(self) -> str | None:
        """Table talk, published to all viewers."""
        ...

    @property
    def reasoning(self) -> str | None:
        """Private reasoning: only in the hand record."""
        ...


ReplyT = TypeVar("ReplyT", bound=Reply)


class Question(Protocol[ReplyT]):
    """A question to one player, in the format of the game."""

    @property
    def reply(self) -> type[ReplyT]:
        """The message class of the answer."""
        ...

    def request(self, attempt: int, left: timedelta, rejected: Rejection | None) -> bytes:
        """Return the request of an attempt, as JSON."""
        ...

    def action(self, response: ReplyT) -> Action:
        """Return the answer as an action of the game; raises IllegalAnswer."""
        ...

    @property
    def default(self) -> Action:
        """The action if no valid answer arrives in time."""
        ...

    @property
    def brief(self) -> str:
        """The task as text, for agents that read text."""
        ...


class Decision(NamedTuple):
    """An action of a player, and its outcome."""

    action: Action
    outcome: Outcome
    latency: timedelta = timedelta()
    message: str | None = None
    reasoning: str | None = None

    @property
    def is_own(self) -> bool:
        """Whether the action is the player's own, not the default."""
        return self.outcome in {"ok", "retried"}


class Turn:
    """Ask players; `limit` is the time for one decision."""

    def __init__(self, players: PlayerDirectory, clock: Clock, limit: timedelta) -> None:
        self._players = players
        self._clock = clock
        self._limit = limit

    async def decide(
        self, seat: Seat, question: Question[ReplyT], conversation: Conversation
    ) -> Decision:
        """Return the player's decision, or the default action with the outcome."""
        asked_at = self._clock.now()
        ends_at = asked_at + self._limit.total_seconds()
        attempt, rejected = 1, None
        retry_s = _FIRST_RETRY_S
        outcome: Outcome = "timeout"
        while (left_s := ends_at - self._clock.now()) > 0:
            left = timedelta(seconds=left_s)
            try:
                peer = await self._players.peer(seat.card_url, left)
                left = timedelta(seconds=max(0.0, ends_at - self._clock.now()))
                response = await peer.call(
                    seat.action_skill,
                    question.request(attempt, left, rejected),
                    question.reply,
                    timeout=left,
                    conversation=conversation,
                    brief=question.brief,
                    token=seat.token,
                )
                action = question.action(response)
            except TimedOut:
                # After failed connections, the deadline only cut the last attempt short.
                outcome = outcome if outcome == "unreachable" else "timeout"
                break
            except (Malformed, ProtocolFault, RemoteRefused, IllegalAnswer) as error:
                outcome = "illegal" if isinstance(error, IllegalAnswer) else "malformed"
                if rejected is not None:
                    break
                attempt, rejected = attempt + 1, _rejection(error)
            except Unreachable:
                outcome = "unreachable"
                self._players.forget(seat.card_url)
                await self._clock.sleep(min(retry_s, max(0.0, ends_at - self._clock.now())))
                retry_s = min(2 * retry_s, _SLOWEST_RETRY_S)
            else:
                return Decision(
                    action,
                    "retried" if rejected else "ok",
                    self._since(asked_at),
                    response.message,
                    response.reasoning,
                )
        return Decision(question.default, outcome, self._since(asked_at))

    def _since(self, asked_at: float) -> timedelta:
        return timedelta(seconds=self._clock.now() - asked_at)


def _rejection(error: AgentError | IllegalAnswer) -> Rejection:
    """Return the reason of a rejected answer, for the second attempt."""
    if isinstance(error, IllegalAnswer):
        message, answer = error.args
        return Rejection(reason="illegal", message=message[:_REASON_LIMIT], answer=answer)
    answer = error.content if isinstance(error, Malformed) else None
    return Rejection(reason="malformed", message=error.message[:_REASON_LIMIT], answer=answer)
