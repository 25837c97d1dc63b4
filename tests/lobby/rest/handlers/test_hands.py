"""Played hands: what everybody may read, and what only the operator may."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from casino_contracts import HandDetail, HandPage, HandRecord, TableEvent
from casino_lobby.service.hands import Hands
from casino_lobby.store import MemoryStore
from pydantic import SecretStr
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.store_side import EventFactory, new_room, numbers

TOKEN = {"Authorization": "Bearer open-sesame"}
HANDS = 5


class Played:
    """A room in which some hands were played, and its operator."""

    def __init__(self, harness: CasinoHarness) -> None:
        self.operator = Operator(harness)
        self.http = harness.http()

    async def page(self, query: str = "") -> HandPage:
        reply = await self.http.get(f"/v1/rooms/r1/hands{query}")
        assert reply.status_code == 200, reply.text
        return HandPage.model_validate_json(reply.content)

    async def play(self, harness: CasinoHarness) -> None:
        await self.operator.open(maxHands=HANDS, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            harness.player(name)
            assert (await self.operator.seat(name)).status_code == 201
        while len((await self.page()).hands) < HANDS:
            await asyncio.sleep(0.02)


@pytest.fixture(params=["open-sesame", None])
async def played(request: pytest.FixtureRequest) -> AsyncIterator[Played]:
    """Run a casino with a token, or without."""
    secret = request.param and SecretStr(request.param)
    harness = CasinoHarness(operator_token=secret)
    async with harness.tables.running(), harness.lobby.running():
        made = Played(harness)
        await made.play(harness)
        yield made


@pytest.mark.parametrize("played", ["open-sesame"], indirect=True)
class TestPublic:
    async def test_pages_from_both_ends_make_the_whole(self, played: Played) -> None:
        """`next` is present while there are more hands."""
        for order, wanted in (("oldest", [1, 2, 3, 4, 5]), ("newest", [5, 4, 3, 2, 1])):
            seen: list[int] = []
            page = await played.page(f"?order={order}&limit=2")
            seen += [hand.hand_number for hand in page.hands]
            while page.next:
                page = await played.page(f"?order={order}&limit=2&after={page.next}")
                seen += [hand.hand_number for hand in page.hands]
            assert seen == wanted
        whole = await played.page("?limit=5")
        assert whole.next is None

    @pytest.mark.parametrize("sort", ["score", "pot"])
    async def test_pages_of_the_best_make_the_whole(self, played: Played, sort: str) -> None:
        """Every hand has a score; those that come after a page are not in it."""
        whole = (await played.page(f"?sort={sort}")).hands
        assert sorted(hand.hand_number for hand in whole) == [1, 2, 3, 4, 5]
        values = [hand.score if sort == "score" else hand.pots[0].amount for hand in whole]
        assert values == sorted(values, reverse=True)  # type: ignore[type-var]
        page = await played.page(f"?sort={sort}&limit=2")
        seen = [*page.hands]
        while page.next:
            page = await played.page(f"?sort={sort}&limit=2&after={page.next}")
            seen += page.hands
        assert tuple(seen) == whole

    async def test_hands_are_chosen_by_player_kind_and_place(self, played: Played) -> None:
        """An id that nobody has leaves nothing."""
        [first, *_] = (await played.page("?sort=newest")).hands
        assert first.hand_number == HANDS
        player = first.stacks[0].player_id
        assert len((await played.page(f"?player={player}&sort=score")).hands) == HANDS
        assert (await played.page("?player=nobody&sort=score")).hands == ()
        assert (await played.page("?kind=fault")).hands == ()
        since = await played.page("?since=1.4&sort=newest")
        assert [hand.hand_number for hand in since.hands] == [5, 4]

    async def test_a_hand_has_all_its_events_and_no_others(self, played: Played) -> None:
        """Events are complete, without the players' addresses."""
        hands = (await played.page()).hands
        events: list[TableEvent] = []
        for hand in hands:
            reply = await played.http.get(f"/v1/rooms/r1/hands/{hand.hand_number}")
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
        assert {(one.payload or {}).get("handNumber") for one in events} <= {1, 2, 3, 4, 5, None}

    async def test_what_is_not_there(self, played: Played) -> None:
        """The reply is a problem with this status and type."""
        for path, status, kind in (
            ("none/hands", 404, "room-not-found"),
            ("none/hands/1", 404, "room-not-found"),
            ("r1/hands/99", 404, "hand-not-found"),
            ("r1/hands/1?epoch=2", 404, "hand-not-found"),
            ("r1/hands/0", 422, "invalid-request"),
            ("r1/hands/-1", 422, "invalid-request"),
            ("r1/hands/one", 422, "invalid-request"),
            ("r1/hands/99999999999999999999", 422, "invalid-request"),
            ("r1/hands/9007199254740991", 404, "hand-not-found"),
            ("r1/hands?after=1", 422, "invalid-request"),
            ("r1/hands?after=1.x", 422, "invalid-request"),
            ("r1/hands?order=best", 422, "invalid-request"),
            ("r1/hands?limit=1001", 422, "invalid-request"),
            ("r1/hands?sort=best", 422, "invalid-request"),
            ("r1/hands?kind=boring", 422, "invalid-request"),
            ("r1/hands?since=4", 422, "invalid-request"),
            ("r1/hands?player=", 422, "invalid-request"),
            ("r1/hands?after=1.2.3", 422, "invalid-request"),
            ("r1/hands?sort=newest&after=1.2.3", 422, "invalid-request"),
            ("r1/hands?sort=pot&after=1.2", 422, "invalid-request"),
        ):
            reply = await played.http.get(f"/v1/rooms/{path}")
            assert (reply.status_code, reply.json()["type"]) == (status, f"/problems/{kind}")


