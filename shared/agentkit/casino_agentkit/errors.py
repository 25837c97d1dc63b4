"""What can go wrong between two agents, as one tree.

```
AgentError                  a call to another agent failed; `agent` says whose
├── Unreachable             no connection, or it broke before the whole reply was there
│   └── AddressNotAllowed   the policy of this process does not let it call that address
├── TimedOut                no whole reply within the deadline
├── Refused                 the agent understood and said no; `reason`, `violations` say why
├── Malformed               a reply came, but not what the entrypoint promises
└── ProtocolFault           what came is no A2A reply: an HTTP error, no JSON, too large, wrong id

CommandRefused              raised by an entrypoint: well formed, but not possible now
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
"""The address with a token: a key of ours has 16 characters or more."""
_MESSAGE_LIMIT: Final = 2 * SHOWN_TEXT
"""A foreign text, and what is said about it."""


def _without_token(text: str) -> str:
    return _CAPABILITY.sub(f"{CAPABILITY_PATH}***", text)


class AgentError(Exception):
    """A call to another agent failed.

    Address and message may be foreign texts: both are kept as one printable, bounded line. The
    token of a capability address is left out of them, for they go into logs and replies.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = _without_token(agent)
        self.message = _without_token(shown(message, _MESSAGE_LIMIT))
        super().__init__(f"{shown(self.agent)}: {self.message}")


class Unreachable(AgentError):
    """No connection, or the connection broke before the whole reply was there."""


class AddressNotAllowed(Unreachable):
    """The policy of this process (`OutgoingPolicy`) does not let it call that address."""


class TimedOut(AgentError):
    """No whole reply within the deadline."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One fault of an input: where, and what would be right."""

    field: str
    message: str


class RemoteRefused(AgentError):
    """The agent understood the call and said no.

    `code` is the JSON-RPC code (or the one that the binding maps to), `reason` a stable upper-case
    word, `violations` the faults of the input, if those were why, `details` what else was told.
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
    """A reply came, but its content is not what the entrypoint promises.

    `content` is what came, for the one who has to tell the agent what was wrong with it.
    """

    def __init__(self, agent: str, message: str, content: object = None) -> None:
        super().__init__(agent, message)
        self.content = content


class ProtocolFault(AgentError):
    """What came is no A2A reply."""


class CommandRefused(Exception):
    """Raised by an entrypoint whose command is well formed but not possible now.

    `reason` is a stable upper-case word for programs, `message` tells a person what to do.
    `violations` names faulty fields, `details` holds more words for programs.
    All of it reaches the caller, and nothing else does.

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
