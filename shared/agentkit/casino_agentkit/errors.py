"""Exceptions of the agent kit.

```
KitError                        root of all
├── AgentError                  a call to another agent failed; `agent` is its address
│   ├── Unreachable             no connection, or it broke before the reply was complete
│   │   ├── AddressNotAllowed   the policy of this process forbids the address
│   │   └── Disconnected        the agent was reached, and closed the connection without a reply
│   ├── TimedOut                no complete reply within the deadline
│   ├── RemoteRefused           the agent refused the call; `reason` and `violations` say why
│   ├── Malformed               the reply does not conform to the entrypoint's output
│   └── ProtocolFault           not an A2A reply: HTTP error, not JSON, too large, or wrong id
├── CommandRefused              raised by an entrypoint: valid input, but not possible now
│   └── UnfairDeal              a table does not deal as it committed itself to
├── InvalidInput                the input does not conform to the entrypoint's schema
├── BadSignature                a card was changed after it was signed; a ValueError
├── NoAllowedAddress            a name has no address that may be called; an OSError
├── TooMuch                     a reply has too much overhead; a ClientError of aiohttp
├── TooLarge                    the body of a request is larger than what may be read of it
├── CallFailure             a typed call has no output; its caller is told why
├── CardKeyFailed               the file of a card key cannot be used
├── InvalidSecret               a secret cannot be read
├── InvalidSettings             the environment has unknown or invalid settings
├── InvalidTls                  a TLS file cannot be used; a ValueError
├── PortTaken                   the address cannot be listened on
└── ChildFailed                 a child process ended, or was not ready in time
```

An error of a call keeps its cause in `__cause__`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from casino_agentkit.accepted_json import SHOWN_TEXT, shown
from casino_agentkit.protocol import CAPABILITY_PATH


@unique
class KitReason(StrEnum):
    """Stable words for programs; a service adds its own, and none of them twice."""

    CREDENTIALS_REQUIRED = "CREDENTIALS_REQUIRED"
    """The other agent asks for credentials of a security scheme that is not spoken."""
    FAILED = "FAILED"  # a process cannot start, for a cause that has no word of its own
    FORBIDDEN = "FORBIDDEN"  # the caller's token does not give the right to this call
    PORT_TAKEN = "PORT_TAKEN"  # another process listens on the port
    TASK_FAILED = "TASK_FAILED"  # the other agent ended the call's task without a result
    UNFAIR_DEAL = "UNFAIR_DEAL"  # a table does not deal as it committed itself to
    UNAUTHORIZED = "UNAUTHORIZED"  # the caller sent no token, or not the operator's key
    UNKNOWN = "UNKNOWN"  # the other agent refused without a reason
    UNSUPPORTED_OPERATION = "UNSUPPORTED_OPERATION"
    """The other agent does not support the call: the A2A SDK's own reason."""


_CAPABILITY: Final = re.compile(re.escape(CAPABILITY_PATH) + r"[^/\s]{16,}")
"""A capability address; its token has 16 characters or more."""
_AFTER_A_URL: Final = ":,.;)'\""
_MESSAGE_LIMIT: Final = 2 * SHOWN_TEXT  # length of an untrusted text and its explanation


def _mask_token(text: str) -> str:
    """Mask tokens of capability addresses, and queries of URLs, which may have a key."""
    masked = _CAPABILITY.sub(f"{CAPABILITY_PATH}***", text)
    if "://" not in masked or "?" not in masked:
        return masked
    return " ".join(map(_mask_query, masked.split(" ")))


def _mask_query(word: str) -> str:
    address, mark, query = word.partition("?")
    end = query[len(query.rstrip(_AFTER_A_URL)) :]
    return f"{address}?***{end}" if "://" in address and mark and query != end else word


class KitError(Exception):
    """Root of the exceptions of this package."""


