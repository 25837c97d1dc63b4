"""One message in, one out: identity, match, game, state, action."""

import orjson
import pytest
from casino_contracts import Defaulted, WaitReason
from casino_lobby_client.errors import LobbyAway
from casino_lobby_client.lobby_client import LOBBY
from support.gateway.boardgame_side import BoardgameSide, code_of, core
from support.gateway.seat_side import TOKEN, acted, advance, asked, event, notice


async def test_the_state_has_exactly_the_fields_of_the_document() -> None:
    """BGP-01, BGP-02: with or without `state`; the clock runs."""
    side = BoardgameSide()
    side.side.room.match.hand_number = 1
    asking = await asked(side.side)
    await advance(2)
    status, reply = await side.post(core("get_state", state={"version": "1.0.0"}))
    assert status == 200
    assert reply == {
        **core("get_state_response"),
        "status": "started",
        "phase": "main",
        "turn": 1,
        "stage": "act",
        "started_at": "2026-11-22T18:40:05Z",
        "ended_at": None,
        "active_agent_id": "ada",
        "agents": [
            {"id": "ada", "name": "Ada", "type": "human"},
            {"id": "bob", "name": "Bob", "type": "ai"},
        ],
        "state": {
            "version": "1.0.0",
            "data": {
                "public": {"pot": 1},
                "private": {"card": "K"},
                "available_actions": [
                    {"action_type": "CHECK"},
                    {"action_type": "BET", "min": 1, "max": 9},
                ],
                "deadline_ms": 7750,
                "hand_number": 1,
            },
        },
    }
    assert (await side.post(core("get_state")))[1] == reply
    await side.act("CHECK")
    await asking


async def test_a_question_may_come_before_the_events_of_its_hand() -> None:
    """As over real processes: then the state is that of the question."""
    side = BoardgameSide()
    match = side.side.room.match
    match.stage = "waiting"
    _, state = await side.post(core("get_state"))
    assert (state["status"], state["turn"], state["started_at"]) == ("waiting", 0, None)
    await asked(side.side)
    _, state = await side.post(core("get_state"))
    assert (state["status"], state["phase"], state["turn"]) == ("started", "main", 1)
    assert (await side.act("CHECK", turn=state["turn"]))["status"] == "success"


async def test_an_agent_says_that_its_action_is_a_default() -> None:
    side = BoardgameSide()
    asking = await asked(side.side)
    assert (await side.act("CHECK", defaulted={"reason": "timeout"}))["status"] == "success"
    response = await asking
    assert response.action == {"action_type": "CHECK"}
    assert response.defaulted == Defaulted(reason="timeout")


async def test_an_action_is_taken_once() -> None:
    """BGP-08, BGP-13: success with what the table got; the same message again is stale."""
    side = BoardgameSide()
    asking = await asked(side.side)
    response = await side.act("Bet", turn=1, amount=4)
    assert response == {
        "version": "1.0.0",
        "status": "success",
        "message": "Action performed successfully: BET 4",
        "data": {"action": {"action_type": "BET", "amount": 4}, "turn": 1},
    }
    assert (await asking).action == {"action_type": "BET", "amount": 4}
    assert (await asking).defaulted is None
    again = await side.act("Bet", turn=1, amount=4)
    assert again["status"] == "error"
    assert again["data"]["code"] == "STALE_TURN"


async def test_what_the_game_refuses_leaves_the_question_open() -> None:
    """BGP-10, BGP-11: with the offers, and what is right."""
    side = BoardgameSide()
    asking = await asked(side.side)
    for data in ({"amount": 10}, {"amount": "4"}, {}, {"amount": 1e300}):
        refused = await side.act("BET", **data)
        assert refused["status"] == "error"
        assert refused["data"]["code"] == "INVALID_AMOUNT"
        assert refused["data"]["available_actions"][1] == {
            "action_type": "BET",
            "min": 1,
            "max": 9,
        }
        assert "from 1 to 9" in refused["message"]
    dance = await side.act("DANCE")
    assert dance["data"]["code"] == "ILLEGAL_ACTION"
    assert "CHECK, BET" in dance["message"]
    await side.act("CHECK")
    assert (await asking).action == {"action_type": "CHECK"}


async def test_nobodys_turn() -> None:
    """BGP-12, BGP-14, BGP-15: why there is no decision."""
    side = BoardgameSide()
    match = side.side.room.match
    match.is_running, match.public = True, {"current_player": "bob"}
    wait = await side.act("CHECK")
    assert wait["data"] == {"code": "NOT_YOUR_TURN", "active_agent_id": "bob"}
    match.public = {"current_player": "ada"}  # by an event, which came before the question
    early = await side.act("CHECK")
    assert early["data"] == {"code": "NOT_YOUR_TURN", "active_agent_id": None}
    assert (await side.post(core("get_state")))[1]["active_agent_id"] is None
    asking = await asked(side.side)
    await advance(20)
    late = await side.act("CHECK", turn=1)
    assert late["data"]["code"] == "STALE_TURN"
    assert (await side.act("CHECK"))["data"]["code"] == "NOT_YOUR_TURN"
    asking.cancel()
    match.stage = "waiting"
    assert (await side.act("CHECK"))["data"]["code"] == "MATCH_NOT_STARTED"
    match.stage = "ended"
    assert (await side.act("CHECK"))["data"]["code"] == "MATCH_ENDED"


