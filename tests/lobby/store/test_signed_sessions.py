"""A room's sessions are signed once each, whatever is killed or deleted; a check names faults."""

import asyncio
import copy
import json
from typing import Any

import pytest
from casino_agentkit import CardSigner
from casino_agentkit.card_key import CardKey
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import TableEvent
from casino_contracts.signed_results import MOST_RESULTS
from casino_histories.signed_result import check_result
from casino_lobby.domain.lobby_events import EventsCommitted
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import public_json
from casino_lobby.service.retention_tasks import RecordKeeper
from casino_lobby.service.session_signing import SessionSigning
from casino_lobby.store import MemoryStore, SqlStore, Store
from support.casino.store_side import EventFactory, OpenStore, new_room

KEY = CardKey.new()
Json = dict[str, Any]


def signing(store: Store, signer: CardSigner | None = None) -> SessionSigning:
    return SessionSigning(store, signer or CardSigner(KEY), BackgroundTasks())


def hand(factory: EventFactory, number: int, chips: int) -> list[TableEvent]:
    """Return the events of a hand in which p1 loses a chip to p0, who has won `chips` before."""
    stacks = {"p0": 200 + chips, "p1": 200 - chips}
    seats = [
        {"playerId": who, "displayName": who.upper(), "seatNumber": seat, "stack": stacks[who]}
        for seat, who in enumerate(stacks)
    ]
    started, *rest = factory.hand(number, {"p0": 201 + chips, "p1": 199 - chips})
    return [started.model_copy(update={"payload": {"handNumber": number, "players": seats}}), *rest]


async def session(store: Store, room: Room, factory: EventFactory, hands: int = 3) -> None:
    """Record a whole session."""
    await store.record(room, [factory.status("started")])
    for number in range(room.last_hand + 1, room.last_hand + hands + 1):
        await store.record(room, hand(factory, number, number - 1))
    await store.record(room, [factory.status("finished", "idle")])


async def room_of(store: Store) -> tuple[Room, EventFactory]:
    room = new_room()
    await store.add(room)
    factory = EventFactory(room)
    await store.record(room, [factory.registered("p0"), factory.registered("p1")])
    return room, factory


async def told(store: Store, room: Room) -> list[Json]:
    """Return a room's events as `GET /v1/rooms/{roomId}/events` does."""
    committed = await store.committed(0, 9_999, room)
    return [json.loads(public_json(item.event)) for item in committed]


def nets(result: Json) -> dict[str, float]:
    return {player["playerId"]: player["net"] for player in result["players"]}


async def test_a_lobby_that_was_killed_signs_at_its_next_start(
    store: SqlStore, open_store: OpenStore
) -> None:
    """Once: what it had read is saved with the room, and what it had not is read again."""
    room, factory = await room_of(store)
    await session(store, room, factory)
    await signing(store).catch_up([room])
    await session(store, room, factory)
    await store.record(room, [factory.status("started"), *hand(factory, 7, 6)])
    await store.close()
    again = await open_store()
    (restored,) = again.rooms()
    assert len(restored.signed.results) == 1
    for _ in range(2):
        await signing(again).catch_up(again.own_rooms())
        assert [nets(result) for result in restored.signed.results] == 2 * [{"p0": 3, "p1": -3}]
    factory = EventFactory(restored)
    factory.takes_over()  # the session goes on in another epoch
    await again.record(restored, [factory.status("finished", "idle")])
    await signing(again).catch_up([restored])
    newest = restored.signed.results[0]
    assert (newest["first"]["epoch"], newest["last"]["epoch"], newest["hands"]) == (1, 2, 1)
    for result in restored.signed.results:
        assert check_result(result, await told(again, restored)) is None


