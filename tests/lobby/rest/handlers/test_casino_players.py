"""The casino's players, and the best hands of the last hour, over REST."""

from datetime import datetime

from casino_contracts import Career, CareerList, Standings
from casino_lobby.service.completed_hands import Hands
from casino_lobby.store import MemoryStore
from pydantic import SecretStr
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.casino.store_side import EventFactory, new_room

PATH = "/v1/players"
KEY = "open-sesame-of-the-casino"


async def listed(operator: Operator, query: str = "") -> CareerList:
    reply = await operator.http.get(PATH + query)
    assert reply.status_code == 200, reply.text
    assert "agent-card" not in reply.text
    return CareerList.model_validate_json(reply.content)


async def test_what_was_played_in_two_rooms_is_one_players() -> None:
    async with casino_harness() as harness:
        operator = Operator(harness)
        for name in ("ada", "bob"):
            harness.player(name)
        for table, room_id in enumerate(("r1", "r2"), start=1):
            await operator.open(room_id, table, maxHands=20, maxSeats=2, rebuy="auto")
            for name in ("ada", "bob"):
                await operator.seat(name, room_id)
        for room_id in ("r1", "r2"):
            await operator.idle_room(room_id)
        await operator.http.delete("/v1/rooms/r1")
        await operator.until(lambda room: room.state == "closed")
        found = await listed(operator)
        assert (found.game_type, found.unit, found.next) == ("texas-holdem", "bb", None)
        assert sorted(line.name for line in found.players) == ["ada", "bob"]
        assert [(line.hands, line.rooms, line.seated_in) for line in found.players] == [
            (40, 2, ("r2",))
        ] * 2
        page = await listed(operator, "?limit=1")
        assert page.next == page.players[0].id == found.players[0].id
        rest = await listed(operator, f"?limit=1&after={page.next}")
        assert rest.players == found.players[1:]
        assert (await listed(operator, "?gameType=chess")).players == ()

        reply = await operator.http.get(f"{PATH}/{found.players[0].id}")
        career = Career.model_validate_json(reply.content)
        assert "agent-card" not in reply.text
        assert [(room.room_id, room.state) for room in career.rooms] == [
            ("r2", "open"),
            ("r1", "closed"),
        ]
        standings = Standings.model_validate_json(
            (await operator.http.get("/v1/rooms/r1/standings")).content
        )
        [own] = [line for line in standings.players if line.career == career.id]
        assert career.rooms[1].net == own.net
        assert career.description
        assert career.games[0].bb_per_100 == found.players[0].bb_per_100


async def test_the_best_hand_of_each_rooms_last_hour() -> None:
    store = MemoryStore(1_000)
    for room_id, pots in (("r1", [80, 20]), ("r2", [300, 6]), ("exam", [900])):
        room = new_room(room_id)
        room.owner = "evaluator" if room_id == "exam" else None
        await store.add(room)
        factory = EventFactory(room)
        await store.record(room, [factory.registered("p0", agentCardUrl="http://ada/")])
        for number, pot in enumerate(pots, start=1):
            await store.record(
                room,
                [
                    factory.tell("hand_started", handNumber=number, bigBlind=2),
                    factory.tell(
                        "hand_completed",
                        handNumber=number,
                        pots=[{"amount": pot}],
                        stacks=[{"playerId": "p0", "stack": 200 + pot}],
                    ),
                ],
            )
        room.close("over")
    at = datetime.fromisoformat("2026-11-20T19:43:00.123Z").timestamp()
    hands = Hands(store)
    best = await hands.best_of_hour(5, at + 3_599)
    assert [(each.room_id, each.hand.hand_number, each.hand.score) for each in best] == [
        ("r2", 1, 150),
        ("r1", 1, 40),
    ]
    assert [each.room_id for each in await hands.best_of_hour(1, at)] == ["r2"]
    assert await hands.best_of_hour(5, at + 3_601) == ()
    assert await hands.best_of_hour(5, at - 61) == ()


async def test_nobody_and_nothing_yet() -> None:
    async with casino_harness() as harness:
        operator = Operator(harness)
        assert (await listed(operator)).players == ()
        assert (await operator.http.get("/v1/highlights")).json() == {"highlights": []}
        for path, status, kind in (
            (f"{PATH}/0123456789abcdef", 404, "player-not-found"),
            (f"{PATH}/nobody", 404, "player-not-found"),
            (f"{PATH}?after=nobody", 422, "invalid-request"),
            ("/v1/highlights?limit=21", 422, "invalid-request"),
        ):
            reply = await operator.http.get(path)
            assert (reply.status_code, reply.json()["type"]) == (status, f"/problems/{kind}")


async def test_readers_that_need_a_key() -> None:
    made = CasinoHarness(operator_token=SecretStr(KEY), readers="operator")
    async with made.lobby.running():
        for path in (PATH, f"{PATH}/0123456789abcdef", "/v1/highlights"):
            assert (await made.http(None).get(path)).status_code == 401
            assert (await made.http(KEY).get(path)).status_code in {200, 404}
