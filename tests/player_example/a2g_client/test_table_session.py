"""The state machine of one table."""

import pytest
from casino_player_example.a2g_client.a2g_messages import Message
from casino_player_example.a2g_client.a2g_table import Reaction, State, TableSession


def request(message_id: str = "r1", kind: str = "game_action_request") -> Message:
    return Message(kind, message_id, {}, "g", "t")


def error(code: str, related: str = "") -> Message:
    payload = {"code": code, "message": f"{code}!", "relatedMessageId": related}
    return Message("game_error", "e", payload, "g", "t")


@pytest.fixture
def session() -> TableSession:
    """Return a session whose question was answered by `s1`."""
    session = TableSession("turn_based")
    assert session.receive(request()) is Reaction.DECIDE
    session.submitted("s1")
    return session


def test_a_question_is_decided_once() -> None:
    """While it is decided, its redelivery changes nothing."""
    session = TableSession("turn_based")
    assert session.receive(request()) is Reaction.DECIDE
    assert session.receive(request()) is Reaction.NOTHING
    assert session.state is State.DECIDING


def test_a_question_that_was_answered_is_answered_the_same(session: TableSession) -> None:
    """The server may not have the answer; a newer question is decided anew."""
    assert session.receive(request()) is Reaction.SEND_AGAIN
    assert session.receive(request("r2")) is Reaction.DECIDE
    assert not session.is_submission("s1")


def test_a_question_of_the_past_stays_past(session: TableSession) -> None:
    """Delivered again among the messages that were missed."""
    session.receive(request("r2"))
    session.submitted("s2")
    assert session.receive(request("r1")) is Reaction.NOTHING
    assert session.is_submission("s2")
    assert session.receive(error("ROUND_COMPLETE", "s2")) is Reaction.STOP_DECIDING
    assert session.receive(request("r2")) is Reaction.NOTHING


def test_a_result_that_comes_late_stops_no_decision(session: TableSession) -> None:
    """The next round's first question may overtake it."""
    session.receive(request("r2"))
    assert session.receive(Message("round_result", "x")) is Reaction.NOTHING
    assert session.state is State.DECIDING


def test_two_refusals_are_followed_by_another_decision(session: TableSession) -> None:
    """It is still the client's turn; the third ends it, so that nothing loops."""
    for number in (1, 2):
        assert session.receive(error("INVALID_AMOUNT", f"s{number}")) is Reaction.DECIDE
        assert session.refusal == "INVALID_AMOUNT!"
        session.submitted(f"s{number + 1}")
    assert session.receive(error("INVALID_ACTION", "s3")) is Reaction.STOP_DECIDING
    assert session.state is State.IDLE


@pytest.mark.parametrize("code", ["NOT_YOUR_TURN", "ROUND_COMPLETE", "BETTING_WINDOW_CLOSED"])
def test_what_came_too_late_is_not_repeated(session: TableSession, code: str) -> None:
    assert session.receive(error(code, "s1")) is Reaction.STOP_DECIDING
    assert session.state is State.IDLE


def test_an_error_of_an_earlier_submission_changes_nothing(session: TableSession) -> None:
    """It names the message that it is about."""
    for code in ("INVALID_ACTION", "NOT_YOUR_TURN", "TIMEOUT"):
        assert session.receive(error(code, "s0")) is Reaction.NOTHING
    assert session.state is State.SUBMITTED


def test_the_server_s_time_out_ends_the_decision() -> None:
    """It names no message."""
    session = TableSession("turn_based")
    session.receive(request())
    assert session.receive(error("TIMEOUT")) is Reaction.STOP_DECIDING


def test_the_game_model_chooses_the_questions() -> None:
    """A turn-based game has no betting window; an unknown model may have both."""
    window = request("w1", "betting_window_open")
    assert TableSession("turn_based").receive(window) is Reaction.NOTHING
    assert TableSession("phase_based").receive(window) is Reaction.DECIDE
    assert TableSession(None).receive(window) is Reaction.DECIDE


def test_a_window_that_closes_ends_the_decision() -> None:
    """What is decided later would be refused."""
    session = TableSession("phase_based")
    session.receive(request("w1", "betting_window_open"))
    assert session.receive(Message("betting_window_closed", "x")) is Reaction.STOP_DECIDING


def test_unknown_messages_change_nothing(session: TableSession) -> None:
    """Of later versions of the protocol."""
    assert session.receive(Message("weather_report", "x")) is Reaction.NOTHING
    assert session.receive(error("LATER_CODE", "s1")) is Reaction.NOTHING
    assert session.state is State.SUBMITTED
