"""Right calls of every entrypoint, made with the contracts' own models."""

import random
from typing import Any, Literal, NamedTuple

from casino_contracts import (
    ActionRequest,
    ConfigureTableInput,
    CreateRoomInput,
    HandRecordInput,
    LeaveRoomInput,
    LeaveTableInput,
    RecordTableEventsInput,
    RegisterPlayerInput,
    RegisterTableInput,
    SeatPlayerInput,
    SignupInvitation,
    StartGameInput,
    StartRoomInput,
    TableEvent,
    TableEventBatch,
    WireModel,
)

AgentName = Literal["lobby", "table", "player"]
CONFIG: dict[str, Any] = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 10,
    "maxSeats": 2,
    "seed": "seven",
}
_CARDS = [{"rank": "Q", "suit": "spades"}, {"rank": "Q", "suit": "diamonds"}]
_RECORD = "recordGameEvent"


class Places(NamedTuple):
    """What calls name: addresses of cards, and rooms that there are, or may be."""

    lobby: str
    table: str
    player: str
    rooms: tuple[str, ...] = ("r1", "r2", "r3", "nowhere")


class TypedCall(NamedTuple):
    """A skill and its input, as plain JSON."""

    skill: str
    data: Any


def _json(model: type[WireModel], **fields: Any) -> Any:
    return model.model_validate(fields).model_dump(mode="json", by_alias=True, exclude_none=True)


def _some(rng: random.Random, **fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if rng.random() < 0.4}


def _request_id(rng: random.Random) -> dict[str, Any]:
    return _some(rng, requestId=f"q-{rng.randint(1, 40)}")


def lobby_call(  # noqa: PLR0911  a case for each skill
    rng: random.Random, places: Places
) -> TypedCall:
    room = rng.choice(places.rooms)
    match rng.randrange(8):
        case 0:
            more = _some(rng, tableAgentCardUrl=places.table, roomId=room, **_request_id(rng))
            return TypedCall("createRoom", _json(CreateRoomInput, config=CONFIG, **more))
        case 1:
            more = _some(rng, preferredSeat=1, signupSkill="signup", **_request_id(rng))
            given = {"roomId": room, "agentCardUrl": places.player, **more}
            return TypedCall("registerPlayer", _json(RegisterPlayerInput, **given))
        case 2:
            more = _some(rng, overrides={"maxHands": 3}, **_request_id(rng))
            return TypedCall("startRoom", _json(StartRoomInput, roomId=room, **more))
        case 3:
            given = {"roomId": room, "playerId": "player-1", **_request_id(rng)}
            return TypedCall("leaveRoom", _json(LeaveRoomInput, **given))
        case 4:
            return TypedCall("listRooms", {})
        case 5:
            more = _some(rng, tableId="r1", epoch=1, roomToken="x" * 40)
            given = {"agentCardUrl": places.table, **more}
            return TypedCall("registerTable", _json(RegisterTableInput, **given))
        case 6:
            events = [_event(rng, room, number) for number in range(1, rng.randint(2, 4))]
            parts = [
                {"events": events, **_some(rng, roomToken="x" * 40)}
                for _ in range(rng.randint(1, 3))
            ]
            return TypedCall("recordTableEvents", _json(RecordTableEventsInput, tables=parts))
        case _:
            events = [_event(rng, room, number) for number in range(1, rng.randint(2, 4))]
            if rng.random() < 0.5:
                return TypedCall(_RECORD, _json(TableEvent, **events[0]))
            return TypedCall(_RECORD, _json(TableEventBatch, events=events))


def _event(rng: random.Random, room: str, number: int) -> dict[str, Any]:
    return {
        "tableId": room,
        "eventType": rng.choice(("player_busted", "table_status", "hand_completed")),
        "message": "Ada is out",
        "timestamp": "2026-11-20T19:43:00.123Z",
        "payload": {"playerId": "player-1", "handNumber": 1},
        "sequence": number,
        "epoch": 1,
    }


def table_call(  # noqa: PLR0911  a case for each skill
    rng: random.Random, places: Places
) -> TypedCall:
    match rng.randrange(7):
        case 0:
            seat = {
                "playerId": "p1",
                "displayName": "Ada",
                "seatNumber": 0,
                "stack": 200,
                "agentCardUrl": places.player,
                "actionSkill": "act",
            }
            callback = {"agentCardUrl": places.lobby, "eventSkill": "recordGameEvent"}
            given: dict[str, Any] = {
                "tableId": rng.choice(("r1", "t1")),
                "casinoName": "A2A Casino",
                "config": CONFIG,
                "casinoCallback": callback,
                **_some(rng, seats=[seat], epoch=rng.randint(1, 5), gameType="kuhn_poker"),
                **_request_id(rng),
            }
            return TypedCall("configureTable", _json(ConfigureTableInput, **given))
        case 1:
            given = {
                "playerId": "p1",
                "displayName": "Ada",
                "agentCardUrl": places.player,
                "actionSkill": "act",
                "startingStack": 200,
                **_some(rng, preferredSeat=1, seatToken="x" * 40, **_request_id(rng)),
            }
            return TypedCall("registerPlayer", _json(SeatPlayerInput, **given))
        case 2:
            given = _some(rng, maxHands=3, smallBlind=1, bigBlind=2, **_request_id(rng))
            return TypedCall("startGame", _json(StartGameInput, **given))
        case 3:
            given = {"playerId": rng.choice(("p1", "p2")), **_request_id(rng)}
            return TypedCall("leaveTable", _json(LeaveTableInput, **given))
        case 4:
            return TypedCall("tableSummary", {})
        case 5:
            return TypedCall("handRecord", _json(HandRecordInput, handId="r1/1"))
        case _:
            return TypedCall("closeTable", {})


def player_call(rng: random.Random, _places: Places) -> TypedCall:
    if rng.random() < 0.4:
        given = {
            "casinoName": "A2A Casino",
            "tableId": f"t{rng.randint(1, 9)}",
            "roomId": "r1",
            "minBuyIn": 40,
            "maxBuyIn": 400,
            "smallBlind": 0.5,
            "bigBlind": 1,
            **_some(rng, playerId="player-1", seatToken="x" * 40),
        }
        return TypedCall("signup", _json(SignupInvitation, **given))
    given = {
        "tableId": f"t{rng.randint(5, 15)}",
        "bettingRound": "preflop",
        "communityCards": [],
        "holeCards": _CARDS,
        "pot": rng.randint(3, 400),
        "minimumRaise": 2,
        "currentBet": 2,
        "playerStack": 198,
        "legalActions": ["fold", "call", "raise", "all-in"],
        **_some(rng, requestId=f"t1/1:{rng.randint(1, 9)}:1", deadlineMs=900, toCall=2),
        **_some(rng, minRaiseTo=4, maxRaiseTo=198, handId="t1/1", handNumber=1, playerId="p1"),
    }
    return TypedCall("act", _json(ActionRequest, **given))


CALLS = {"lobby": lobby_call, "table": table_call, "player": player_call}
"""By agent."""
