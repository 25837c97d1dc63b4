"""Play at one table: decide its questions in time, and submit each answer once.

```
IDLE ── question ──> DECIDING ── submitted() ──> SUBMITTED
  ^                      ^                           │
  │                      └── first two refusals ─────┤
  └── window closed, too late ───────────────────────┘
```

The result of a round changes nothing here: it may arrive after the next round's first question.
A submission keeps its `messageId` when it is sent again, so that a server that has it already says
DUPLICATE_MESSAGE and takes it only once.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any
from uuid import uuid4

import structlog
from casino_agentkit.process.background_tasks import BackgroundTasks

from casino_player_example.a2g_client.a2g_decisions import ServerDecisions
from casino_player_example.a2g_client.a2g_messages import Message, ServerCode

_MODELS = {
    "turn_based": {"game_action_request"},
    "phase_based": {"game_action_request", "betting_window_open"},
}
"""The questions of each game model; a game without a known model has all of them."""
_REFUSED = {ServerCode.INVALID_ACTION, ServerCode.INVALID_AMOUNT}
"""Codes after which it is still the client's turn."""
_TOO_LATE = {
    ServerCode.NOT_YOUR_TURN,
    ServerCode.ROUND_COMPLETE,
    ServerCode.BETTING_WINDOW_CLOSED,
    ServerCode.TIMEOUT,
}
_MAX_REFUSALS = 2
_REMEMBERED = 256
_SHARE_OF_CLOCK = 0.8
"""The rest is kept in reserve, as the protocol requires."""
_DEFAULT_TIMEOUT_S = 10.0
_FIRST_DELAY_S = 0.25
_MAX_RETRIES = 6
_TEMPORARY = {ServerCode.RATE_LIMITED, ServerCode.INTERNAL_ERROR}

logger = structlog.get_logger(__name__)


class State(Enum):
    """Where a table's decision stands."""

    IDLE = "idle"
    DECIDING = "deciding"
    SUBMITTED = "submitted"


class Reaction(Enum):
    """What the client does after a message."""

    NOTHING = "nothing"
    DECIDE = "decide"
    SEND_AGAIN = "send again"
    STOP_DECIDING = "stop deciding"


class TableSession:
    """One table: `question` is the open request, `refusals` how often its answer was refused."""

    def __init__(self, game_model: str | None) -> None:
        self.state = State.IDLE
        self.question: Message | None = None
        self.refusals = 0
        self.refusal = ""
        self._questions = _MODELS.get(game_model or "", set().union(*_MODELS.values()))
        self._submission = ""
        self._earlier_questions: deque[str] = deque(maxlen=_REMEMBERED)

    def receive(self, message: Message) -> Reaction:
        if message.type in self._questions:
            return self._ask(message)
        if message.type == "game_error":
            return self._refuse(message)
        if message.type == "betting_window_closed":
            return self._end()
        return Reaction.NOTHING

    def submitted(self, message_id: str) -> None:
        self.state = State.SUBMITTED
        self._submission = message_id

    def is_submission(self, message_id: str) -> bool:
        return self.state is State.SUBMITTED and message_id == self._submission

    def _ask(self, message: Message) -> Reaction:
        is_same = self.question is not None and self.question.message_id == message.message_id
        if is_same and message.message_id:
            return Reaction.SEND_AGAIN if self.state is State.SUBMITTED else Reaction.NOTHING
        if message.message_id in self._earlier_questions:
            return Reaction.NOTHING  # an earlier one, among the messages that were missed
        if message.message_id:
            self._earlier_questions.append(message.message_id)
        self.question = message
        self.refusals, self.refusal = 0, ""
        self.state = State.DECIDING
        return Reaction.DECIDE

    def _refuse(self, message: Message) -> Reaction:
        if message.code in _TOO_LATE:
            is_other = message.related_id and not self.is_submission(message.related_id)
            return Reaction.NOTHING if is_other else self._end()
        is_own = not message.related_id or self.is_submission(message.related_id)
        if message.code not in _REFUSED or self.state is not State.SUBMITTED or not is_own:
            return Reaction.NOTHING
        self.refusals += 1
        if self.refusals > _MAX_REFUSALS:
            return self._end()
        self.refusal = message.text or message.code
        self.state = State.DECIDING
        return Reaction.DECIDE

    def _end(self) -> Reaction:
        """End the open question, which stays known: it may be delivered again."""
        self.state = State.IDLE
        return Reaction.STOP_DECIDING


