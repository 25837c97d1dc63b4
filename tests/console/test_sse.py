"""The parser of server-sent events follows the standard."""

import doctest
from itertools import pairwise

import casino.formatting
import casino.sse
import pytest
from casino.sse import Decoder, ServerSentEvent
from hypothesis import given
from hypothesis import strategies as st


def read(stream: bytes, last_id: str = "") -> list[ServerSentEvent]:
    """Return the events of a stream that comes in one piece."""
    return list(Decoder(last_id).feed(stream))


def the_data(stream: bytes) -> list[str]:
    return [event.data for event in read(stream)]


@pytest.mark.parametrize("module", [casino.formatting, casino.sse])
def test_the_examples_are_right(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_line_end_is_read(end: bytes) -> None:
    lines = [b"id: 7", b"event: table_event", b"data: one", b"data: two", b"", b""]
    assert read(end.join(lines)) == [ServerSentEvent("table_event", "one\ntwo", "7")]


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        (b"data:x\n\n", ["x"]),
        (b"data:  x\n\n", [" x"]),  # only the first blank belongs to the syntax
        (b"data\n\n", [""]),  # a name alone has an empty value
        (b"data:\ndata:\n\n", ["\n"]),
        (b": ping\n\n:\n\ndata: x\n\n", ["x"]),
        (b"Data: x\nfoo: y\n\ndata: z\n\n", ["z"]),
        (b"data: a:b\n\n", ["a:b"]),
        (b"event: x\n\ndata: y\n\n", ["y"]),
        (b"data: unfinished\n", []),
        (b"data: \xe2\x99\xa0\xff\n\n", ["♠\ufffd"]),
        ("data: a\u2028b\x0bc\x85d\n\n".encode(), ["a\u2028b\x0bc\x85d"]),  # no line ends here
        (b"\xef\xbb\xbfdata: x\n\n", ["x"]),  # one byte order mark is nothing
    ],
)
def test_fields(stream: bytes, data: list[str]) -> None:
    """Lines with and without a field that the parser reads."""
    assert the_data(stream) == data


def test_an_event_without_data_takes_its_name_along() -> None:
    """The next event has the default name again, but the id stays."""
    assert read(b"id: 3\nevent: x\n\ndata: y\n\n") == [ServerSentEvent("message", "y", "3")]


def test_an_id_holds_until_the_next_one() -> None:
    """An empty id resets it; an id with a null character is ignored."""
    stream = b"data: a\n\nid: 8\ndata: b\n\ndata: c\n\nid: x\0y\ndata: d\n\nid\ndata: e\n\n"
    assert [event.last_id for event in read(stream, "5")] == ["5", "8", "8", "8", ""]


def test_the_id_of_an_unfinished_event_is_not_taken() -> None:
    """Otherwise resuming would skip the event's data."""
    decoder = Decoder()
    list(decoder.feed(b"id: 1\ndata: a\n\nid: 2\ndata: b\n"))
    assert decoder.last_id == "1"
    list(decoder.feed(b"\n"))
    assert decoder.last_id == "2"


@pytest.mark.parametrize(("value", "read_as"), [("1500", 1500), ("1.5", None), ("", None)])
def test_retry(value: str, read_as: int | None) -> None:
    decoder = Decoder()
    list(decoder.feed(f"retry: {value}\n\n".encode()))
    assert decoder.retry_ms == read_as


STREAM = (
    "\ufeffid: 1\r\nevent: snapshot\r\ndata: {♠}\r\ndata: é\r\n\r\n: ping\r\rdata: x\r\rid:2\n"
    "data: y\ndata:\n\n"
).encode()


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_pieces_may_be_cut_anywhere(cuts: list[int]) -> None:
    """Chunks end within a character, between CR and LF, and after each byte."""
    edges = [0, *sorted(cuts), len(STREAM)]
    decoder = Decoder()
    events: list[ServerSentEvent] = []
    for start, end in pairwise(edges):
        events += decoder.feed(STREAM[start:end])
    assert events == [
        ServerSentEvent("snapshot", "{♠}\né", "1"),
        ServerSentEvent("message", "x", "1"),
        ServerSentEvent("message", "y\n", "2"),
    ]
