"""Messages that cannot be taken: what their error says, field by field."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from casino_gateway.boardgame.boardgame_messages import (
    MESSAGE_BYTES,
    Core,
    GetState,
    MessageRefused,
    PerformAction,
    read,
)
from support.gateway.boardgame_side import BoardgameSide, core

ACTION = {"version": "1.0.0", "type": "BET", "data": {"turn": 3, "amount": 4, "message": "hi"}}


def refusal_of(message: object) -> MessageRefused:
    with pytest.raises(MessageRefused) as refusal:
        read(message if isinstance(message, bytes) else orjson.dumps(message))
    return refusal.value


def fields_of(message: dict[str, Any]) -> list[str]:
    refusal = refusal_of(message)
    assert refusal.code == "INVALID_MESSAGE"
    return [fault["field"] for fault in refusal.data["errors"]]


def test_both_requests_are_read() -> None:
    """Unknown fields are ignored, the order of keys is free."""
    request = read(orjson.dumps({"more": [1], **core("get_state"), "state": {"version": "1.2.3"}}))
    assert request == GetState(Core("kuhn_poker", "room", "ada"), "1.2.3")
    action = read(orjson.dumps({"action": ACTION, **core("perform_action")}))
    assert isinstance(action, PerformAction)
    assert action.action == {"action_type": "BET", "amount": 4}
    assert (action.turn, action.message, action.action_version) == (3, "hi", "1.0.0")
    least = read(orjson.dumps({"action": {"type": "fold"}, **core("perform_action")}))
    assert isinstance(least, PerformAction)
    assert least.action == {"action_type": "fold"}


async def test_an_unreadable_message_gets_an_error_with_empty_core_fields() -> None:
    """BGP-03: the document's own example is no JSON; the error says where it ends."""
    example = b'{"version": "1.0.0", "type": "get_state", "state": {"version:: "1.0.0"}}'
    status, reply = await BoardgameSide().post(example)
    assert status == 400
    message = reply["error"].pop("message")
    assert "line 1 column" in message
    assert reply == {
        "version": "1.0.0",
        "type": "error",
        "game": "",
        "match_id": "",
        "agent_id": "",
        "error": {"version": "1.0.0", "data": {"code": "INVALID_JSON"}},
    }


def test_versions() -> None:
    """BGP-19: any 1.x.y is read."""
    assert refusal_of(core("get_state", version="2.0.0")).code == "UNSUPPORTED_VERSION"
    assert refusal_of(core("get_state", version="one")).code == "UNSUPPORTED_VERSION"
    assert refusal_of(core("get_state", version="1.0")).code == "UNSUPPORTED_VERSION"
    request = read(orjson.dumps(core("get_state", version="1.4.2")))
    assert request.core.match_id == "room"
    message = core("get_state")
    del message["version"]
    assert fields_of(message) == ["version"]


@pytest.mark.parametrize("kind", ["dance", "get_state_response", ""])
def test_unknown_types(kind: str) -> None:
    """BGP-18: the refusal names the two that agents send."""
    refusal = refusal_of(core(kind))
    assert refusal.code == "UNKNOWN_TYPE"
    assert "get_state and perform_action" in refusal.message
    assert refusal.core == Core("kuhn_poker", "room", "ada")


@pytest.mark.parametrize("wrong", [5, None, [], {}, True])
@pytest.mark.parametrize("field", ["version", "type", "game", "match_id", "agent_id"])
def test_wrong_core_fields(field: str, wrong: object) -> None:
    """BGP-20: one fault each; what can be read is echoed."""
    refusal = refusal_of(core("get_state", **{field: wrong}))
    assert refusal.data["errors"] == [{"field": field, "message": "must be a string"}]
    echoed = {"game": "kuhn_poker", "match_id": "room", "agent_id": "ada"}
    if field in echoed:
        echoed[field] = ""
    assert refusal.core == Core(**echoed)


def test_every_fault_is_in_one_answer() -> None:
    """BGP-20: absent core fields beside wrong own parts."""
    assert fields_of({}) == ["version", "type", "game", "match_id", "agent_id"]
    wrong = core("perform_action", game=5)
    data = {"turn": -1, "message": "x" * 501, "defaulted": {"reason": "Why not"}}
    wrong["action"] = {"version": 1, "type": "", "data": data}
    assert fields_of(wrong) == [
        "game",
        "action.version",
        "action.type",
        "action.data.turn",
        "action.data.message",
        "action.data.defaulted",
    ]
    assert fields_of(core("perform_action")) == ["action"]
    assert fields_of(core("perform_action", action={"type": "BET", "data": []})) == ["action.data"]
    assert fields_of(core("get_state", state=None)) == ["state"]
    assert fields_of(core("get_state", state={"version": "one"})) == ["state.version"]
    assert refusal_of(b"[]").data["errors"] == [
        {"field": "", "message": "a message must be a JSON object"}
    ]


def test_sizes() -> None:
    """BGP-27: at most 64 KiB and 32 levels; a parser's own limits are never met."""
    assert refusal_of(b" " * (MESSAGE_BYTES + 1)).code == "TOO_LARGE"
    deep = b'{"a":' * 50 + b"1" + b"}" * 50
    assert refusal_of(deep).code == "INVALID_JSON"
    assert refusal_of(b"[" * MESSAGE_BYTES).code == "INVALID_JSON"
    assert refusal_of(b'{"game":"\xff"}').code == "INVALID_JSON"
    assert refusal_of(b'{"game":NaN}').code == "INVALID_JSON"
    assert refusal_of(b"").code == "INVALID_JSON"


async def test_a_body_is_not_read_beyond_the_limit() -> None:
    """BGP-27: HTTP 413, and floods leave the memory flat."""
    read_bytes = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read_bytes
        for _ in range(1_000):
            read_bytes += 1024
            yield b" " * 1024

    reply = await BoardgameSide().http.post("/bgp", content=endless())
    assert (reply.status_code, reply.json()["error"]["data"]["code"]) == (413, "TOO_LARGE")
    assert read_bytes <= MESSAGE_BYTES + 1024
