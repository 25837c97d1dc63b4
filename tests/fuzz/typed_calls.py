"""Right calls of every entrypoint; the contracts' own models read each before it is sent."""

import random
from typing import Any, Literal, NamedTuple

from casino_contracts import (
    ActionRequest,
    ConfigureTableInput,
    CreateRoomInput,
    HandRecordInput,
    LeaveRoomInput,
    LeaveTableInput,
    NoInput,
    RecordTableEventsInput,
    RegisterPlayerInput,
    RegisterTableInput,
    RunMatchInput,
    SeatPlayerInput,
    SignupInvitation,
    StartGameInput,
    StartRoomInput,
    TableEvent,
    TableEventBatch,
    WireModel,
)
from fuzz.paths.questions import question
from support.table.table_side import CONFIG as RULES

AgentName = Literal["lobby", "table", "player", "gateway", "evaluator", "match"]
CONFIG = {**RULES, "maxSeats": 2}
Fields = dict[str, Any]


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


Kind = tuple[str, type[WireModel], Fields, Fields]
"""A skill, the model of its input, what is given, and what may be given."""
_ID: Fields = {"requestId": "q-1"}


def _lobby_calls(rng: random.Random, at: Places) -> list[Kind]:
    room, token = {"roomId": rng.choice(at.rooms)}, {"roomToken": "x" * 40}
    event = {
        "tableId": room["roomId"],
        "eventType": rng.choice(("player_busted", "table_status", "hand_completed")),
        "message": "Ada is out",
        "timestamp": "2026-11-20T19:43:00.123Z",
        "payload": {"playerId": "player-1", "handNumber": 1},
        "sequence": 1,
        "epoch": 1,
    }
    batch = {"events": [{**event, "sequence": number} for number in range(1, rng.randint(2, 4))]}
    named, player = {"tableAgentCardUrl": at.table, **room}, {"playerId": "player-1", **room}
    seat, signup = (
        {"agentCardUrl": at.player, **room},
        {"preferredSeat": 1, "signupSkill": "signup"},
    )
    table = {"tableId": "r1", "epoch": 1, **token}
    return [
        ("createRoom", CreateRoomInput, {"config": CONFIG}, {**named, **_ID}),
        ("registerPlayer", RegisterPlayerInput, seat, {**signup, **_ID}),
        ("startRoom", StartRoomInput, room, {"overrides": {"maxHands": 3}, **_ID}),
        ("leaveRoom", LeaveRoomInput, player, _ID),
        ("listRooms", NoInput, {}, {}),
        ("registerTable", RegisterTableInput, {"agentCardUrl": at.table}, table),
        ("recordTableEvents", RecordTableEventsInput, {"tables": [batch] * rng.randint(1, 3)}, {}),
        ("recordGameEvent", TableEvent, event, {}),
        ("recordGameEvent", TableEventBatch, batch, {}),
    ]


def _table_calls(rng: random.Random, at: Places) -> list[Kind]:
    callback = {"agentCardUrl": at.lobby, "eventSkill": "recordGameEvent"}
    about = {"tableId": rng.choice(("r1", "t1")), "casinoName": "A2A Casino", "config": CONFIG}
    player = {
        "playerId": rng.choice(("p1", "p2")),
        "displayName": "Ada",
        "agentCardUrl": at.player,
        "actionSkill": "act",
    }
    seats = {"seats": [{**player, "seatNumber": 0, "stack": 200}]}
    more = {**seats, "epoch": rng.randint(1, 5), "gameType": "kuhn_poker", **_ID}
    left = {"playerId": player["playerId"]}
    rules = {"maxHands": 3, "smallBlind": 1, "bigBlind": 2, **_ID}
    wishes = {"preferredSeat": 1, "seatToken": "x" * 40, **_ID}
    return [
        ("configureTable", ConfigureTableInput, {**about, "casinoCallback": callback}, more),
        ("registerPlayer", SeatPlayerInput, {**player, "startingStack": 200}, wishes),
        ("startGame", StartGameInput, {}, rules),
        ("leaveTable", LeaveTableInput, left, _ID),
        ("tableSummary", NoInput, {}, {}),
        ("handRecord", HandRecordInput, {"handId": "r1/1"}, {}),
        ("closeTable", NoInput, {}, {}),
    ]


def _player_calls(rng: random.Random, _at: Places) -> list[Kind]:
    about = {"casinoName": "A2A Casino", "tableId": f"t{rng.randint(1, 9)}", "roomId": "r1"}
    stakes = {"minBuyIn": 40, "maxBuyIn": 400, "smallBlind": 0.5, "bigBlind": 1}
    seat = {"playerId": "player-1", "seatToken": "x" * 40}
    return [
        ("signup", SignupInvitation, {**about, **stakes}, seat),
        ("act", ActionRequest, question(rng), {}),
    ]


def _match_calls(rng: random.Random, _at: Places) -> list[Kind]:
    players = [{"player": f"style:{style}"} for style in ("tight", "caller")]
    plan = {"players": players, "deal": {"decks": rng.randint(1, 2)}}
    named = {"matchId": "nowhere"}
    return [
        ("runMatch", RunMatchInput, {"plan": plan}, {"resume": False, **_ID}),
        ("runMatch", RunMatchInput, named, {"waitMs": 10, **_ID}),
    ]


_CALLS = {
    "lobby": _lobby_calls,
    "table": _table_calls,
    "player": _player_calls,
    "match": _match_calls,
}


def call_of(agent: AgentName, rng: random.Random, places: Places) -> TypedCall:
    """Return a right call of an agent's; what is optional may be absent."""
    if agent == "evaluator":  # it has no typed skill
        candidates = {"alice": places.player, "bob": places.lobby}
        return TypedCall("", {"participants": candidates, "config": {"games": ["none"]}})
    skill, model, given, more = rng.choice(_CALLS[agent](rng, places))
    given = given | {name: value for name, value in more.items() if rng.random() < 0.4}
    if "requestId" in given and skill != "act":
        given["requestId"] = f"q-{rng.randint(1, 40)}"
    model.model_validate(given)
    return TypedCall(skill, given)
