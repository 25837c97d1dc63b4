"""What a hand's deal is checked with, over REST, and what is said where nobody can check it."""

from typing import Any

from casino_histories.fair_check import checked_proof
from casino_lobby.domain.room import Room
from casino_lobby.store import MemoryStore
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.casino.fair_events import committed_to, contributed_to, fair_hand
from support.casino.store_side import EventFactory, new_room, played


async def read(casino: CasinoHarness, path: str) -> Any:
    return (await casino.http().get(f"/v1/rooms{path}")).json()


async def recorded(casino: CasinoHarness, room: Room) -> EventFactory:
    """Record hand 1 as one of a fair block, and begin hand 2."""
    factory = EventFactory(room)
    await casino.store.add(room)
    commitment = committed_to(room)
    await casino.store.record(
        room,
        [
            factory.registered("p0"),
            factory.registered("p1"),
            factory.status("deal_committed", commitment=commitment),
        ],
    )
    contributed = factory.status("deal_contributed", contributed=contributed_to(room, commitment))
    await casino.store.record(room, [contributed, *fair_hand(factory, 1, commitment["block"])])
    await casino.store.record(room, factory.hand(2, {"p0": 200, "p1": 200})[:1])
    return factory


async def test_a_proof_has_both_events_of_the_block_and_the_hand() -> None:
    casino = CasinoHarness(store=MemoryStore(1_000), launch_tables=False)
    async with casino.lobby.running():
        room = new_room()
        await recorded(casino, room)
        proof = await read(casino, "/r1/hands/1/proof")
        committed, contributed = (await read(casino, "/r1/events?after=2&limit=2"))["events"]
        assert (proof["roomId"], proof["handNumber"]) == ("r1", 1)
        assert proof["commitment"] == committed["payload"]["commitment"]
        assert proof["contributed"] == contributed["payload"]["contributed"]
        types = [event["eventType"] for event in proof["events"]]
        assert types == ["hand_started", "action_taken", "action_taken", "hand_completed"]
        opening = proof["events"][-1]["payload"]["opening"]
        assert opening.keys() == {"block", "audit", "secret"}
        hand = await read(casino, "/r1/hands/1")
        assert hand["events"] == proof["events"]
        snapshot = await read(casino, "/r1")
        assert snapshot["fair"] == {
            "block": opening["block"],
            "contributors": ["lobby", "p0"],
        }
        running = await read(casino, "/r1/hands/2/proof")
        assert (running["status"], running["reason"]) == (404, "HAND_NOT_FOUND")


async def test_it_is_said_why_a_hand_has_no_proof() -> None:
    casino = CasinoHarness(store=MemoryStore(1_000), launch_tables=False)
    async with casino.lobby.running():
        await played(casino.store, hands=1)
        unfair = new_room("r2", seed=None)
        await casino.store.add(unfair)
        hand = EventFactory(unfair).hand(1, {"p0": 200, "p1": 200})
        await casino.store.record(unfair, hand)
        lost = new_room("r3")
        await casino.store.add(lost)
        await casino.store.record(lost, fair_hand(EventFactory(lost), 1, "t-r3/1/1"))
        for room_id, why in (("r1", "seed"), ("r2", "by itself"), ("r3", "no commitment")):
            missing = await read(casino, f"/{room_id}/hands/1/proof")
            assert (missing["type"], missing["reason"]) == ("/problems/no-proof", "NO_PROOF")
            assert (missing["status"], why in missing["detail"]) == (404, True), missing


async def test_the_hands_of_a_real_table_are_proved() -> None:
    async with casino_harness(launch_tables=False) as casino:
        operator = Operator(casino)
        await operator.open(seed=None, maxHands=3, maxSeats=2, dealBlock=2, rebuy="auto")
        for name in ("ada", "bob"):
            casino.player(name)
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        fair = (await read(casino, "/r1"))["fair"]
        assert fair == {"block": "r1/1/2", "contributors": ["lobby"]}
        for number, block in ((1, "r1/1/1"), (2, "r1/1/1"), (3, "r1/1/2")):
            proof = await read(casino, f"/r1/hands/{number}/proof")
            assert proof["commitment"]["block"] == block
            report = checked_proof(proof)
            assert (report.fault, report.checked, report.alone) == (None, 1, 0)
