"""Messages of A2G servers, of which nothing is trusted."""

import json
from typing import Any

import pytest
from casino_player_example.a2g_client.a2g_messages import Message, message_of, read_message, written


def test_a_request_is_read_with_its_envelope() -> None:
    """The clock and the version are beside the payload."""
    message = message_of(
        {
            "type": "game_action_request",
            "messageId": "m1",
            "sequence": 4,
            "gameType": "kuhn_poker",
            "tableId": "t1",
            "specVersion": "1.1.0",
            "timeoutSeconds": 10,
            "timestamp": 1_700_000_000_000,
            "payload": {"availableActions": []},
        }
    )
    assert message == Message(
        "game_action_request",
        "m1",
        {"availableActions": []},
        "kuhn_poker",
        "t1",
        "1.1.0",
        10.0,
        1_700_000_000_000.0,
    )


def test_the_version_may_be_in_the_payload() -> None:
    """Servers differ in where they name it."""
    message = message_of({"type": "round_result", "payload": {"specVersion": "2.0.0"}})
    assert message is not None
    assert message.spec_version == "2.0.0"


@pytest.mark.parametrize(
    "frame", ["", "no JSON", "[]", "7", "null", '{"type": 7}', "{}", "[" * 100_000, b"\xff\xfe\xff"]
)
def test_anything_else_is_no_message(frame: str | bytes) -> None:
    """It is ignored."""
    assert read_message(frame) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"payload": 7},
        {"messageId": ["m"]},
        {"timeoutSeconds": "soon"},
        {"timeoutSeconds": True},
        {"timeoutSeconds": 1e400},
        {"timestamp": None},
        {"gameType": 5, "tableId": {}},
    ],
)
def test_a_field_of_another_type_counts_as_absent(wrong: dict[str, Any]) -> None:
    """The rest of the message is read."""
    assert message_of({"type": "hello", **wrong}) == Message("hello")


def test_an_error_is_read_without_what_cannot_be_printed() -> None:
    """Its text is shown to people."""
    payload = {
        "code": "TIMEOUT",
        "message": "too\x1b[31m late" + "x" * 9999,
        "relatedMessageId": "m",
    }
    message = message_of({"type": "game_error", "payload": payload})
    assert message is not None
    assert (message.code, message.related_id) == ("TIMEOUT", "m")
    assert message.text.startswith("too[31m late")
    assert len(message.text) < 501


def test_a_message_of_the_client_has_the_protocol_s_envelope() -> None:
    """A table's place only where it is one."""
    frame = json.loads(
        written(
            "submit_action", "m2", {"action": "BET"}, timestamp_ms=5, game_type="g", table_id="t"
        )
    )
    assert frame == {
        "type": "submit_action",
        "messageId": "m2",
        "protocolVersion": "1.0",
        "timestamp": 5,
        "gameType": "g",
        "tableId": "t",
        "payload": {"action": "BET"},
    }
    assert "tableId" not in json.loads(written("heartbeat", "m3", {}, timestamp_ms=5))