class TestRecord:
    """The full record of a hand, with every card, is for the operator."""

    async def test_who_may_read_it(self, played: Played, request: pytest.FixtureRequest) -> None:
        """Nobody without the setting; with it, the operator's token is checked before all else."""
        is_open = "open-sesame" in request.node.callspec.id
        wrong = {"Authorization": "Bearer open-simsim"}
        for path in ("r1/hands/1/record", "none/hands/1/record"):
            for headers in ({}, wrong):
                reply = await played.http.get(f"/v1/rooms/{path}", headers=headers)
                assert reply.status_code == (401 if is_open else 403)
                assert reply.headers.get("www-authenticate") == ("Bearer" if is_open else None)
        reply = await played.http.get("/v1/rooms/r1/hands/1/record", headers=TOKEN)
        info = (await played.http.get("/v1/config")).json()
        assert info["operatorTokenNeeded"] is is_open
        if not is_open:
            assert reply.status_code == 403
            assert "CASINO_LOBBY_OPERATOR_TOKEN" in reply.json()["detail"]
            return
        assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-store")
        record = HandRecord.model_validate_json(reply.content)
        assert (record.hand_id, record.hand_number) == ("r1/1", 1)
        assert len(record.hole_cards) == 2

    @pytest.mark.parametrize("played", ["open-sesame"], indirect=True)
    async def test_it_includes_the_questions_if_asked(self, played: Played) -> None:
        """And is kept without them."""
        path = "/v1/rooms/r1/hands/1/record"
        for query, has_questions in (("", False), ("?include=questions", True), ("", False)):
            reply = await played.http.get(path + query, headers=TOKEN)
            record = HandRecord.model_validate_json(reply.content)
            assert record.decisions
            assert all(bool(one.question) is has_questions for one in record.decisions)
        reply = await played.http.get(f"{path}?include=answers", headers=TOKEN)
        assert reply.status_code == 422

    @pytest.mark.parametrize("played", ["open-sesame"], indirect=True)
    async def test_only_completed_hands_have_one(self, played: Played) -> None:
        """A hand that was never played has none."""
        reply = await played.http.get("/v1/rooms/r1/hands/99/record", headers=TOKEN)
        assert (reply.status_code, reply.json()["reason"]) == (404, "HAND_NOT_FOUND")


async def test_a_room_comes_with_as_many_events_as_are_asked_for(played: Played) -> None:
    """The newest ones; a small board needs no more than those of a hand."""
    whole = (await played.http.get("/v1/rooms/r1")).json()
    assert len(whole["events"]) > 5
    for count in (0, 5):
        part = (await played.http.get(f"/v1/rooms/r1?events={count}")).json()
        assert part["events"] == whole["events"][len(whole["events"]) - count :]
        assert part["summary"] == whole["summary"]
    for wrong in ("201", "-1", "x"):
        refused = await played.http.get(f"/v1/rooms/r1?events={wrong}")
        assert (refused.status_code, refused.json()["errors"][0]["pointer"][-6:]) == (422, "events")


class TestForeignTables:
    """Events of a third party's table are read as far as their shape allows."""

    async def test_a_payload_of_another_shape(self) -> None:
        """The payload is left out of the summary and kept in the event."""
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
        """Not for players that were seated during the hand either."""
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
