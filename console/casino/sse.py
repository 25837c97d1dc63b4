"""Server-sent events, as the HTML standard reads them; neither httpx nor the kit does."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

_BOM = "\ufeff"


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a stream."""

    name: str
    """`message` where the stream gives none."""
    data: str
    last_id: str
    """The id that a reader sends as `Last-Event-ID` to go on behind this event, "" for none."""


class Decoder:
    r"""Bytes in, events out; pieces may be cut anywhere.

    >>> decoder = Decoder()
    >>> list(decoder.feed(b"id: 7\nda"))
    []
    >>> list(decoder.feed(b"ta: x\n\n"))
    [ServerSentEvent(name='message', data='x', last_id='7')]
    """

    def __init__(self, last_id: str = "") -> None:
        self.last_id = last_id
        self.retry_ms: int | None = None
        """How long the stream wants its readers to wait before they come back."""
        self._utf8 = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._is_first = True
        self._line = ""
        self._ended_with_cr = False
        self._id = last_id
        self._name = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """Return the events that a piece completes.

        What stands behind the last blank line is no event, however the stream ends.
        """
        text = self._utf8.decode(piece)
        if text and self._is_first:
            text, self._is_first = text.removeprefix(_BOM), False
        if text and self._ended_with_cr:
            text, self._ended_with_cr = text.removeprefix("\n"), False
        if not text:
            return
        self._ended_with_cr = text.endswith("\r")
        # Only these end a line: str.splitlines would also cut at other characters in the data.
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
        return None  # "" is a comment's name; an unknown field says nothing to us

    def _dispatch(self) -> ServerSentEvent | None:
        name, data = self._name, self._data
        self.last_id, self._name, self._data = self._id, "", []
        return ServerSentEvent(name or "message", "\n".join(data), self.last_id) if data else None