@pytest.mark.parametrize("kind", ["get_state", "perform_action"])
async def test_identity(kind: str) -> None:
    """BGP-16: no token, a wrong one, that of another agent or match; no card in the error."""
    side = BoardgameSide()
    await asked(side.side)
    message = core(kind, action={"type": "CHECK"})
    expected = {
        **core("error"),
        "error": {
            "version": "1.0.0",
            "message": "Unauthorized action",
            "data": {"code": "UNAUTHORIZED"},
        },
    }
    assert await side.post(message, token=None) == (401, expected)
    assert await side.post(message, token="x") == (403, expected)
    side.seats.tokens["token-of-bob"] = side.side.take("bob", 1)
    assert await side.post(message, token="token-of-bob") == (403, expected)
    status, other = await side.post({**message, "match_id": "another"})
    assert (status, code_of(other)) == (403, "UNAUTHORIZED")
    assert side.seat.question is not None


async def test_matches_and_games() -> None:
    """BGP-17, BGP-21: unknown, and of another game."""
    side = BoardgameSide()
    status, unknown = await side.post(core("get_state", match_id="nope"))
    assert (status, code_of(unknown)) == (404, "UNKNOWN_MATCH")
    assert unknown["match_id"] == "nope"
    status, chess = await side.post(core("get_state", game="chess"))
    assert (status, code_of(chess)) == (400, "GAME_MISMATCH")
    assert chess["error"]["data"]["game"] == "kuhn_poker"


async def test_versions_of_the_specification() -> None:
    """Of another major version: an error that names the served one (b1)."""
    side = BoardgameSide()
    status, reply = await side.post(core("get_state", state={"version": "2.0.0"}))
    assert (status, code_of(reply)) == (400, "UNSUPPORTED_VERSION")
    assert reply["error"]["data"]["state_version"] == "1.3.0"
    _, reply = await side.post(core("get_state", state={"version": "1.0.0"}))
    assert reply["state"]["version"] == "1.3.0"
    assert side.seats.specifications_read == 1
    await advance(61)
    side.seats.refusal = LobbyAway()
    assert (await side.post(core("get_state")))[0] == 200
    asking = await asked(side.side)
    action = {"version": "9.0.0", "type": "CHECK"}
    status, reply = await side.post(core("perform_action", action=action))
    assert (status, code_of(reply)) == (400, "UNSUPPORTED_VERSION")
    await side.act("CHECK")
    await asking


@pytest.mark.parametrize("path", ["/bgp", "/bgp?dialect=schemas-1.0.0"])
async def test_a_made_specification_is_played_with_the_documents_own_version(path: str) -> None:
    """It never saw a release, and the document's clients know no version but its 1.0.0."""
    side = BoardgameSide()
    asking = await asked(side.side, spec_version="0.0.530210")
    for version in ("1.0.0", "0.0.530210", "0.0.7", "1.4.2"):
        status, reply = await side.post(core("get_state", state={"version": version}), path=path)
        assert (status, reply["state"]["version"]) == (200, "0.0.530210")
    refused = {"action": {"version": "2.0.0", "type": "CHECK", "data": {}}}
    status, reply = await side.post(core("perform_action", **refused), path=path)
    assert (status, code_of(reply)) == (400, "UNSUPPORTED_VERSION")
    assert reply["error"]["message"] == (
        "action.version 2.0.0 is not served; kuhn_poker has version 0.0.530210, and 0.y.z and"
        " 1.y.z are accepted, or none."
    )
    taken = {"action": {"version": "1.0.0", "type": "CHECK", "data": {}}}
    status, reply = await side.post(core("perform_action", **taken), path=path)
    assert (status, reply["action_response"]["status"]) == (200, "success")
    await asking


@pytest.mark.parametrize("path", ["/bgp", "/bgp?dialect=schemas-1.0.0"])
@pytest.mark.parametrize("named", ["FOLD", "fold", "defaultTimeoutAction"])
async def test_the_default_action_may_be_named(named: str, path: str) -> None:
    """It is performed though it is not offered now, and everybody hears whose choice it was."""
    side = BoardgameSide()
    asking = await asked(side.side)
    action = {"action": {"version": "1.0.0", "type": named, "data": {"turn": 2}}}
    _, stale = await side.post(core("perform_action", **action), path=path)
    assert stale["action_response"]["data"]["code"] == "STALE_TURN"
    action["action"]["data"] = {"turn": 1}
    _, reply = await side.post(core("perform_action", **action), path=path)
    assert reply["action_response"] == {
        "version": "1.0.0",
        "status": "success",
        "message": "Action performed successfully: CHECK, by default",
        "data": {
            "action": {"action_type": "CHECK"},
            "turn": 1,
            "defaulted": {"reason": "default_action"},
        },
    }
    response = await asking
    assert response.action == {"action_type": "CHECK"}
    assert response.defaulted == Defaulted(reason="default_action")


