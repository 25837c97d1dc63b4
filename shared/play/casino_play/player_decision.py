"""A question to a player, whatever the game, and the decision that comes of it. Pure."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple, Protocol, TypeVar

from casino_agentkit import HotOutput
from casino_contracts import Outcome, Rejection

Action = dict[str, Any]  # an action of a game: its `action_type`, and `amount` where it takes one

_MILLISECOND = timedelta(milliseconds=1)


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
