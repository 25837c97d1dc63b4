"""Commands without the operator's key, over REST and A2A.

Each attack returns whether it succeeded. The room `r1` is open on table 1 with ada in a seat, and
its first hand may not have begun; bob waits outside.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from casino_agentkit import AgentError, Peer
from casino_contracts import (
    CreateRoomInput,
    LeaveRoomInput,
    NoInput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableSummary,
    WireModel,
)

from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.table.table_side import CONFIG, SOON

Attack = Callable[[CasinoHarness], Awaitable[bool]]

KEY = "the-operators-own-key"
ADA, BOB = (f"http://{name}/.well-known/agent-card.json" for name in ("ada", "bob"))
_DEALERS_ID = f"deal:r1:{BOB}"


async def prepared(casino: CasinoHarness) -> Operator:
    """Open the room and seat ada, as the operator."""
    operator = Operator(casino)
    for name in ("ada", "bob"):
        casino.player(name)
    await operator.open(maxSeats=6)
    assert (await operator.seat("ada")).status_code == 201
    return operator


async def _taken(
    casino: CasinoHarness, method: str, path: str, body: object = None, **headers: str
) -> bool:
    """Tell whether a request without the key is carried out."""
    async with casino.http() as http:
        reply = await http.request(method, path, json=body, headers=headers)
    return reply.is_success


async def open_a_room(casino: CasinoHarness) -> bool:
    """Take one of the casino's tables for an own room."""
    body = {"roomId": "mine", "config": CONFIG, "tableAgentCardUrl": casino.table_card(2)}
    return await _taken(casino, "POST", "/v1/rooms", body)


async def take_a_seat(casino: CasinoHarness) -> bool:
    """Seat a player without an invitation."""
    return await _taken(casino, "POST", "/v1/rooms/r1/players", {"agentCardUrl": BOB})


async def remove_a_player(casino: CasinoHarness) -> bool:
    """Give up another player's seat."""
    return await _taken(casino, "DELETE", "/v1/rooms/r1/players/player-1")


async def start_with_high_blinds(casino: CasinoHarness) -> bool:
    """Start a session with the highest blinds that the room's rules allow."""
    await Operator(casino).seat("bob")
    return await _taken(casino, "POST", "/v1/rooms/r1/start", {"bigBlind": 40, "smallBlind": 20})


async def close_the_room(casino: CasinoHarness) -> bool:
    """End the game for everybody."""
    return await _taken(casino, "POST", "/v1/rooms/r1/close", {})


async def delete_the_room(casino: CasinoHarness) -> bool:
    """End the game by the other method."""
    return await _taken(casino, "DELETE", "/v1/rooms/r1")


async def use_the_dealers_request_id(casino: CasinoHarness) -> bool:
    """Use the id of the dealer's next command, which is then refused for ever."""
    body = {"agentCardUrl": BOB, "preferredSeat": 5, "requestId": _DEALERS_ID}
    await _taken(casino, "POST", "/v1/rooms/r1/players", body)
    reply = await Operator(casino).seat("bob", requestId=_DEALERS_ID)
    return reply.status_code == httpx.codes.UNPROCESSABLE_ENTITY


COMMANDS: tuple[Attack, ...] = (
    open_a_room,
    take_a_seat,
    remove_a_player,
    start_with_high_blinds,
    close_the_room,
    delete_the_room,
    use_the_dealers_request_id,
)


def reading(path: str) -> Attack:
    """Return the attack that reads a path which the lobby may keep to its operator."""

    async def read(casino: CasinoHarness) -> bool:
        return await _taken(casino, "GET", path)

    read.__name__ = path
    return read


READS = tuple(
    map(
        reading,
        (
            "/v1/rooms",
            "/v1/rooms/r1",
            "/v1/rooms/r1/events",
            "/v1/rooms/r1/hands",
            "/v1/tables",
            "/v1/config",
            "/metrics",
        ),
    )
)


async def _called(
    casino: CasinoHarness, skill: str, given: WireModel, output: type[WireModel]
) -> bool:
    """Tell whether a call without the key is carried out."""
    lobby: Peer = await casino.a2a().resolve(LOBBY, timeout=SOON)
    try:
        await lobby.call(skill, given, output, timeout=SOON)
    except AgentError:
        return False
    return True


async def a2a_open_a_room(casino: CasinoHarness) -> bool:
    """Over A2A."""
    body = {"roomId": "mine", "config": CONFIG, "tableAgentCardUrl": casino.table_card(2)}
    return await _called(casino, "createRoom", CreateRoomInput.model_validate(body), RoomSnapshot)


async def a2a_take_a_seat(casino: CasinoHarness) -> bool:
    """Over A2A."""
    given = RegisterPlayerInput(room_id="r1", agent_card_url=BOB)
    return await _called(casino, "registerPlayer", given, RegisteredPlayer)


async def a2a_remove_a_player(casino: CasinoHarness) -> bool:
    """Over A2A."""
    given = LeaveRoomInput(room_id="r1", player_id="player-1")
    return await _called(casino, "leaveRoom", given, TableSummary)


async def a2a_start(casino: CasinoHarness) -> bool:
    """Over A2A."""
    await Operator(casino).seat("bob")
    return await _called(casino, "startRoom", StartRoomInput(room_id="r1"), TableSummary)


A2A_COMMANDS: tuple[Attack, ...] = (
    a2a_open_a_room,
    a2a_take_a_seat,
    a2a_remove_a_player,
    a2a_start,
)


async def a2a_list_rooms(casino: CasinoHarness) -> bool:
    """Read over A2A what REST keeps to the operator."""
    return await _called(casino, "listRooms", NoInput(), RoomList)


async def succeeds(attack: Attack, **lobby: Any) -> bool:
    """Carry out an attack against a new casino; `lobby` are the lobby's settings."""
    async with casino_harness(launch_tables=False, **lobby) as casino:
        await prepared(casino)
        return await attack(casino)
