"""Played hands: what everybody may read, and what only the operator may."""

import pytest
from casino_contracts import HandDetail, HandPage, HandRecord, TableEvent
from casino_lobby.service.completed_hands import Hands
from casino_lobby.store import MemoryStore
from support.casino.casino_side import CasinoHarness, casino_harness
from support.casino.store_side import EventFactory, new_room, numbers

HANDS = 4
RECORD = "/v1/rooms/r1/hands/1/record"


async def page_of(harness: CasinoHarness, query: str = "") -> HandPage:
    reply = await harness.http().get(f"/v1/rooms/r1/hands{query}")
    assert reply.status_code == 200, reply.text
    return HandPage.model_validate_json(reply.content)


@pytest.mark.parametrize("query", ["order=oldest", "order=newest", "sort=score", "sort=pot"])
async def test_pages_make_the_whole(played: CasinoHarness, query: str) -> None:
    whole = (await page_of(played, f"?{query}&limit={HANDS}")).hands
    values_by_query: dict[str, list[float]] = {
        "order=oldest": [-hand.hand_number for hand in whole],
        "order=newest": [hand.hand_number for hand in whole],
        "sort=score": [hand.score or 0 for hand in whole],
        "sort=pot": [hand.pots[0].amount for hand in whole],
    }
    values = values_by_query[query]
    assert values == sorted(values, reverse=True)
    page = await page_of(played, f"?{query}&limit=3")
    seen = [*page.hands]
    while page.next:
        page = await page_of(played, f"?{query}&limit=3&after={page.next}")
        seen += page.hands
    assert tuple(seen) == whole
    assert sorted(hand.hand_number for hand in whole) == [1, 2, 3, 4]


async def test_hands_are_chosen_by_player_kind_and_place(played: CasinoHarness) -> None:
    [first, *_] = (await page_of(played, "?sort=newest")).hands
    assert first.hand_number == HANDS
    player = first.stacks[0].player_id
    assert len((await page_of(played, f"?player={player}&sort=score")).hands) == HANDS
    assert (await page_of(played, "?player=nobody&sort=score")).hands == ()
    assert (await page_of(played, "?kind=fault")).hands == ()
    since = await page_of(played, "?since=1.3&sort=newest")
    assert [hand.hand_number for hand in since.hands] == [4, 3]


async def test_a_hand_has_all_its_events_and_no_others(played: CasinoHarness) -> None:
    events: list[TableEvent] = []
    for hand in (await page_of(played)).hands:
        reply = await played.http().get(f"/v1/rooms/r1/hands/{hand.hand_number}")
        detail = HandDetail.model_validate_json(reply.content)
        assert (detail.room_id, detail.hand) == ("r1", hand)
        assert hand.hand_id == f"r1/{hand.hand_number}"
        assert detail.events[0].event_type == "hand_started"
        assert detail.events[0].sequence == hand.first_sequence
        completed = [one for one in detail.events if one.event_type == "hand_completed"]
        assert [one.sequence for one in completed] == [hand.last_sequence]
        assert sum(pot.amount for pot in hand.pots) > 0
        assert len(hand.stacks) == 2
        events += detail.events
    sequences = [event.sequence or 0 for event in events]
    assert sequences == sorted(set(sequences))


async def test_only_the_operator_reads_the_record(played: CasinoHarness) -> None:
    for path in (RECORD, "/v1/rooms/none/hands/1/record"):
        for key in (None, "open-simsim"):
            reply = await played.http(key).get(path)
            assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")
    reply = await played.http("open-sesame").get(RECORD)
    assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-store")
    record = HandRecord.model_validate_json(reply.content)
    assert (record.hand_id, record.hand_number) == ("r1/1", 1)
    assert len(record.hole_cards) == 2


async def test_without_an_operators_key_nobody_reads_it() -> None:
    async with casino_harness() as harness:
        reply = await harness.http("open-sesame").get(RECORD)
        assert (reply.status_code, "www-authenticate" in reply.headers) == (403, False)
        assert "CASINO_LOBBY_OPERATOR_TOKEN" in reply.json()["detail"]


async def test_a_record_includes_the_questions_if_asked(played: CasinoHarness) -> None:
    for query, has_questions in (("", False), ("?include=questions", True), ("", False)):
        reply = await played.http("open-sesame").get(RECORD + query)
        record = HandRecord.model_validate_json(reply.content)
        assert record.decisions
        assert all(bool(one.question) is has_questions for one in record.decisions)


async def test_a_room_comes_with_as_many_events_as_are_asked_for(played: CasinoHarness) -> None:
    whole = (await played.http().get("/v1/rooms/r1")).json()
    assert len(whole["events"]) > 5
    for count in (0, 5):
        part = (await played.http().get(f"/v1/rooms/r1?events={count}")).json()
        assert part["events"] == whole["events"][len(whole["events"]) - count :]
        assert part["summary"] == whole["summary"]


class TestForeignTables:
    """Events of a third party's table are read as far as their shape allows."""

    async def test_a_payload_of_another_shape(self) -> None:
        store, room = MemoryStore(1_000), new_room()
        factory, hands = EventFactory(room), Hands(store)
        await store.add(room)
        events = [
            factory.tell("hand_completed", handNumber=7, pots="all", stacks=[{"stack": "x"}]),
            factory.tell("player_busted", handNumber=7, playerId="p0"),
            factory.registered("p1", agentCardUrl="http://p1/"),
        ]
        await store.record(room, events)
        hand = await hands.find(room, 7, None)
        line = hands.summary(room, hand)
        assert (line.hand_id, line.first_sequence) == ("t-r1/7", None)
        assert (line.pots, line.stacks) == ((), ())
        assert numbers(await hands.events(room, hand)) == [1, 2]

    async def test_the_addresses_of_players_are_not_published(self) -> None:
        store, room = MemoryStore(1_000), new_room()
        factory, hands = EventFactory(room), Hands(store)
        await store.add(room)
        began, *rest = factory.hand(1, {"p0": 200}, actions=0)
        seated = factory.registered("p1", agentCardUrl="http://p1/")
        recorded = [began, seated.model_copy(update={"sequence": 2})]
        recorded += [event.model_copy(update={"sequence": 3}) for event in rest]
        await store.record(room, recorded)
        events = await hands.events(room, await hands.find(room, 1, None))
        assert numbers(events) == [1, 2, 3]
        assert all("agentCardUrl" not in (event.payload or {}) for event in events)
