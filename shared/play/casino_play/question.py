"""What a question to a player must offer so that it can be asked, whatever the game. Pure."""

from datetime import timedelta
from typing import Protocol, TypeVar

from casino_agentkit import HotOutput
from casino_contracts import Rejection

from casino_play.decision import Action


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
    def reply(self) -> type[ReplyT] | HotOutput[ReplyT]:
        """How the answer is read: its message class, or a faster way."""
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
