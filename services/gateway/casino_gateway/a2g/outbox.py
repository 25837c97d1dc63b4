"""Newest messages about a login's tables, sent again to a client that was away. Pure."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

MESSAGES = 256
SIZE = 256 * 1024
"""Limits for each login; a hand of Hold'em with six players is about 30 messages, 20 KiB."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that was sent, or would have been."""

    message_id: str
    sequence: int
    table_id: str | None = None
    body: bytes = field(default=b"", repr=False)
    """Empty for a message that is not sent again, such as a heartbeat or a question."""


class Missed(NamedTuple):
    """Messages after one that the client saw."""

    messages: tuple[Sent, ...]
    is_complete: bool
    """Whether none is gone: the message that the client saw is still known."""


class Outbox:
    """The newest messages, bounded in number and in bytes; the oldest go first."""

    def __init__(self, messages: int = MESSAGES, size: int = SIZE) -> None:
        self._messages = messages
        self._size = size
        self._kept: deque[Sent] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, sent: Sent) -> None:
        """Keep a message."""
        self._kept.append(sent)
        self._bytes += len(sent.body)
        while len(self._kept) > self._messages or self._bytes > self._size:
            self._bytes -= len(self._kept.popleft().body)

    def after(self, message_id: str, before: int) -> Missed:
        """Return the messages after one that the client saw, up to the sequence `before`.

        After an unknown message: everything that is kept.
        """
        places = [place for place, sent in enumerate(self._kept) if sent.message_id == message_id]
        later = list(self._kept)[places[0] + 1 :] if places else self._kept
        kept = tuple(sent for sent in later if sent.body and sent.sequence < before)
        return Missed(kept, is_complete=bool(places))