async def test_an_offered_action_with_the_default_s_name_is_a_decision() -> None:
    """Without its fields it is the default, with wrong ones it is refused."""
    side = BoardgameSide()
    side.side.default = "PLAY_CARD"
    offers = tuple({"action_type": "PLAY_CARD", "card": card} for card in (2, 7, 7))
    asking = await asked(side.side, available_actions=offers)
    assert (await side.act("PLAY_CARD", card=3))["data"]["code"] == "ILLEGAL_ACTION"
    assert "defaulted" not in (await side.act("PLAY_CARD", card=7))["data"]
    assert (await asking).action == {"action_type": "PLAY_CARD", "card": 7}
    asking = await asked(side.side, 2, available_actions=offers)
    taken = await side.act("PLAY_CARD")
    assert (taken["data"]["action"]["card"], taken["data"]["defaulted"]["reason"]) == (
        2,
        "default_action",
    )
    assert (await asking).action == {"action_type": "PLAY_CARD", "card": 2}


async def test_amounts_that_are_offered_one_by_one_are_chosen() -> None:
    side = BoardgameSide()
    offers = tuple({"action_type": "BID", "amount": amount} for amount in (5, 10))
    asking = await asked(side.side, available_actions=offers)
    assert (await side.act("BID", amount=7))["data"]["code"] == "ILLEGAL_ACTION"
    assert (await side.act("BID", amount=10))["status"] == "success"
    assert (await asking).action == {"action_type": "BID", "amount": 10}


async def test_a_state_says_that_the_lobby_is_away() -> None:
    side, away = BoardgameSide(), WaitReason.LOBBY_AWAY
    await asked(side.side)
    with side.seats.waiting.during(away, LOBBY, "http://inside:4000"):
        _, reply = await side.post(core("get_state"))
    (wait,) = reply["state"]["data"]["waits"]
    assert (wait["what"], wait["fix"], "inside" in str(wait)) == (away.what, away.fix, False)
    _, reply = await side.post(core("get_state"))
    assert "waits" not in reply["state"]["data"]


async def test_failures_are_errors_too() -> None:
    """What the agent did not cause says that it may be tried again."""
    side = BoardgameSide()
    side.seats.refusal = LobbyAway()
    status, reply = await side.post(core("get_state"))
    assert (status, code_of(reply)) == (503, "LOBBY_UNAVAILABLE")
    side.seats.refusal = None
    await asked(side.side)
    side.side.store.is_broken = True
    status, reply = await side.post(core("perform_action", action={"type": "CHECK"}))
    assert (status, code_of(reply)) == (500, "INTERNAL_ERROR")
    side.side.store.is_broken = False
    assert (await side.act("CHECK"))["status"] == "success"


async def test_the_result_is_there_between_hands() -> None:
    """BGP-06: not while the next one runs."""
    side = BoardgameSide()
    side.seat.notify(notice("dealt", state={"public": {}, "private": {"card": "K"}}))
    side.side.room.match.hand_number = 1
    side.seat.notify(notice("completed", result={"winners": ["ada"]}))
    _, state = await side.post(core("get_state"))
    assert state["state"]["data"]["result"] == {"winners": ["ada"]}
    side.side.room.match.is_running = True
    _, state = await side.post(core("get_state"))
    assert "result" not in state["state"]["data"]


async def test_a_stream_has_the_room_s_events() -> None:
    """As pushes, from a sequence on, until the seat is closed."""
    side = BoardgameSide()
    side.side.room.take(event(1, "hand_started", {"handNumber": 1}))
    side.side.room.take(acted(2))
    asking = await asked(side.side)
    await side.act("CHECK")
    await asking
    side.seat.close("left")
    headers = {"authorization": f"Bearer {TOKEN}"}
    reply = await side.http.get("/bgp/stream/room/ada?after=1", headers=headers)
    assert reply.headers["content-type"].startswith("application/x-ndjson")
    pushes = [orjson.loads(line) for line in reply.text.splitlines() if line]
    assert pushes[0] == {
        **core("push_message"),
        "message_response": {
            "version": "1.0.0",
            "message": "action_taken 2",
            "data": {"event": "action_taken", "sequence": 2, "payload": acted(2).payload},
        },
    }
    assert pushes[1]["message_response"]["data"] == {
        "event": "seat_closed",
        "payload": {"reason": "left"},
    }
    wrong = await side.http.get("/bgp/stream/room/bob", headers=headers)
    assert (wrong.status_code, code_of(wrong.json())) == (403, "UNAUTHORIZED")
    wrong = await side.http.get("/bgp/stream/room/ada?after=-1", headers=headers)
    assert (wrong.status_code, code_of(wrong.json())) == (400, "INVALID_MESSAGE")
