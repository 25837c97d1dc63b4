"""Any lobby of a group takes a command; the owner of the room executes it, once."""

import asyncio

import pytest
from casino_agentkit import RemoteRefused
from casino_contracts import (
    CreateRoomInput,
    RecordGameEventOutput,
    RegisterPlayerInput,
    RegisterTableInput,
    TableEvent,
    TableEventBatch,
    name_key,
)
from casino_lobby.domain.display_names import Names
from casino_lobby.domain.lobby_events import NamesOwned
from casino_lobby.service.player_seating import NameRegistry
from casino_lobby.store import Command
from support.group.group_side import GroupHarness
from support.processes import eventually, run_until
from support.table.table_side import CONFIG, SOON


async def test_a_room_is_played_through_both_lobbies(group: GroupHarness) -> None:
    """Created at one lobby, filled, started, read and closed at the other one."""
    await group.announce(1)
    assert (await group.open("r1", at=1)).status_code == 201
    there = group.http(2)
    for name in ("ada", "bob"):
        reply = await there.post("/v1/rooms/r1/players", json={"agentCardUrl": group.player(name)})
        assert reply.status_code == 201, reply.text
    started = await there.post("/v1/rooms/r1/start", json={"overrides": {"maxHands": 2}})
    assert started.status_code == 202, started.text

    async def is_over() -> bool:
        room = (await there.get("/v1/rooms/r1")).json()
        return bool(room["summary"]["status"] == "idle")

    await eventually(is_over)
    assert group.stores[0].own_rooms()[0].sessions == 1
    assert group.stores[1].own_rooms() == []
    left = await there.delete(
        "/v1/rooms/r1/players/" + next(iter(group.stores[0].own_rooms()[0].seats))
    )
    assert left.status_code == 202, left.text
    assert (await there.delete("/v1/rooms/r1")).status_code == 202
    await run_until(lambda: group.room().phase == "closed")


async def test_refusals_come_from_the_owner(group: GroupHarness) -> None:
    await group.announce(1)
    await group.open("r1", at=1)
    replies = [await group.http(number).post("/v1/rooms/r1/start", json={}) for number in (1, 2)]
    assert [reply.status_code for reply in replies] == [409, 409]
    assert replies[0].json() == replies[1].json()
    assert replies[1].json()["reason"] == "NOT_ENOUGH_PLAYERS"


async def test_a_room_that_was_opened_just_now_is_found(group: GroupHarness) -> None:
    await group.announce(1)
    group.stores[1].follows = False
    await group.open("r1", at=1)
    assert group.stores[1].room("r1") is None
    assert (await group.http(2).get("/v1/rooms/r1")).status_code == 200
    missing = await group.http(2).get("/v1/rooms/r2")
    assert (missing.status_code, missing.json()["reason"]) == (404, "ROOM_NOT_FOUND")
    missing = await group.http(2).post("/v1/rooms/r2/start", json={})
    assert (missing.status_code, missing.json()["reason"]) == (404, "ROOM_NOT_FOUND")


async def test_a_repeated_creation_goes_to_the_lobby_that_executes_it(group: GroupHarness) -> None:
    await group.announce(1, 2)
    create = {"config": CONFIG, "requestId": "again"}
    replies = await asyncio.gather(
        *(group.http(number).post("/v1/rooms", json=create) for number in (1, 2, 1, 2))
    )
    assert [reply.status_code for reply in replies] == [201] * 4
    assert len({reply.json()["roomId"] for reply in replies}) == 1
    assert len(group.stores[0].rooms()) == 1


async def test_a_lobby_that_is_lost_is_waited_for(group: GroupHarness) -> None:
    """Until another one has taken its rooms; the command is then executed there."""
    await group.announce(1, at=1)
    await group.open("r1", at=1)
    group.lose(1)
    command = asyncio.create_task(
        group.http(2).post("/v1/rooms/r1/players", json={"agentCardUrl": group.player("ada")})
    )
    await asyncio.sleep(5)
    assert not command.done()
    group.stores[1].take(group.stores[0])
    reply = await command
    assert reply.status_code == 201, reply.text
    assert len(group.stores[1].own_rooms()[0].seats) == 1


async def test_a_call_of_a_frozen_lobby_is_given_up(group: GroupHarness) -> None:
    """It would wait for a minute, but the room has another owner before."""
    await group.announce(1)
    await group.open("r1", at=1)
    has_request = group.freeze(1)
    command = asyncio.create_task(
        group.http(2).post("/v1/rooms/r1/players", json={"agentCardUrl": group.player("ada")})
    )
    await has_request.wait()
    group.stores[1].take(group.stores[0])
    assert (await command).status_code == 201
    assert len(group.stores[1].own_rooms()[0].seats) == 1


async def test_a_lobby_that_stays_away_is_a_refusal(group: GroupHarness) -> None:
    await group.announce(1)
    await group.open("r1", at=1)
    group.lose(1)
    reply = await group.http(2).post("/v1/rooms/r1/start", json={})
    assert (reply.status_code, reply.json()["reason"]) == (503, "STANDBY")
    assert reply.headers["retry-after"] == "1"
    assert "lobby 1" in reply.json()["detail"]
    assert "http" not in reply.json()["detail"]
    assert "Send the request again" in reply.json()["detail"]


