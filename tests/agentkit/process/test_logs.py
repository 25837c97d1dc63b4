"""Logs keep secrets, at any depth and however the key is spelled."""

import io
import json
import logging
from collections.abc import Callable

import pytest
import structlog
from casino_agentkit import Redactor
from casino_agentkit.process.logs import REDACTED, frequent_level
from pydantic import BaseModel

KEYS = ("hole_cards", "seed", "secret")


@pytest.fixture
def log(log_to: Callable[..., io.StringIO]) -> io.StringIO:
    return log_to("table", secret_keys=KEYS)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


class Hand(BaseModel):
    """An object that holds a secret."""

    hole_cards: list[str]
    pot: int


class TestRedactor:
    @pytest.mark.parametrize(
        "secret",
        [
            {"hole_cards": ["As"]},
            {"holeCards": ["As"]},
            {"Hole-Cards": "As"},
            {"act": {"request": [{"holeCards": ["As"]}]}},
            {"players": ({"seed": "As"},)},
            {"hand": Hand(hole_cards=["As"], pot=3)},
            {"deep": {"deeper": {"hands": [Hand(hole_cards=["As"], pot=3)]}}},
        ],
    )
    def test_secrets_are_blanked(self, secret: dict[str, object]) -> None:
        event = Redactor(KEYS)(None, "info", {"event": "x", **secret})
        assert "As" not in repr(event)
        assert REDACTED in repr(event)

    def test_other_keys_stay(self) -> None:
        """Only the named keys are blanked."""
        event = {"event": "x", "pot": 30, "seat": {"stack": [1, 2.5, True, None]}}
        assert Redactor(KEYS)(None, "info", dict(event)) == event

    def test_what_is_nested_without_end_is_blanked(self) -> None:
        """A structure that contains itself does not hang the log."""
        loop: dict[str, object] = {}
        loop["again"] = loop
        assert REDACTED in repr(Redactor(KEYS)(None, "info", {"loop": loop}))


class TestLog:
    def test_lines_are_json_with_the_service_s_name(self, log: io.StringIO) -> None:
        structlog.get_logger("casino_table.play.hand_session").info(
            "hand_completed", hand="t1/7", seed="s3"
        )
        (line,) = lines(log)
        assert line["event"] == "hand_completed"
        assert line["service"] == "table"
        assert line["level"] == "info"
        assert line["seed"] == REDACTED

    def test_lines_of_libraries_are_redacted(self, log: io.StringIO) -> None:
        logging.getLogger("anything").warning("odd %s", "thing", extra={"secret": "s3"})
        (line,) = lines(log)
        assert line["event"] == "odd thing"
        assert line["secret"] == REDACTED

    def test_tracebacks_show_no_locals(self, log: io.StringIO) -> None:
        """A local variable may hold cards."""
        hole_cards = ["As", "Kd"]
        try:
            int("no cards in here")
        except ValueError:
            structlog.get_logger("x").exception("failed")
        assert hole_cards[0] not in log.getvalue()
        assert "no cards in here" in log.getvalue()

    def test_the_sdk_s_own_log_is_silent(self, log: io.StringIO) -> None:
        """It would log a traceback for every malformed request."""
        logging.getLogger("a2a.server").error("malformed")
        assert log.getvalue() == ""

    def test_frequent_lines_are_for_a_terminal_or_debug(self, log: io.StringIO) -> None:
        """A file gets a line per hand only at DEBUG."""
        structlog.get_logger("x").log(frequent_level(), "hand_completed")
        assert log.getvalue() == ""
        logging.getLogger().setLevel("DEBUG")
        structlog.get_logger("x").log(frequent_level(), "hand_completed")
        assert [line["event"] for line in lines(log)] == ["hand_completed"]

    def test_a_terminal_gets_colours_instead_of_json(
        self, log_to: Callable[..., io.StringIO]
    ) -> None:
        terminal = log_to("table", is_terminal=True, secret_keys=KEYS)
        structlog.get_logger("x").info("seated", seed="s3", pot=5)
        structlog.get_logger("x").log(frequent_level(), "hand_completed")
        assert "seated" in terminal.getvalue()
        assert "hand_completed" in terminal.getvalue()
        assert "s3" not in terminal.getvalue()
        assert not terminal.getvalue().startswith("{")
