"""The state machine of one table: what is asked, and what was submitted. Pure.

```
IDLE ── question ──> DECIDING ── submitted() ──> SUBMITTED
  ^                      ^                           │
  │                      └── first two refusals ─────┤
  └── window closed, too late ───────────────────────┘
```

The result of a round changes nothing here: it may arrive after the next round's first question.
"""

from collections import deque
from enum import Enum

from casino_player_example.a2g_client.codes import Code
from casino_player_example.a2g_client.envelope import Message

_MODELS = {
    "turn_based": {"game_action_request"},
    "phase_based": {"game_action_request", "betting_window_open"},
}
"""The questions of each game model; a game without a known model has all of them."""
_REFUSED = {Code.INVALID_ACTION, Code.INVALID_AMOUNT}
"""Codes after which it is still the client's turn."""
_TOO_LATE = {
    Code.NOT_YOUR_TURN,
    Code.ROUND_COMPLETE,
    Code.BETTING_WINDOW_CLOSED,
    Code.TIMEOUT,
}
_MAX_REFUSALS = 2
_REMEMBERED = 256


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
        """Take a message of this table and return what is to be done."""
        if message.type in self._questions:
            return self._ask(message)
        if message.type == "game_error":
            return self._refuse(message)
        if message.type == "betting_window_closed":
            return self._end()
        return Reaction.NOTHING

    def submitted(self, message_id: str) -> None:
        """Note that the open question was answered by the message of this id."""
        self.state = State.SUBMITTED
        self._submission = message_id

    def is_submission(self, message_id: str) -> bool:
        """Return whether a message id is that of the answer to the open question."""
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