@dataclass(slots=True)
class ServerTally:
    """Counts of one client. `refused` counts the server's error codes."""

    rounds: int = 0
    questions: int = 0
    submissions: int = 0
    reconnects: int = 0
    faults: int = 0
    """Payloads that do not conform to the specification."""
    refused: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Submission:
    """A `submit_action`."""

    message_id: str
    game_type: str
    table_id: str
    payload: dict[str, Any]
    extra: dict[str, Any]
    """Further fields of the envelope."""


class TablePlay:
    """One table. `send` sends a submission, or drops it while there is no connection."""

    def __init__(
        self,
        session: TableSession,
        decisions: ServerDecisions,
        send: Callable[[Submission], Awaitable[None]],
        *,
        player_id: str,
        tally: ServerTally,
        clock: Callable[[], float],
    ) -> None:
        self._session = session
        self._decisions = decisions
        self._send = send
        self._player_id = player_id
        self._tally = tally
        self._clock = clock
        self._submission: Submission | None = None
        self._is_confirmed = False
        self._retries = 0
        self._ends_at = 0.0
        self._work = BackgroundTasks()

    async def take(self, message: Message, age_s: float = 0.0) -> None:
        """Take a message of this table that the server sent `age_s` ago."""
        reaction = self._session.receive(message)
        if reaction is Reaction.DECIDE:
            self._work.cancel()
            if message is self._session.question:
                self._tally.questions += 1
                seconds = message.timeout_s or _DEFAULT_TIMEOUT_S
                self._ends_at = self._clock() + seconds - age_s
                until = self._ends_at - seconds * (1 - _SHARE_OF_CLOCK)
            else:  # a refusal: what is left of the clock, with the same share in reserve
                until = self._clock() + (self._ends_at - self._clock()) * _SHARE_OF_CLOCK
            self._work.begin(self._decide(self._session.question or message, until))
        elif reaction is Reaction.SEND_AGAIN:
            await self._send_again()
        elif reaction is Reaction.STOP_DECIDING:
            self._work.cancel()
        elif message.type == "round_result" or self._session.is_submission(message.related_id):
            self._is_confirmed = True  # an `ack`, or the server went on

    def take_error(self, message: Message) -> bool:
        """Return whether it is this submission's; only RATE_LIMITED, INTERNAL_ERROR send again."""
        if not self._session.is_submission(message.related_id) or self._submission is None:
            return False
        if message.code == ServerCode.DUPLICATE_MESSAGE:
            self._is_confirmed = True
        elif (
            message.code in {ServerCode.RATE_LIMITED, ServerCode.INTERNAL_ERROR}
            and self._retries < _MAX_RETRIES
        ):
            # What was not taken may have used up its id.
            if message.code == ServerCode.RATE_LIMITED:
                self._submission = replace(self._submission, message_id=str(uuid4()))
                self._session.submitted(self._submission.message_id)
            self._work.begin(self._retry(_FIRST_DELAY_S * 2**self._retries))
            self._retries += 1
        return True

    async def reconnected(self) -> None:
        """Send the open submission again, which the server may not have."""
        if not self._is_confirmed:
            await self._send_again()

    async def stop(self) -> None:
        await self._work.end()

    async def _decide(self, question: Message, until: float) -> None:
        submitted = await self._decisions.decide(
            question, player_id=self._player_id, until=until, refusal=self._session.refusal
        )
        if submitted is None:
            return
        place = str(uuid4()), question.game_type, question.table_id
        self._submission = Submission(*place, *submitted)
        self._is_confirmed = False
        self._retries = 0
        self._session.submitted(self._submission.message_id)
        self._tally.submissions += 1
        await self._send(self._submission)

    async def _retry(self, delay: float) -> None:
        if self._clock() + delay < self._ends_at:
            await asyncio.sleep(delay)
            await self._send_again()

    async def _send_again(self) -> None:
        if self._submission is not None and self._session.state is State.SUBMITTED:
            await self._send(self._submission)
