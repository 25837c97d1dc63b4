"""The standings of a room, while it plays and when it is over."""

from pathlib import Path

from casino_contracts import NetSeries, Standings
from casino_lobby.store import MemoryStore, SqlStore
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.casino.store_side import delete_hands, played

PATH = "/v1/rooms/r1/standings"
SERIES = "/v1/rooms/r1/series"


async def test_a_session_that_was_played_has_standings() -> None:
    """They agree with the hands, the stacks and the counts of decisions."""
    async with casino_harness() as harness:
        operator = Operator(harness)
        await operator.open(maxHands=40, maxSeats=2, rebuy="auto")
        reply = await operator.http.get(PATH)
        assert reply.json() == {"roomId": "r1", "hands": 0, "unit": "bb", "players": []}
        for name in ("ada", "bob"):
            harness.player(name)
            await operator.seat(name)
        summary = (await operator.idle_room()).summary
        assert summary is not None
        standings = Standings.model_validate_json((await operator.http.get(PATH)).content)
        assert (standings.hands, standings.since_hand) == (40, None)
        stacks = {player.player_id: player.stack for player in summary.players}
        assert {line.player_id: line.stack for line in standings.players} == stacks
        first, last = standings.players
        assert first.net == -last.net >= 0
        assert first.bb_per_100 == -last.bb_per_100 == round(first.net / 2 / 40 * 100, 2)
        assert first.half_interval_95 == last.half_interval_95
        assert {first.display_name, last.display_name} == {"ada", "bob"}
        series = NetSeries.model_validate_json((await operator.http.get(SERIES)).content)
        assert (series.hands, series.last_hands) == (40, tuple(range(1, 41)))
        nets = {line.player_id: line.net for line in standings.players}
        assert {line.player_id: line.nets[-1] for line in series.players} == nets
        for line in standings.players:
            assert line.statistics is not None
            assert line.statistics.vpip.of + line.statistics.pfr.of > 0
            assert line.latency is not None
            assert line.latency.decisions == line.decisions
            path = f"/v1/rooms/r1/players/{line.player_id}/faults"
            outcomes = (await operator.http.get(path)).json()["outcomes"]
            assert line.decisions == sum(outcomes.values()) > 0
        await operator.http.delete("/v1/rooms/r1")
        await operator.until(lambda room: room.state == "closed")
        after = Standings.model_validate_json((await operator.http.get(PATH)).content)
        assert all(line.has_left for line in after.players)
        assert [line.net for line in after.players] == [first.net, last.net]


async def test_deleted_hands_and_archived_rooms_are_counted(tmp_path: Path) -> None:
    """As long as the room is stored."""
    store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
    harness = CasinoHarness(store=store)
    async with harness.lobby.running():
        room, factory = await played(store, hands=150)
        before = (await harness.http().get(PATH)).json()
        assert before["hands"] == 150
        assert [(line["displayName"], line["net"]) for line in before["players"]] == [
            ("P0", 150),
            ("P1", -150),
        ]
        await delete_hands(store, room, 100)
        assert (await harness.http().get(PATH)).json() == before
        series = (await harness.http().get(SERIES)).json()
        assert (series["hands"], series["firstHand"]) == (150, 1), "deleted ones as well"
        await store.record(room, [factory.status("closed", "idle")])
        room.close("over")
        await store.archive(room)
        archived = (await harness.http().get(PATH)).json()
        assert (await harness.http().get(SERIES)).json() == series
        assert archived["players"] == [{**line, "hasLeft": True} for line in before["players"]]


async def test_who_may_read_them() -> None:
    """Everybody; or with `readers` only the operator."""
    for readers, status in (("everyone", 200), ("operator", 401)):
        store = MemoryStore(1_000)
        harness = CasinoHarness(store=store, operator_token="sesame-open", readers=readers)
        async with harness.lobby.running():
            await played(store)
            for path in (PATH, SERIES):
                assert (await harness.http().get(path)).status_code == status
                assert (await harness.http("sesame-open").get(path)).status_code == 200
                missing = await harness.http("sesame-open").get(path.replace("r1", "r2"))
                assert (missing.status_code, missing.json()["reason"]) == (404, "ROOM_NOT_FOUND")