async def test_what_is_deleted_was_read_before_and_its_signature_stays(store: SqlStore) -> None:
    """Retention within a session, too; at most so many results are kept, the newest."""
    room, factory = await room_of(store)
    own = signing(store)
    keeper = RecordKeeper(store, 1, lambda: 0.0, own.catch_up)
    await store.record(room, [factory.status("started")])
    for number in range(1, 121):
        await store.record(room, hand(factory, number, number - 1))
    before = await told(store, room)
    await keeper.delete_old(lambda _: asyncio.sleep(0))
    await store.record(room, [factory.status("finished", "idle")])
    await own.catch_up([room])
    (result,) = room.signed.results
    kept = [json.loads(public_json(event)) for event in await store.events(room, 0, 9_999)]
    assert len(kept) < len(before)
    assert check_result(result, before + kept[-1:]) is None
    assert "events: there are" in (check_result(result, kept) or "")
    assert (result["events"], nets(result)) == (4 * 120 + 4, {"p0": 120, "p1": -120})
    for _ in range(MOST_RESULTS):
        await session(store, room, factory, hands=1)
    await own.catch_up([room])
    assert len(room.signed.results) == MOST_RESULTS
    assert result not in room.signed.results


async def test_only_the_owner_of_a_room_signs_and_a_long_session_is_read_on_the_way() -> None:
    store, background = MemoryStore(9_999), BackgroundTasks()
    own = SessionSigning(store, CardSigner(KEY), background)
    room, factory = await room_of(store)
    await session(store, room, factory)
    committed = await store.committed(0, 9_999, room)
    own.follow(EventsCommitted(room, committed, is_own=False))
    own.follow(EventsCommitted(room, committed[:-1]))
    assert not background
    own.follow(EventsCommitted(room, committed))
    await background.wait()
    assert len(room.signed.results) == 1
    await store.record(room, factory.some(1_000))
    own.follow(EventsCommitted(room, await store.committed(room.signed.cursor, 9_999, room)))
    await background.wait()
    assert (room.signed.tally.events, len(room.signed.results)) == (1_000, 1)


def other_name(events: list[Json]) -> None:
    events[0]["payload"]["displayName"] = "Mallory"


def other_stack(events: list[Json]) -> None:
    completed = next(event for event in events if event["eventType"] == "hand_completed")
    completed["payload"]["stacks"][0]["stack"] += 1


def other_order(events: list[Json]) -> None:
    events[3], events[4] = events[4], events[3]


def left_out(events: list[Json]) -> None:
    del events[3]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (other_name, "chain: the events from 1/1 to 1/16"),
        (other_stack, "chain: the events from 1/1 to 1/16"),
        (other_order, "events: 1/4 comes after 1/5"),
        (left_out, "events: there are 15 from 1/1 to 1/16, not 16"),
        (lambda events: events.insert(2, events[1]), "events: 1/2 comes after 1/2"),
    ],
)
async def test_a_changed_event_is_named(change: Any, fault: str) -> None:
    result, events = await signed_session()
    assert check_result(result, events) is None
    change(events)
    assert fault in (check_result(result, events) or "")


async def test_a_changed_result_is_named() -> None:
    """By its signature; and a lobby that signs what did not happen, by the events."""
    result, events = await signed_session()
    assert "key: " in (check_result(result, events, CardKey.new().public.thumbprint) or "")
    forged = copy.deepcopy(result)
    forged["players"][0]["displayName"] = "Mallory"
    assert "signature: " in (check_result(forged, events) or "")
    assert "is 'P0' in the events" in (check_result(KEY.sealed(forged), events) or "")
    forged["players"][0].update(displayName="P0", net=4)
    assert "players: the events give" in (check_result(KEY.sealed(forged), events) or "")
    assert "hands: the events give 3" in (
        check_result(KEY.sealed({**result, "hands": 4}), events) or ""
    )
    assert "protocol: " in (check_result(KEY.sealed({**result, "protocol": "x/v1"})) or "")
    assert "signature: " in (check_result({**result, "key": CardKey.new().sealed({})["key"]}) or "")
    assert check_result({"protocol": "x"}) == "roomId: Field required"


async def signed_session() -> tuple[Json, list[Json]]:
    store = MemoryStore(1_000)
    room, factory = await room_of(store)
    await session(store, room, factory)
    await signing(store).catch_up([room])
    return room.signed.results[0], await told(store, room)
