"""Input from outside neither fills the disk through the log nor hides an error in it."""

import io
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
import structlog
from casino_agentkit.process.logs import CUT, LimitedHandler, LogBounds, Repeats
from support.memory import kept_bytes


class Time:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def bounded(**event: Any) -> dict[str, Any]:
    return dict(LogBounds()(None, "info", event))


def fail(text: str) -> None:
    raise ValueError(text)


def our_handler() -> logging.Handler:
    """Return the handler that `configure_logs` added."""
    return next(one for one in logging.getLogger().handlers if isinstance(one, LimitedHandler))


class TestBounds:
    def test_a_usual_event_stays_as_it_is(self) -> None:
        """Short texts, numbers, lists and exceptions are written unchanged."""
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
    def test_long_fields_are_cut(self, value: object) -> None:
        line = json.dumps(bounded(event="x", value=value))
        assert len(line) < 25_000
        assert CUT in str(json.loads(line)["value"])

    def test_deep_nesting_is_cut(self) -> None:
        """The cut needs no recursion to the end."""
        nested: list[Any] = []
        for _ in range(100_000):
            nested = [nested]
        assert CUT in str(bounded(event="x", nested=nested))

    def test_a_long_event_does_not_cut_its_traceback(self) -> None:
        frames = [{"name": f"function {number}"} for number in range(50)]
        entry = bounded(texts=["x" * 1_000] * 100, level="error", exception=[{"frames": frames}])
        assert entry["exception"] == [{"frames": frames}]
        assert entry["level"] == "error"


class TestRepeats:
    def test_warnings_are_limited_to_a_hundred_a_minute(self) -> None:
        time = Time()
        repeats = Repeats(time)
        assert [repeats.admit("a", logging.WARNING) for _ in range(150)].count(True) == 100
        assert repeats.admit("b", logging.WARNING)
        assert repeats.over() == {}
        time.now = 60
        assert repeats.over() == {"a": 50}
        assert repeats.over() == {}
        assert repeats.admit("a", logging.WARNING)

    @pytest.mark.parametrize(("level", "written"), [(logging.INFO, 6_000), (logging.ERROR, 10_000)])
    def test_others_are_limited_at_a_higher_count(self, level: int, written: int) -> None:
        """A table may log many hands a minute; errors are always written."""
        repeats = Repeats(Time())
        assert [repeats.admit("a", level) for _ in range(10_000)].count(True) == written

    def test_names_without_end_take_no_memory(self) -> None:
        time = Time()
        repeats = Repeats(time)
        admitted = [repeats.admit(f"name {n}", logging.WARNING) for n in range(10_000)]
        assert admitted.count(True) == 1_100

        def repeat() -> None:
            for number in range(90_000):
                repeats.admit(f"other {number}", logging.WARNING)

        assert kept_bytes(repeats, repeat) < 10_000
        time.now = 61
        assert repeats.over() == {"any other": 98_900}


class TestLog:
    @pytest.fixture
    def log(self, log_to: Callable[..., io.StringIO]) -> io.StringIO:
        return log_to("lobby", secret_keys=["secret"])

    def test_a_flood_is_not_written(self, log: io.StringIO) -> None:
        """60 MB of warnings, library lines and exceptions leave a small log."""
        text = "x" * 10**5
        for _ in range(300):
            structlog.get_logger("x").warning("refused", entry=text)
            logging.getLogger("uvicorn.error").warning("bad: %s", text)
        try:
            fail(text)
        except ValueError:
            structlog.get_logger("x").exception("failed", entry=text)
            logging.getLogger("y").exception("failed")
        assert len(log.getvalue()) < 500_000
        lines = [json.loads(line) for line in log.getvalue().splitlines()]
        assert [line["level"] for line in lines].count("warning") == 200
        assert [line["level"] for line in lines].count("error") == 2
        assert all("ValueError" in str(line["exception"]) for line in lines[-2:])

    def test_without_the_limits_a_flood_is_written(self, log: io.StringIO) -> None:
        formatter = our_handler().formatter
        assert isinstance(formatter, structlog.stdlib.ProcessorFormatter)
        formatter.processors = [
            one for one in formatter.processors if not isinstance(one, LogBounds)
        ]
        plain = logging.StreamHandler(log)
        plain.setFormatter(formatter)
        logging.getLogger().handlers[:] = [plain]
        for _ in range(150):
            structlog.get_logger("x").warning("refused", entry="x" * 10**5)
        assert len(log.getvalue()) > 15_000_000

    def test_the_number_of_omitted_lines_is_logged(self, log: io.StringIO) -> None:
        time = Time()
        handler = LimitedHandler(log, Repeats(time))
        handler.setFormatter(our_handler().formatter)
        logging.getLogger().handlers[:] = [handler]
        for number in range(250):
            structlog.get_logger("x").warning("refused", number=number)
        time.now = 61
        structlog.get_logger("x").info("listening")
        entry, last = (json.loads(line) for line in log.getvalue().splitlines()[-2:])
        assert (entry["event"], entry["of"], entry["count"]) == (
            "lines_left_out",
            "x: refused",
            150,
        )
        assert (entry["service"], entry["level"]) == ("lobby", "warning")
        assert last["event"] == "listening"

    def test_a_terminal_gets_no_more_than_a_file(self, log_to: Callable[..., io.StringIO]) -> None:
        terminal = log_to("lobby", is_terminal=True)
        try:
            fail("x" * 10**6)
        except ValueError:
            structlog.get_logger("x").exception("failed", entry="y" * 10**6)
        assert len(terminal.getvalue()) < 25_000
        assert "Traceback" in terminal.getvalue()
