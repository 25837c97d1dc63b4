"""Commands of a table agent: configure, close, drain."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    StartGameInput,
)
from support.table.table_harness import Rules, TableHarness
from support.table.table_side import (
    CONFIG,
    SOON,
    LobbyStub,
    calling,
    configuring,
    seating,
)


def reason_of(raised: pytest.ExceptionInfo[CommandRefused]) -> str:
    return raised.value.reason


class TestConfiguring:
    async def test_commands_before_configuring_are_refused(self, harness: TableHarness) -> None:
        commands: list[Callable[[], Any]] = [
            lambda: harness.host.register(seating(0, "http://p0")),
            lambda: harness.host.start(StartGameInput()),
            harness.host.close,
        ]
        for command in commands:
            with pytest.raises(CommandRefused, match="Call configureTable first") as raised:
                await command()
            assert reason_of(raised) == "NOT_CONFIGURED"
        summary = await harness.host.summary()
        assert (summary.status, summary.message) == ("waiting", "not configured")

    async def test_a_repeated_configuration_returns_the_same_summary(
        self, harness: TableHarness
    ) -> None:
        """The lobby may have a new address."""
        await harness.begin(calling, calling)
        moved = LobbyStub()
        url = harness.network.add("moved", moved.agent())
        callback = {"agentCardUrl": url, "eventSkill": "recordGameEvent"}
        again = await harness.host.configure(configuring(casinoCallback=callback))
        assert len(again.players) == 2
        await harness.play(maxHands=1)
        assert moved.events[-1].payload == {
            "status": "idle",
            "kind": "finished",
            "handCount": 1,
        }

    async def test_an_empty_table_can_be_configured_again(self, harness: TableHarness) -> None:
        await harness.begin()
        summary = await harness.host.configure(configuring(tableId="t2"))
        assert summary.table_id == "t2"

    @pytest.mark.parametrize(
        "other",
        [
            {"tableId": "t2"},
            {"casinoName": "Other"},
            {"config": {**CONFIG, "maxHands": 3}},
            {"tableId": "t2", "epoch": 5},
            {"casinoName": "Other", "epoch": 5},
        ],
    )
    async def test_a_table_with_players_is_busy(self, harness: TableHarness, other: Rules) -> None:
        """Another lobby's room, casino or config, or a foreign epoch, is refused."""
        await harness.begin(calling)
        callback = {"agentCardUrl": "http://other/card.json", "eventSkill": "recordGameEvent"}
        with pytest.raises(CommandRefused) as raised:
            await harness.host.configure(configuring(casinoCallback=callback, **other))
        assert reason_of(raised) == "TABLE_BUSY"
        assert len((await harness.host.summary()).players) == 1

    async def test_a_higher_epoch_of_the_same_lobby_takes_over(self, harness: TableHarness) -> None:
        """Its running hand is cancelled; seats and numbers are the request's, nothing is bought."""
        gate = asyncio.Event()

        async def wait(request: ActionRequest) -> ActionResponse:
            await gate.wait()
            return calling(request)

        await harness.begin(wait, calling, epoch=1)
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.players[0].asked or harness.players[1].asked)
        seats = [
            {
                "playerId": f"p{number}",
                "displayName": "P",
                "seatNumber": number,
                "stack": 150 + 100 * number,
                "agentCardUrl": harness.cards[number],
                "clockMs": 7_000,
                "playerType": "human",
            }
            for number in range(2)
        ]
        going_on = {"handNumber": 7, "handCount": 6, "bigBlindSeat": 0, "cancelledHand": 7}
        given = configuring(epoch=2, seats=seats, continuation=going_on)
        with pytest.raises(CommandRefused) as raised:
            await harness.host.configure(given, is_owner=False)
        assert reason_of(raised) == "FORBIDDEN"
        summary = await harness.host.configure(given)
        gate.set()
        assert (summary.epoch, summary.hand_count, summary.sequence) == (2, 6, 2)
        assert harness.table.seats[1].clock_ms == 7_000
        assert summary.players[0].player_type == "human"
        await harness.play(maxHands=2)
        events = [event for event in harness.lobby.events if event.epoch == 2]
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        (cancelled,) = [one for one in harness.events("hand_cancelled") if one in events]
        assert (cancelled.payload or {})["handNumber"] == 7
        started = [one.payload or {} for one in events if one.event_type == "hand_started"]
        assert [one["handNumber"] for one in started] == [8, 9]
        assert [seat["stack"] for seat in started[0]["players"]] == [150, 250]
        assert started[0]["posted"][-1]["playerId"] == "p1"
        assert not {"player_registered", "rebought"} & {one.event_type for one in events}

    @pytest.mark.parametrize(
        ("given", "reason", "field"),
        [
            ({"gameType": "chess"}, "UNKNOWN_GAME", "gameType"),
            ({"gameConfig": {"depth": 3}}, "INVALID_GAME_CONFIG", "gameConfig.depth"),
        ],
    )
    async def test_a_game_that_cannot_be_played_is_refused(
        self, harness: TableHarness, given: Rules, reason: str, field: str
    ) -> None:
        """The refusal has the path of the fault."""
        with pytest.raises(CommandRefused) as raised:
            await harness.host.configure(configuring(**given))
        assert reason_of(raised) == reason
        assert raised.value.violations[0].field == field


class TestEnding:
    async def test_closing_ends_after_the_hand(self, harness: TableHarness) -> None:
        """All players cash out; the table is free for another room."""
        await harness.begin(calling, calling, rules={"maxHands": 100_000})
        await harness.host.start(StartGameInput())
        await harness.until(lambda: len(harness.events("hand_completed")) >= 3)
        answer = await harness.host.close()
        assert answer.state == "closing"
        with pytest.raises(CommandRefused) as raised:
            await harness.join(calling)
        assert reason_of(raised) == "CLOSING"
        await harness.until(lambda: harness.events("closed"))
        kinds = [event.event_type for event in harness.lobby.events]
        assert kinds.count("hand_started") == kinds.count("hand_completed")
        await harness.until(lambda: harness.host.table_id is None)
        assert (await harness.host.configure(configuring(tableId="t9"))).table_id == "t9"

    async def test_draining_finishes_the_hand_and_delivers(self, harness: TableHarness) -> None:
        await harness.begin(calling, calling, rules={"maxHands": 100_000})
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.events("hand_completed"))
        await harness.host.drain(SOON)
        kinds = [event.event_type for event in harness.lobby.events]
        assert kinds.count("hand_started") == kinds.count("hand_completed")
        assert harness.events("finished")

    async def test_draining_cancels_a_hand_that_takes_too_long(self, harness: TableHarness) -> None:
        async def never(request: ActionRequest) -> ActionResponse:
            await asyncio.Event().wait()
            return calling(request)

        await harness.begin(never, never)
        await harness.host.start(StartGameInput())
        await harness.until(lambda: harness.players[0].asked)
        await harness.host.drain(timedelta(milliseconds=10))
        assert len(harness.events("hand_cancelled")) == 1
        summary = await harness.host.summary()
        assert [seat.stack for seat in summary.players] == [200, 200]

    async def test_a_replaced_table_stops_playing(self, harness: TableHarness) -> None:
        await harness.begin(calling, calling, rules={"maxHands": 100_000})
        await harness.host.start(StartGameInput())
        harness.lobby.trouble = [CommandRefused("STALE_EPOCH", "stop")]
        summary = await harness.end()
        assert (summary.status, summary.state) == ("error", "replaced")
        assert "STALE_EPOCH" in (summary.message or "")