class AgentError(KitError):
    """A call to another agent failed.

    Address and message are untrusted: each becomes one printable line of bounded length. The token
    of a capability address and a URL's query are masked, because both appear in logs and replies.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = _mask_token(agent)
        self.message = _mask_token(shown(message, _MESSAGE_LIMIT))
        super().__init__(f"{shown(self.agent)}: {self.message}")


class Unreachable(AgentError):
    """No connection, or it broke before the reply was complete."""


class AddressNotAllowed(Unreachable):
    """The policy of this process (`OutgoingPolicy`) forbids the address."""


class Disconnected(Unreachable):
    """The agent was reached, but the connection ended before its reply was complete."""


class TimedOut(AgentError):
    """No complete reply within the deadline."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One fault of an input: the field, and what it must be."""

    field: str
    message: str


class RemoteRefused(AgentError):
    """The agent refused the call.

    `code` is the JSON-RPC code (or its equivalent of the binding; 401 or 403 if the agent asks for
    credentials by HTTP), `reason` a stable upper-case
    word, `violations` the faults of the input, if any, `details` further metadata.
    `status` is the HTTP status if that was an error too, otherwise 0; `retry_after_s` is as in
    ProtocolFault.
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
        status: int = 0,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(agent, message)
        self.status = status
        self.retry_after_s = retry_after_s
        self.code = code
        self.reason = reason
        self.violations = violations
        self.details = dict(details or {})


class Malformed(AgentError):
    """The reply is not of the entrypoint's output; `content` is sent back to the agent."""

    def __init__(self, agent: str, message: str, content: object = None) -> None:
        super().__init__(agent, message)
        self.content = content


class ProtocolFault(AgentError):
    """The reply is not an A2A reply.

    `status` is the HTTP status (or its equivalent of the binding) if it is the fault, otherwise 0;
    `said` is the message of an A2A error that came with such a status; `retry_after_s` are the
    seconds after which the agent wants to be called again, None if it does not say.
    """

    def __init__(
        self,
        agent: str,
        message: str,
        *,
        status: int = 0,
        said: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(agent, message)
        self.status = status
        self.said = said
        self.retry_after_s = retry_after_s


class CommandRefused(KitError):
    """Raised by an entrypoint if a command is valid but not possible now.

    `reason` is a stable upper-case word for programs: a member of a `StrEnum`, or the reason that
    another agent sent. `message` is a text for people, `violations` lists faulty fields, `details`
    further values for programs. All four are sent to the caller, and nothing else.

    >>> raise CommandRefused(Reason.ROOM_FULL, "All 6 seats are taken; create another room.")
    """

    def __init__(
        self,
        reason: str,
        message: str,
        violations: tuple[Violation, ...] = (),
        details: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = str(reason)  # as it is sent and logged
        self.message = message
        self.violations = violations
        self.details = dict(details or {})


class UnfairDeal(CommandRefused):
    """A table does not deal as it committed itself to; the message names the field or the hand."""


class InvalidInput(KitError):
    """The input does not conform to the entrypoint's schema."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(f"{len(violations)} faults")
        self.violations = violations


class ChildFailed(KitError):
    """A process ended, or was not ready in time; `log` has its last lines."""

    def __init__(
        self, name: str, message: str, log: Sequence[str], reason: str = KitReason.FAILED
    ) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.reason = reason
        self.log = tuple(log)


class InvalidSecret(KitError):
    """A secret cannot be read; the message contains its variable, never its value."""


class PortTaken(KitError):
    """The address cannot be listened on."""

    reason = KitReason.PORT_TAKEN


class InvalidSettings(KitError):
    """The environment has unknown or invalid settings; the message names each."""


class CardKeyFailed(KitError):
    """The file of a card key cannot be used or created; the message names it."""


class BadSignature(KitError, ValueError):
    """A card was changed after it was signed; the message is a predicate of "the card"."""


class InvalidTls(KitError, ValueError):
    """A TLS file cannot be used; the message follows the name of its setting."""


class NoAllowedAddress(KitError, OSError):
    """The name has no address that may be called."""
