"""Exceptions of matches.

```
MatchError                root of all
├── ChipsNotConserved     a hand changed the sum of all chips: a bug
├── HandRefused           a learner's hand that cannot be dealt, or an answer that nothing asks
├── InvalidPlan           a plan that cannot be played, with the field and what to write instead
├── PlayerFailed          a player that cannot be used: no such file, function, style or agent
├── PlayerWrong           a wrong answer, in a match whose plan stops at one
├── MatchSuspended        an agent gave no answer for longer than the plan's patience
├── MatchInterrupted      the run was ended from outside; the match can be resumed
├── AgentBusy             an agent takes no call now; it is asked again
└── StoreFailed           a block or a plan could not be read or written
```
"""


class MatchError(Exception):
    """Root of the exceptions of this package."""


class ChipsNotConserved(MatchError):
    """A hand changed the sum of all chips: a bug, after which the match must stop."""


class HandRefused(MatchError):
    """A learner's hand cannot be dealt, or asks nothing; the text has field or fix."""


class InvalidPlan(MatchError):
    """A plan cannot be played; the text names the field and the fix."""


class PlayerFailed(MatchError):
    """A player cannot be used: there is no such file, function, style or agent."""


class PlayerWrong(MatchError):
    """A player's answer was wrong, in a match whose plan stops at one."""


class MatchSuspended(MatchError):
    """An agent gave no answer for longer than the plan's patience; the match can be resumed."""


class MatchInterrupted(MatchError):
    """The run was ended from outside; the match can be resumed."""


class AgentBusy(MatchError):
    """An agent takes no call now: `why` in a line, and when to ask again, if it says so."""

    def __init__(self, why: str, retry_after_s: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.retry_after_s = retry_after_s


class StoreFailed(MatchError):
    """A block or a plan could not be read or written."""
