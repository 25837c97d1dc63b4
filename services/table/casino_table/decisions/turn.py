"""Ask one player for a decision within a deadline, else use the default action.

The deadline is measured by the table's clock from the moment of sending: the seat's clock, and then
what is left of its time bank.
An address that is unreachable, or closes the connection without a reply, is asked again until the
deadline. A malformed or illegal answer gets one second
attempt, with the reason of the rejection.
"""

from datetime import timedelta
from typing import Any, NamedTuple, Protocol, TypeVar

from casino_agentkit import (
    AgentError,
    Conversation,
    Disconnected,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
)
from casino_agentkit.bounds import shown
from casino_agentkit.client.backoff import Backoff
from casino_contracts import FAULT_REASON_LIMIT, Outcome, Rejection, TableConfig
from pydantic_core import to_json

from casino_table.clock import Clock
from casino_table.decisions.player_directory import PlayerDirectory
from casino_table.domain.lease import Lease
from casino_table.domain.seat import Seat
from casino_table.errors import IllegalAnswer

_BACKOFF = Backoff(first_s=0.05, slowest_s=1.0)
_REASON_LIMIT = 300
REFUSED_LIMIT = 1_000

Action = dict[str, Any]


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

    @property
    def away(self) -> bool | None:
        """Whether nobody is there to decide."""
        ...


ReplyT = TypeVar("ReplyT", bound=Reply)


class Question(Protocol[ReplyT]):
    """A question to one player, in the format of the game."""

    @property
    def reply(self) -> type[ReplyT]:
        """The message class of the answer."""
        ...

    def request(
        self,
        attempt: int,
        left: timedelta,
        rejected: Rejection | None,
        time_bank_ms: int | None = None,
    ) -> bytes:
        """Return the request of an attempt, as JSON; `time_bank_ms` is left of the time bank."""
        ...

    def action(self, response: ReplyT) -> Action:
        """Return the answer as an action of the game; raises IllegalAnswer."""
        ...

    def for_invoke_profile(self) -> "Question[ReplyT]":
        """Return this question with the amounts that agents of the invoke profile mean."""
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
    reason: str | None = None
    """Why an answer was refused or none came: one line, at most 300 characters. Never public."""
    refused: str | None = None
    """The answer that was refused last, as JSON of at most 1,000 characters. Never public."""

    @property
    def latency_ms(self) -> int | None:
        """The time for the answer in milliseconds; None if nothing was asked."""
        is_asked = self.outcome != "sitting_out"
        return round(self.latency.total_seconds() * 1000) if is_asked else None

    @property
    def is_own(self) -> bool:
        """Whether the action is the player's own, not the default."""
        return self.outcome in {"ok", "retried"}


class Turn:
    """Ask players, each within the seat's clock, and its time bank where the table has one.

    Nobody is asked when `lease` is over.
    """

    def __init__(
        self, players: PlayerDirectory, clock: Clock, config: TableConfig, lease: Lease
    ) -> None:
        self._players = players
        self._clock = clock
        self._config = config
        self._lease = lease

    async def decide(
        self, seat: Seat, question: Question[ReplyT], conversation: Conversation
    ) -> Decision:
        """Return the player's decision, or the default action with the outcome.

        Raises LeaseOver before an attempt for which the lease is over.
        """
        asked_at = self._clock.now()
        clock_ends_at = ends_at = asked_at + seat.clock_in(self._config) / 1000
        time_bank_ms = seat.time_bank_in(self._config)
        if time_bank_ms is not None:
            ends_at += time_bank_ms / 1000
        attempt, rejected = 1, None
        failures = 0
        outcome: Outcome = "timeout"
        reason: str | None = None
        refused: str | None = None
        while (left_s := ends_at - self._clock.now()) > 0:
            left = timedelta(seconds=left_s)
            try:
                peer = await self._players.peer(seat.card_url, left)
                posed = question.for_invoke_profile() if peer.is_invoke else question
                now = self._clock.now()
                self._lease.require(now)
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
                return Decision(
                    action,
                    "away" if response.away else "retried" if rejected else "ok",
                    self._since(asked_at),
                    response.message,
                    response.reasoning,
                    shown(rejected.message, FAULT_REASON_LIMIT) if rejected else None,
                    refused,
                )
        took = self._since(asked_at)
        return Decision(question.default, outcome, took, reason=reason, refused=refused)

    def _since(self, asked_at: float) -> timedelta:
        return timedelta(seconds=self._clock.now() - asked_at)


def _reason(error: AgentError | IllegalAnswer) -> str:
    """Return why an answer was refused or none came."""
    message = error.args[0] if isinstance(error, IllegalAnswer) else error.message
    return shown(message, FAULT_REASON_LIMIT)


def _late(error: TimedOut, rejected: Rejection | None) -> str:
    """Return why no answer came; the first one may have been refused."""
    first = f"; the first answer was refused: {rejected.message}" if rejected else ""
    return shown(error.message + first, FAULT_REASON_LIMIT)


def _rejection(error: AgentError | IllegalAnswer) -> Rejection:
    """Return the reason of a rejected answer, for the second attempt."""
    if isinstance(error, IllegalAnswer):
        message, answer = error.args
        return Rejection(reason="illegal", message=message[:_REASON_LIMIT], answer=answer)
    answer = error.content if isinstance(error, Malformed) else None
    return Rejection(reason="malformed", message=error.message[:_REASON_LIMIT], answer=answer)


def _as_json(answer: object) -> str | None:
    """Return a refused answer in one line; None if there is none, or it is too large or deep."""
    return None if answer is None else shown(to_json(answer).decode(), REFUSED_LIMIT)
