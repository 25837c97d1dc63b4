"""Exceptions of calls between agents.

```
AgentError                  a call to another agent failed; `agent` is its address
├── Unreachable             no connection, or it broke before the reply was complete
│   └── AddressNotAllowed   the policy of this process forbids the address
├── TimedOut                no complete reply within the deadline
├── RemoteRefused           the agent refused the call; `reason` and `violations` say why
├── Malformed               the reply does not conform to the entrypoint's output
└── ProtocolFault           not an A2A reply: HTTP error, not JSON, too large, or wrong id

CommandRefused              raised by an entrypoint: valid input, but not possible now
```

Every error keeps its cause in `__cause__`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from casino_agentkit.bounds import SHOWN_TEXT, shown
from casino_agentkit.protocol import CAPABILITY_PATH

_CAPABILITY: Final = re.compile(re.escape(CAPABILITY_PATH) + r"[^/\s]{16,}")
"""A capability address; its token has 16 characters or more."""
_MESSAGE_LIMIT: Final = 2 * SHOWN_TEXT
"""Length of an untrusted text and its explanation."""


def _mask_token(text: str) -> str:
    return _CAPABILITY.sub(f"{CAPABILITY_PATH}***", text)


class AgentError(Exception):
    """A call to another agent failed.

    Address and message are untrusted: each becomes one printable line of bounded length. The token
    of a capability address is masked, because both appear in logs and replies.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = _mask_token(agent)
        self.message = _mask_token(shown(message, _MESSAGE_LIMIT))
        super().__init__(f"{shown(self.agent)}: {self.message}")


class Unreachable(AgentError):
    """No connection, or it broke before the reply was complete."""


class AddressNotAllowed(Unreachable):
    """The policy of this process (`OutgoingPolicy`) forbids the address."""


class TimedOut(AgentError):
    """No complete reply within the deadline."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One fault of an input: the field, and what it must be."""

    field: str
    message: str


class RemoteRefused(AgentError):
    """The agent refused the call.

    `code` is the JSON-RPC code (or its equivalent of the binding), `reason` a stable upper-case
    word, `violations` the faults of the input, if any, `details` further metadata.
    """

    def __init__(
        self,
        agent: str,
        message: str,
        *,
        code: int,
        reason: str,
        violations: tuple[Violation, ...] = (),
        details: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(agent, message)
        self.code = code
        self.reason = reason
        self.violations = violations
        self.details = dict(details or {})


class Malformed(AgentError):
    """The reply does not conform to the entrypoint's output.

    `content` is the invalid answer, so that it can be sent back to the agent.
    """

    def __init__(self, agent: str, message: str, content: object = None) -> None:
        super().__init__(agent, message)
        self.content = content


class ProtocolFault(AgentError):
    """The reply is not an A2A reply."""


class CommandRefused(Exception):
    """Raised by an entrypoint if a command is valid but not possible now.

    `reason` is a stable upper-case word for programs, `message` a text for people.
    `violations` lists faulty fields, `details` further values for programs.
    All four are sent to the caller, and nothing else.

    >>> raise CommandRefused("ROOM_FULL", "All 6 seats are taken; create another room.")
    """

    def __init__(
        self,
        reason: str,
        message: str,
        violations: tuple[Violation, ...] = (),
        details: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.violations = violations
        self.details = dict(details or {})
