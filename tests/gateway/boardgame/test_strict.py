"""The organisation's dialect: its shapes, and its two further requests."""

import orjson
from casino_lobby_client.errors import LobbyAway
from support.gateway.boardgame_side import BoardgameSide, core
from support.gateway.seat_side import TOKEN, Json, acted, asked
from support.gateway.strict_schemas import check_shape

STRICT = "/bgp?dialect=schemas-1.0.0"


async def strict(side: BoardgameSide, message: Json, token: str | None = TOKEN) -> Json:
    """Return the reply in the strict dialect, which has its shape."""
    _, reply = await side.post(message, token=token, path=STRICT)
    check_shape(reply)
    return reply


async def test_states_and_actions_fit_the_shapes() -> None:
    """Of a waiting match, an open decision, a wrong action and a right one, and a closed seat."""
    side = BoardgameSide()
    side.side.room.match.stage = "waiting"
    waiting = await strict(side, core("get_state"))
    assert (waiting["started_at"], waiting["active_agent_id"]) == ("1970-01-01T00:00:00Z", "")
    side.side.room.match.stage = "started"
    asking = await asked(side.side)
    state = await strict(side, core("get_state", state={"version": "1.0.0"}))
    assert state["active_agent_id"] == "ada"
    action = {"version": "1.0.0", "type": "DANCE", "data": {}}
    wrong = await strict(side, core("perform_action", action=action))
    assert wrong["action_response"]["status"] == "error"
    action["type"] = "CHECK"
    right = await strict(side, core("perform_action", action=action))
    assert right["action_response"]["status"] == "success"
    await asking
    side.seat.close("left")
    over = await strict(side, core("get_state"))
    assert over["ended_at"].endswith("Z")


async def test_pushes_are_events() -> None:
    side = BoardgameSide()
    side.side.room.take(acted(1))
    side.seat.close("left")
    url = "/bgp/stream/room/ada?after=0&dialect=schemas-1.0.0"
    headers = {"authorization": "Bearer token-of-ada"}
    reply = await side.http.get(url, headers=headers)
    pushes = [line for line in reply.text.splitlines() if line]
    assert len(pushes) == 2
    for line in pushes:
        check_shape(orjson.loads(line))
    assert orjson.loads(pushes[0])["event"]["data"] == {
        "message": "action_taken 1",
        "event": "action_taken",
        "sequence": 1,
        "payload": acted(1).payload,
    }


async def test_matches_are_listed_for_everybody() -> None:
    """Without those that nobody sits at, and those that the lobby closed meanwhile."""
    side = BoardgameSide()
    message = {"version": "1.0.0", "type": "get_matches", "agent_id": "anybody"}
    reply = await strict(side, message, token=None)
    assert reply["agent_id"] == "anybody"
    assert reply["matches"] == [
        {
            "match_id": "room",
            "agents": [{"id": "ada", "name": "Ada"}, {"id": "bob", "name": "Bob"}],
            "status": "started",
        }
    ]
    side.seats.refusal = LobbyAway()
    away = await strict(side, message, token=None)
    assert away["error"]["data"]["code"] == "LOBBY_UNAVAILABLE"
    status, plain = await side.post(message, token=None)
    assert (status, plain["error"]["data"]["code"]) == (400, "INVALID_MESSAGE")


async def test_a_match_is_opened_where_the_gateway_may() -> None:
    message = {
        "version": "1.0.0",
        "type": "create_match",
        "game": "kuhn_poker",
        "agent_id": "anybody",
        "settings": {"version": "1.0.0", "data": {"maxHands": 7}},
    }
    reply = await strict(BoardgameSide(), message, token=None)
    assert reply["match_id"] == "kuhn_poker-7-1"
    refused = await strict(BoardgameSide(may_create_rooms=False), message, token=None)
    assert refused["error"]["data"]["code"] == "NOT_ALLOWED"
    wrong = await strict(BoardgameSide(), {**message, "settings": []}, token=None)
    assert wrong["error"]["data"]["errors"][0]["field"] == "settings"


async def test_an_unknown_dialect_is_refused() -> None:
    status, reply = await BoardgameSide().post(core("get_state"), path="/bgp?dialect=latin")
    assert (status, reply["error"]["data"]["code"]) == (400, "INVALID_MESSAGE")


async def test_a_type_that_is_no_text_is_named() -> None:
    message = {**core("get_state"), "type": ["get_state"]}
    status, reply = await BoardgameSide().post(
        message, token=None, path="/bgp?dialect=schemas-1.0.0"
    )
    assert status == 400
    assert [fault["field"] for fault in reply["error"]["data"]["errors"]] == ["type"]
