"""Sessions in which players, the lobby or the table itself fail."""

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    LeaveTableInput,
    StartGameInput,
)
from support.table.table_harness import TableHarness
from support.table.table_side import (
    calling,
)


def reason_of(raised: pytest.ExceptionInfo[CommandRefused]) -> str:
    return raised.value.reason


class TestFailures:
    async def test_a_failing_player_sits_out_and_comes_back(self, harness: TableHarness) -> None:
        """After three failures in a row; its card is probed between hands."""
        broken = {"now": True}

        def unsteady(request: ActionRequest) -> ActionResponse:
            if broken["now"]:
                raise RuntimeError("no idea")
            return calling(request)

        await harness.begin(calling, calling, unsteady, rules={"maxHands": 40, "maxSeats": 3})
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.events("sat_out"))
        broken["now"] = False
        summary = await harness.end()
        assert summary.hand_count == 40
        assert [one["playerId"] for one in harness.payloads("returned")] == ["p2"]
        outcomes = [
            one["outcome"] for one in harness.payloads("action_taken") if one["playerId"] == "p2"
        ]
        assert outcomes[:3] == ["malformed"] * 3
        assert outcomes[-1] == "ok"
        assert sum(seat.stack for seat in summary.players) == 600

    async def test_a_seat_that_sits_out_is_not_called(self, harness: TableHarness) -> None:
        """It is dealt in, posts blinds, and takes the default action at once."""

        def broken(_request: ActionRequest) -> ActionResponse:
            raise RuntimeError("never")

        await harness.begin(calling, calling, broken, rules={"maxHands": 12, "rebuy": "auto"})
        del harness.network.transport.apps["http://p2"]
        started = harness.clock.time
        summary = await harness.play()
        spent = harness.clock.time - started
        assert summary.hand_count == 12
        assert 29 < spent < 60  # three clocks, and probes beside play
        statuses = {
            request.players[2].status for request in harness.players[0].asked if request.players
        }
        assert statuses == {"active", "sitting-out", "folded"}
        posts = [
            bet
            for hand in harness.payloads("hand_started")
            for bet in hand["posted"]
            if bet["playerId"] == "p2"
        ]
        assert len(posts) == 8

    async def test_with_one_active_seat_play_pauses_and_finishes(
        self, harness: TableHarness
    ) -> None:
        await harness.begin(calling, calling, rules={"maxTimeouts": 1})
        del harness.network.transport.apps["http://p1"]
        started = harness.clock.time
        summary = await harness.play()
        assert harness.events("paused")
        assert summary.status == "idle"
        assert summary.hand_count < 10
        assert harness.clock.time - started >= 60

    async def test_a_paused_session_goes_on_when_a_player_returns(
        self, harness: TableHarness
    ) -> None:
        await harness.begin(calling, calling, rules={"maxTimeouts": 1})
        app = harness.network.transport.apps.pop("http://p1")
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.events("paused"))
        harness.network.transport.apps["http://p1"] = app
        summary = await harness.end()
        assert harness.events("returned")
        assert summary.hand_count == 10

    async def test_who_leaves_a_paused_session_gets_its_chips_back_at_once(
        self, harness: TableHarness
    ) -> None:
        await harness.begin(calling, calling, rules={"maxTimeouts": 1})
        del harness.network.transport.apps["http://p1"]
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.events("paused"))
        paused_at = harness.clock.time
        await harness.host.leave(LeaveTableInput(player_id="p1"))
        await harness.until(lambda: harness.events("left"))
        assert harness.clock.time - paused_at < 5
        await harness.end()

    async def test_an_unreachable_lobby_pauses_play_between_hands(
        self,
    ) -> None:
        """When more events wait than allowed; nothing is lost."""
        harness = TableHarness(max_undelivered=40)
        await harness.begin(calling, calling)
        app = harness.network.transport.apps.pop("http://lobby")
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.table.state == "paused")
        hands, paused_at = harness.table.hands_completed, harness.clock.time
        assert 0 < hands < 10
        await harness.until(lambda: harness.clock.time > paused_at + 20)
        assert harness.table.hands_completed == hands
        harness.network.transport.apps["http://lobby"] = app
        summary = await harness.end()
        assert summary.hand_count == 10
        reported = [event.sequence for event in harness.lobby.events]
        assert reported == list(range(1, len(reported) + 1))
        await harness.host.stop()

    async def test_a_bug_stops_the_table_and_keeps_the_chips(self, harness: TableHarness) -> None:
        """The running hand is cancelled, and an event reports the error."""
        await harness.begin(calling, calling)

        def tampering(request: ActionRequest) -> ActionResponse:
            harness.table.bought_in += 1
            return calling(request)

        harness.players[0].decide = tampering
        summary = await harness.play()
        assert summary.status == "error"
        assert harness.events("table_error")[0].payload is not None
        assert harness.events("hand_cancelled")
        with pytest.raises(CommandRefused) as raised:
            await harness.host.start(StartGameInput())
        assert reason_of(raised) == "TABLE_ERROR"
