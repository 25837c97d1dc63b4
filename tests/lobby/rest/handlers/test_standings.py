"""The standings of a room, while it plays and when it is over."""

from casino_contracts import NetSeries, Standings
from support.casino.casino_side import Operator, casino_harness

PATH = "/v1/rooms/r1/standings"
SERIES = "/v1/rooms/r1/series"


async def test_a_session_that_was_played_has_standings() -> None:
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
        assert standings.hands == 40
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