async def test_commands_of_a_lost_lobby_are_resumed_once(group: GroupHarness) -> None:
    """Those that this lobby executes at that moment are not begun again."""
    await group.announce(1, 2, 3, at=2)
    request = CreateRoomInput.model_validate(
        {"roomId": "lost", "config": CONFIG, "requestId": "lost"}
    )
    command = Command("createRoom/lost", "createRoom", "digest", request.model_dump_json())
    group.pend(1, command)
    create = {"roomId": "own", "config": CONFIG, "requestId": "own"}
    group.stores[1].executes.clear()
    own = asyncio.create_task(group.http(2).post("/v1/rooms", json=create))
    await run_until(lambda: group.stores[1].has_pending("createRoom/own"))
    group.lose(1)
    group.stores[1].take(group.stores[0])
    await asyncio.sleep(0)
    group.stores[1].executes.set()
    assert (await own).status_code == 201
    await run_until(lambda: group.room("lost", at=2).phase == "open")
    assert sorted(room.room_id for room in group.stores[1].rooms()) == ["lost", "own"]
    assert await group.stores[1].commands.pending() == []


def _event(sequence: int = 1) -> TableEvent:
    return TableEvent.model_validate(
        {
            "tableId": "r1",
            "eventType": "table_status",
            "message": "forged",
            "timestamp": "2026-11-20T19:43:00.123Z",
            "sequence": sequence,
            "epoch": 1,
        }
    )


@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize("token", [None, "not the token of the table"])
async def test_events_of_nobody_are_refused_before_they_are_passed_on(
    group: GroupHarness, token: str | None, *, follows: bool
) -> None:
    await group.announce(1)
    group.stores[1].follows = follows
    await group.open("r1", at=1)
    lobby = await group.client().resolve("http://lobby-2", timeout=SOON)
    batch = TableEventBatch(events=(_event(),))
    with pytest.raises(RemoteRefused) as refused:
        await lobby.call("recordGameEvent", batch, RecordGameEventOutput, timeout=SOON, token=token)
    assert refused.value.reason == ("UNAUTHORIZED" if token is None else "FORBIDDEN")
    room = group.room()
    assert room.last_sequence == 0 or list(room.recent)[-1].message != "forged"


@pytest.mark.parametrize("follows", [True, False])
async def test_events_of_the_table_reach_the_owner(group: GroupHarness, *, follows: bool) -> None:
    await group.announce(1)
    group.stores[1].follows = follows
    await group.open("r1", at=1)
    room = group.room()
    await run_until(lambda: room.last_sequence)
    token, first = room.key().events, room.last_sequence + 1
    lobby = await group.client().resolve("http://lobby-2", timeout=SOON)
    for _ in range(2):
        reply = await lobby.call(
            "recordGameEvent",
            TableEventBatch(events=(_event(first),)),
            RecordGameEventOutput,
            timeout=SOON,
            token=token,
        )
        assert reply.sequence == first
    assert [event.message for event in room.recent].count("forged") == 1
    with pytest.raises(RemoteRefused) as refused:
        await lobby.call(
            "recordGameEvent", _event(first + 5), RecordGameEventOutput, timeout=SOON, token=token
        )
    assert refused.value.reason == "SEQUENCE_GAP"
    assert refused.value.details == {"wanted": str(first + 1)}


async def test_a_name_belongs_to_its_signer_at_every_lobby(group: GroupHarness) -> None:
    await group.announce(1)
    assert (await group.open("r1")).status_code == 201
    group.stores[0].bus.publish(NamesOwned({name_key("ada"): "the key of somebody else"}))
    card = group.player("ada")
    reply = await group.http(2).post("/v1/rooms/r1/players", json={"agentCardUrl": card})
    assert (reply.status_code, reply.json()["displayName"]) == (201, "ada (2)")


async def test_the_first_that_stores_a_name_owns_it(group: GroupHarness) -> None:
    """The other lobby has granted it at the same moment, and grants another one instead."""
    desks = [NameRegistry(Names(), store) for store in group.stores]
    granted = [desk.grant("ada", f"key {n}", []) for n, desk in enumerate(desks)]
    assert [name for name, _ in granted] == ["ada", "ada"]
    kept = [await desk.keep(granted[n], f"key {n}") for n, desk in enumerate(desks)]
    assert kept == [True, False]
    assert desks[1].grant("ada", "key 1", []).name == "ada (2)"


def test_messages_of_lobbies_keep_the_digest_of_a_command() -> None:
    """A command that is passed on is the same command."""
    request = CreateRoomInput.model_validate(
        {"config": {**CONFIG, "smallBlind": 0.5}, "gameConfig": {"x": [1, 2.0]}, "requestId": "a"}
    )
    again = CreateRoomInput.model_validate_json(request.wire())
    assert again.model_dump_json() == request.model_dump_json()
    for other in (
        RegisterPlayerInput(room_id="r", agent_card_url="http://a/", request_id="x"),
        RegisterTableInput(agent_card_url="http://a/", table_id="t", leaving="soon"),
    ):
        assert type(other).model_validate_json(other.wire()) == other
