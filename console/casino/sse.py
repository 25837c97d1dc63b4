"""Decode server-sent events as the HTML standard specifies."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

_BOM = "\ufeff"


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a stream."""

    name: str
    """The event type; `message` if the stream sends none."""
    data: str
    last_id: str
    """The id to send as `Last-Event-ID` to resume after this event; "" for none."""


class Decoder:
    r"""Incremental decoder: takes bytes, cut anywhere, and yields events.

    >>> decoder = Decoder()
    >>> list(decoder.feed(b"id: 7\nda"))
    []
    >>> list(decoder.feed(b"ta: x\n\n"))
    [ServerSentEvent(name='message', data='x', last_id='7')]
    """

    def __init__(self, last_id: str = "") -> None:
        self.last_id = last_id
        self.retry_ms: int | None = None
        """Reconnection delay in milliseconds that the stream requests, None for none."""
        self._utf8 = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._is_first = True
        self._line = ""
        self._ended_with_cr = False
        self._id = last_id
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """Yield the events that a chunk completes.

        Fields after the last blank line are no event, even at the end of the stream.
        """
        text = self._utf8.decode(chunk)
        if text and self._is_first:
            text, self._is_first = text.removeprefix(_BOM), False
        if text and self._ended_with_cr:
            text, self._ended_with_cr = text.removeprefix("\n"), False
        if not text:
            return
        self._ended_with_cr = text.endswith("\r")
        # Only CR, LF and CRLF end a line; str.splitlines would also split at other characters.
        *lines, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if lines:
            lines[0], self._line = self._line + lines[0], ""
        self._line += rest
        for line in lines:
            event = self._take(line)
            if event:
                yield event

    def _take(self, line: str) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "event":
                self._name = value
            case "data":
                self._data.append(value)
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit():
                self.retry_ms = int(value)
        return None  # comments (with the name "") and unknown fields are ignored

    def _dispatch(self) -> ServerSentEvent | None:
        name, data = self._name, self._data
        self.last_id, self._name, self._data = self._id, "", []
        return ServerSentEvent(name or "message", "\n".join(data), self.last_id) if data else None
