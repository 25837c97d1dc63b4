"""What somebody without the operator's key tries at a lobby, over REST and over A2A.

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

from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_town
from support.table.table_side import CONFIG, SOON

Attack = Callable[[CasinoHarness], Awaitable[bool]]

KEY = "the-operators-own-key"
ADA, BOB = (f"http://{name}/.well-known/agent-card.json" for name in ("ada", "bob"))
_DEALERS_ID = f"deal:r1:{BOB}"


async def prepared(town: CasinoHarness) -> Operator:
    """Open the room and seat ada, as the operator."""
    operator = Operator(town)
    for name in ("ada", "bob"):
        town.player(name)
    await operator.open(maxSeats=6)
    assert (await operator.seat("ada")).status_code == 201
    return operator


async def _taken(
    town: CasinoHarness, method: str, path: str, body: object = None, **headers: str
) -> bool:
    """Tell whether a request without the key is carried out."""
    async with town.http() as http:
        reply = await http.request(method, path, json=body, headers=headers)
    return reply.is_success


async def open_a_room(town: CasinoHarness) -> bool:
    """Take one of the casino's tables for a room of one's own."""
    body = {"roomId": "mine", "config": CONFIG, "tableAgentCardUrl": town.table_card(2)}
    return await _taken(town, "POST", "/v1/rooms", body)


async def take_a_seat(town: CasinoHarness) -> bool:
    """Sit down uninvited."""
    return await _taken(town, "POST", "/v1/rooms/r1/players", {"agentCardUrl": BOB})


async def throw_a_player_out(town: CasinoHarness) -> bool:
    """Give somebody else's seat back."""
    return await _taken(town, "DELETE", "/v1/rooms/r1/players/player-1")


async def start_with_high_blinds(town: CasinoHarness) -> bool:
    """Begin a session with the highest blinds that the room's rules allow."""
    await Operator(town).seat("bob")
    return await _taken(town, "POST", "/v1/rooms/r1/start", {"bigBlind": 40, "smallBlind": 20})


async def close_the_room(town: CasinoHarness) -> bool:
    """End everybody's game."""
    return await _taken(town, "POST", "/v1/rooms/r1/close", {})


async def delete_the_room(town: CasinoHarness) -> bool:
    """End everybody's game by the other method."""
    return await _taken(town, "DELETE", "/v1/rooms/r1")


async def spoil_the_dealers_id(town: CasinoHarness) -> bool:
    """Use the id of the dealer's next command first: the dealer is refused for ever then."""
    body = {"agentCardUrl": BOB, "preferredSeat": 5, "requestId": _DEALERS_ID}
    await _taken(town, "POST", "/v1/rooms/r1/players", body)
    reply = await Operator(town).seat("bob", requestId=_DEALERS_ID)
    return reply.status_code == httpx.codes.UNPROCESSABLE_ENTITY


COMMANDS: tuple[Attack, ...] = (
    open_a_room,
    take_a_seat,
    throw_a_player_out,
    start_with_high_blinds,
    close_the_room,
    delete_the_room,
    spoil_the_dealers_id,
)


def reading(path: str) -> Attack:
    """Return the attack that reads what a lobby may keep to its operator."""

    async def read(town: CasinoHarness) -> bool:
        return await _taken(town, "GET", path)

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
    town: CasinoHarness, skill: str, given: WireModel, output: type[WireModel]
) -> bool:
    """Tell whether an agent without the key is obeyed."""
    lobby: Peer = await town.a2a().resolve(LOBBY, timeout=SOON)
    try:
        await lobby.call(skill, given, output, timeout=SOON)
    except AgentError:
        return False
    return True


async def a2a_open_a_room(town: CasinoHarness) -> bool:
    """As over REST."""
    body = {"roomId": "mine", "config": CONFIG, "tableAgentCardUrl": town.table_card(2)}
    return await _called(town, "createRoom", CreateRoomInput.model_validate(body), RoomSnapshot)


async def a2a_take_a_seat(town: CasinoHarness) -> bool:
    """As over REST."""
    given = RegisterPlayerInput(room_id="r1", agent_card_url=BOB)
    return await _called(town, "registerPlayer", given, RegisteredPlayer)


async def a2a_throw_a_player_out(town: CasinoHarness) -> bool:
    """As over REST."""
    given = LeaveRoomInput(room_id="r1", player_id="player-1")
    return await _called(town, "leaveRoom", given, TableSummary)


async def a2a_start(town: CasinoHarness) -> bool:
    """As over REST."""
    await Operator(town).seat("bob")
    return await _called(town, "startRoom", StartRoomInput(room_id="r1"), TableSummary)


A2A_COMMANDS: tuple[Attack, ...] = (
    a2a_open_a_room,
    a2a_take_a_seat,
    a2a_throw_a_player_out,
    a2a_start,
)


async def a2a_list_rooms(town: CasinoHarness) -> bool:
    """Read over A2A what REST keeps to the operator."""
    return await _called(town, "listRooms", NoInput(), RoomList)


async def succeeds(attack: Attack, **lobby: Any) -> bool:
    """Carry out an attack at a casino of its own; `lobby` are the lobby's settings."""
    async with casino_town(launch_tables=False, **lobby) as town:
        await prepared(town)
        return await attack(town)
