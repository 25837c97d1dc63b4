"""Strangers cannot fill the disk through the log, and cannot hide an error in it either."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from casino_agentkit import configure_logs
from casino_agentkit.process.log_limits import CUT, Bounds, LimitedHandler, Repeats


class Time:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return it."""
        return self.now


def bounded(**event: Any) -> dict[str, Any]:
    """Return an event as it is written."""
    return dict(Bounds()(None, "info", event))


def fail(text: str) -> None:
    """Raise an error that says something."""
    raise ValueError(text)


def our_handler() -> logging.Handler:
    """Return the handler that `configure_logs` made; pytest has some beside it."""
    return next(one for one in logging.getLogger().handlers if isinstance(one, LimitedHandler))


class TestBounds:
    """How long a line gets."""

    def test_a_usual_event_stays_as_it_is(self) -> None:
        """Whatever its shape."""
        event = {
            "event": "x",
            "pot": 30,
            "seat": {"stack": [1, 2.5, True, None], "name": "Ä" * 999},
        }
        assert bounded(**event) == event

    @pytest.mark.parametrize(
        "value",
        [
            "x" * 10**6,
            {"x" * 10**6: 1},
            ["x" * 2_000] * 10**4,
            {f"key {number}": "x" * 2_000 for number in range(10_000)},
            {str(number): {str(inner): "x" * 999 for inner in range(99)} for number in range(99)},
            10**20_000,
            b"x" * 10**6,
            ValueError("x" * 10**6),
        ],
        ids=["text", "key", "list", "mapping", "nested", "number", "bytes", "object"],
    )
    def test_what_is_long_is_cut_and_says_so(self, value: object) -> None:
        """A field has at most some 25 kB, also where everything in it is as long as it may be."""
        line = json.dumps(bounded(event="x", value=value))
        assert len(line) < 25_000
        assert CUT in str(json.loads(line)["value"])

    def test_what_is_nested_is_cut(self) -> None:
        """Without recursion to its end."""
        nested: list[Any] = []
        for _ in range(100_000):
            nested = [nested]
        assert CUT in str(bounded(event="x", nested=nested))

    def test_a_long_event_does_not_cut_its_traceback(self) -> None:
        """Else a stranger could hide what went wrong."""
        frames = [{"name": f"function {number}"} for number in range(50)]
        told = bounded(texts=["x" * 1_000] * 100, level="error", exception=[{"frames": frames}])
        assert told["exception"] == [{"frames": frames}]
        assert told["level"] == "error"


class TestRepeats:
    """How often a line is written."""

    def test_a_hundred_warnings_a_minute_of_each_name(self) -> None:
        """The next minute tells how many there were."""
        time = Time()
        repeats = Repeats(time)
        assert [repeats.admit("a", logging.WARNING) for _ in range(150)].count(True) == 100
        assert repeats.admit("b", logging.WARNING)
        assert repeats.over() == {}
        time.now = 60
        assert repeats.over() == {"a": 50}
        assert repeats.over() == {}
        assert repeats.admit("a", logging.WARNING)

    def test_what_is_less_is_counted_much_later(self) -> None:
        """A table plays many hands a minute."""
        repeats = Repeats(Time())
        assert [repeats.admit("a", logging.INFO) for _ in range(7_000)].count(True) == 6_000

    def test_errors_are_always_written(self) -> None:
        """They are ours."""
        repeats = Repeats(Time())
        assert all(repeats.admit("a", logging.ERROR) for _ in range(10_000))

    def test_names_without_end_take_no_memory(self) -> None:
        """And share what is left."""
        time = Time()
        repeats = Repeats(time)
        admitted = [repeats.admit(f"name {n}", logging.WARNING) for n in range(100_000)]
        assert admitted.count(True) == 1_100
        assert len(repeats._counts) == 1_001
        time.now = 61
        assert repeats.over() == {"any other": 98_900}


class TestLog:
    """The whole chain."""

    @pytest.fixture
    def log(self) -> Iterator[io.StringIO]:
        """Collect a service's log in memory; the process's own logging comes back afterwards."""
        root = logging.getLogger()
        handlers, level = list(root.handlers), root.level
        stream = io.StringIO()
        configure_logs("lobby", secret_keys=["secret"], stream=stream)
        yield stream
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()

    def test_what_is_provoked_is_not_written(self, log: io.StringIO) -> None:
        """Ours, the libraries', what an exception says: 60 megabytes in all."""
        text = "x" * 10**5
        for _ in range(300):
            structlog.get_logger("x").warning("refused", told=text)
            logging.getLogger("uvicorn.error").warning("bad: %s", text)
        try:
            fail(text)
        except ValueError:
            structlog.get_logger("x").exception("failed", told=text)
            logging.getLogger("y").exception("failed")
        assert len(log.getvalue()) < 500_000
        lines = [json.loads(line) for line in log.getvalue().splitlines()]
        assert [line["level"] for line in lines].count("warning") == 200
        assert [line["level"] for line in lines].count("error") == 2
        assert all("ValueError" in str(line["exception"]) for line in lines[-2:])

    def test_without_the_limits_it_is_written(self, log: io.StringIO) -> None:
        """So the attack is one: the same log through a plain handler without bounds."""
        formatter = our_handler().formatter
        assert isinstance(formatter, structlog.stdlib.ProcessorFormatter)
        formatter.processors = [one for one in formatter.processors if not isinstance(one, Bounds)]
        plain = logging.StreamHandler(log)
        plain.setFormatter(formatter)
        logging.getLogger().handlers[:] = [plain]
        for _ in range(150):
            structlog.get_logger("x").warning("refused", told="x" * 10**5)
        assert len(log.getvalue()) > 15_000_000

    def test_how_many_were_left_out_is_told(self, log: io.StringIO) -> None:
        """With the next line of whatever name."""
        time, handler = Time(), our_handler()
        assert isinstance(handler, LimitedHandler)
        handler._repeats = Repeats(time)
        for number in range(250):
            structlog.get_logger("x").warning("refused", number=number)
        time.now = 61
        structlog.get_logger("x").info("listening")
        told, last = (json.loads(line) for line in log.getvalue().splitlines()[-2:])
        assert (told["event"], told["of"], told["count"]) == ("lines_left_out", "x: refused", 150)
        assert (told["service"], told["level"]) == ("lobby", "warning")
        assert last["event"] == "listening"

    def test_a_terminal_gets_no_more(self) -> None:
        """Its tracebacks included."""

        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        root = logging.getLogger()
        handlers, level = list(root.handlers), root.level
        terminal = Terminal()
        configure_logs("lobby", stream=terminal)
        try:
            fail("x" * 10**6)
        except ValueError:
            structlog.get_logger("x").exception("failed", told="y" * 10**6)
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()
        assert len(terminal.getvalue()) < 25_000
        assert "Traceback" in terminal.getvalue()
