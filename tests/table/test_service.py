"""A table agent's life: configured, seated, started, closed; whole sessions with real agents."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    NoInput,
    StartGameInput,
)
from casino_table.api_a2a import table_agent
from casino_table.rules import TableRules
from support.table.table_harness import Rules, TableHarness
from support.table.table_side import (
    CONFIG,
    SOON,
    LobbyStub,
    calling,
    configuring,
    passive,
    seating,
    shoving,
)


@pytest.fixture
async def evening() -> AsyncIterator[TableHarness]:
    """Open a table, and leave nothing running."""
    evening = TableHarness()
    yield evening
    await evening.host.stop()


def reason_of(raised: pytest.ExceptionInfo[CommandRefused]) -> str:
    """Return the reason of a refusal."""
    return raised.value.reason


class TestConfiguring:
    """Who may give the table its room."""

    async def test_nothing_works_before(self, evening: TableHarness) -> None:
        """Each command says what to do."""
        commands: list[Callable[[], Any]] = [
            lambda: evening.host.register(seating(0, "http://p0")),
            lambda: evening.host.start(StartGameInput()),
            evening.host.close,
        ]
        for command in commands:
            with pytest.raises(CommandRefused, match="Call configureTable first") as raised:
                await command()
            assert reason_of(raised) == "NOT_CONFIGURED"
        summary = await evening.host.summary()
        assert (summary.status, summary.message) == ("waiting", "not configured")

    async def test_the_same_again_is_the_same_answer(self, evening: TableHarness) -> None:
        """A lost reply is asked for again; the lobby may have a new address."""
        await evening.begin(calling, calling)
        moved = LobbyStub()
        url = evening.town.add("moved", moved.agent())
        callback = {"agentCardUrl": url, "eventSkill": "recordGameEvent"}
        again = await evening.host.configure(configuring(casinoCallback=callback))
        assert len(again.players) == 2
        await evening.play(maxHands=1)
        assert moved.events[-1].payload == {
            "status": "idle",
            "kind": "finished",
            "handCount": 1,
        }

    async def test_an_empty_table_may_be_configured_anew(self, evening: TableHarness) -> None:
        """Nobody loses anything."""
        await evening.begin()
        summary = await evening.host.configure(configuring(tableId="t2"))
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
    async def test_a_table_with_players_is_busy(self, evening: TableHarness, other: Rules) -> None:
        """Nobody wipes another's table."""
        await evening.begin(calling)
        with pytest.raises(CommandRefused) as raised:
            await evening.host.configure(configuring(**other))
        assert reason_of(raised) == "TABLE_BUSY"
        assert len((await evening.host.summary()).players) == 1

    async def test_a_higher_epoch_of_the_same_lobby_takes_over(self, evening: TableHarness) -> None:
        """The running hand is cancelled; play goes on from the seats that were given."""
        gate = asyncio.Event()

        async def wait(request: ActionRequest) -> ActionResponse:
            await gate.wait()
            return calling(request)

        await evening.begin(wait, calling, epoch=1)
        await evening.host.start(StartGameInput())
        while not evening.players[0].asked and not evening.players[1].asked:
            await asyncio.sleep(0)
        seats = [
            {
                "playerId": f"p{n}",
                "displayName": "P",
                "seatNumber": n,
                "stack": 100 + n,
                "agentCardUrl": evening.cards[n],
            }
            for n in range(2)
        ]
        taken = await evening.host.configure(configuring(epoch=2, seats=seats))
        gate.set()
        assert [seat.stack for seat in taken.players] == [100, 101]
        await evening.play(maxHands=2)
        reign = [event for event in evening.lobby.events if event.epoch == 2]
        assert [event.sequence for event in reign] == list(range(1, len(reign) + 1))
        last = evening.events("hand_completed")[-1].payload
        assert last is not None
        assert sum(stack["stack"] for stack in last["stacks"]) == 201

    @pytest.mark.parametrize(
        ("given", "reason", "field"),
        [
            ({"gameType": "chess"}, "UNKNOWN_GAME", "gameType"),
            ({"gameConfig": {"depth": 3}}, "INVALID_GAME_CONFIG", "gameConfig.depth"),
        ],
    )
    async def test_a_game_that_cannot_be_played_is_refused(
        self, evening: TableHarness, given: Rules, reason: str, field: str
    ) -> None:
        """With the path of the fault."""
        with pytest.raises(CommandRefused) as raised:
            await evening.host.configure(configuring(**given))
        assert reason_of(raised) == reason
        assert raised.value.violations[0].field == field


class TestSessions:
    """Whole sessions, every decision over A2A."""

    async def test_a_session_is_told_completely(self, evening: TableHarness) -> None:
        """Gapless, each hand once, every chip there."""
        await evening.begin(calling, passive, shoving, calling)
        summary = await evening.play()
        events = evening.lobby.events
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        completed = [event.payload or {} for event in evening.events("hand_completed")]
        assert [payload["handNumber"] for payload in completed] == list(
            range(1, len(completed) + 1)
        )
        assert len(evening.events("hand_started")) == len(completed) == summary.hand_count
        for payload in completed:
            paid = sum(pot["amount"] for pot in payload["pots"])
            assert paid == sum(
                winner["amount"] for pot in payload["pots"] for winner in pot["winners"]
            )
        assert sum(seat.stack for seat in summary.players) == 800
        assert summary.status == "idle"
        kinds = [event.event_type for event in events[:6]]
        assert kinds == ["table_status"] + ["player_registered"] * 4 + ["table_status"]

    async def test_the_events_of_a_hand_follow_its_decisions(self, evening: TableHarness) -> None:
        """What was asked is what was told, in the same order."""
        await evening.begin(calling, calling)
        await evening.play(maxHands=1)
        told = [event.payload or {} for event in evening.events("action_taken")]
        assert [action["bettingRound"] for action in told] == [
            "preflop", "preflop", "flop", "flop", "turn", "turn", "river", "river"
        ]  # fmt: skip
        streets = [event.payload or {} for event in evening.events("street_dealt")]
        assert [len(street["communityCards"]) for street in streets] == [3, 4, 5]
        asked = [(request.player_id, request.betting_round) for request in evening.players[0].asked]
        assert asked == [
            (action["playerId"], action["bettingRound"])
            for action in told
            if action["playerId"] == "p0"
        ]

    async def test_the_history_of_a_question_is_the_hand_so_far(
        self, evening: TableHarness
    ) -> None:
        """Every action, with totals."""
        await evening.begin(calling, calling, shoving)
        await evening.play(maxHands=1)
        last = evening.players[1].asked[-1]
        assert last.history is not None
        assert [(past.player_id, past.action, past.amount) for past in last.history] == [
            ("p0", "call", 2),
            ("p1", "call", 2),
            ("p2", "all-in", 200),
            ("p0", "call", 200),
        ]

    async def test_start_answers_at_once(self, evening: TableHarness) -> None:
        """And registration never waits for a game."""
        gate = asyncio.Event()

        async def wait(request: ActionRequest) -> ActionResponse:
            await gate.wait()
            return calling(request)

        await evening.begin(wait, wait)
        summary = await asyncio.wait_for(evening.host.start(StartGameInput(max_hands=2)), 1)
        assert summary.status == "running"
        await asyncio.wait_for(evening.join(calling), 1)
        gate.set()
        assert (await evening.end()).hand_count == 2

    async def test_max_hands_counts_per_start(self, evening: TableHarness) -> None:
        """And stacks, button and hand numbers go on."""
        await evening.begin(calling, calling, calling)
        assert (await evening.play(maxHands=3)).hand_count == 3
        assert (await evening.play(maxHands=2)).hand_count == 5
        buttons = [(e.payload or {})["buttonSeat"] for e in evening.events("hand_started")]
        assert buttons == [0, 1, 2, 0, 1]

    async def test_a_session_ends_when_one_is_left(self, evening: TableHarness) -> None:
        """Busted seats are free again, and told with their place."""
        await evening.begin(shoving, shoving, shoving)
        summary = await evening.play(maxHands=200)
        busted = [event.payload or {} for event in evening.events("player_busted")]
        assert sorted(payload["finish"] for payload in busted) == [2, 3]
        assert [seat.stack for seat in summary.players] == [600]

    async def test_an_automatic_rebuy_keeps_the_session_going(self, evening: TableHarness) -> None:
        """N hands are N hands, and every rebuy is an event."""
        await evening.begin(shoving, shoving, shoving, rules={"rebuy": "auto"})
        summary = await evening.play(maxHands=30)
        rebought = sum((e.payload or {})["amount"] for e in evening.events("rebought"))
        assert summary.hand_count == 30
        assert rebought > 0
        assert sum(seat.stack for seat in summary.players) == 600 + rebought
        assert evening.events("player_busted") == []

    async def test_the_same_seed_plays_the_same_session(self) -> None:
        """Event by event."""
        stories = []
        for _ in range(2):
            evening = TableHarness()
            await evening.begin(calling, shoving, passive)
            await evening.play()
            stories.append(
                [
                    {**(event.payload or {}), "latencyMs": 0, "type": event.event_type}
                    for event in evening.lobby.events
                ]
            )
            await evening.host.stop()
        assert stories[0] == stories[1]

    async def test_without_a_seed_every_hand_has_entropy_of_its_own(
        self, evening: TableHarness
    ) -> None:
        """The first cards differ from those of the seed."""
        await evening.begin(calling, calling, rules={"seed": None})
        await evening.play(maxHands=3)
        holes = [request.hole_cards for request in evening.players[0].asked]
        seeded = TableHarness()
        await seeded.begin(calling, calling)
        await seeded.play(maxHands=3)
        assert holes != [request.hole_cards for request in seeded.players[0].asked]
        await seeded.host.stop()

    async def test_decimal_blinds_are_played_in_their_own_numbers(
        self, evening: TableHarness
    ) -> None:
        """0.05 and 0.1, with exact pots."""
        rules = {
            "smallBlind": 0.05,
            "bigBlind": 0.1,
            "minBuyIn": 1,
            "startingStack": 10,
            "maxBuyIn": 20,
        }
        await evening.begin(rules=rules)
        for _ in range(3):
            await evening.join(calling, startingStack=10)
        summary = await evening.play(maxHands=7)
        request = evening.players[0].asked[0]
        assert (request.current_bet, request.min_raise_to) == (0.1, 0.2)
        assert round(sum(seat.stack for seat in summary.players), 2) == 30
        assert all(round(seat.stack, 2) == seat.stack for seat in summary.players)

    async def test_antes_go_into_the_pot(self, evening: TableHarness) -> None:
        """They are posted first and are no bet."""
        await evening.begin(calling, calling, calling, rules={"ante": 1})
        await evening.play(maxHands=1)
        posted = (evening.events("hand_started")[0].payload or {})["posted"]
        kinds = Counter(bet["kind"] for bet in posted)
        assert kinds == {"ante": 3, "small-blind": 1, "big-blind": 1}
        assert evening.players[0].asked[0].pot == 6
        assert evening.players[0].asked[0].to_call == 2

    async def test_a_newcomer_waits_for_the_big_blind(self, evening: TableHarness) -> None:
        """He takes part from then on."""
        await evening.begin(calling, calling, calling)
        await evening.play(maxHands=2)
        await evening.join(calling)
        await evening.play(maxHands=4)
        started = [event.payload or {} for event in evening.events("hand_started")]
        assert [len(hand["players"]) for hand in started] == [3, 3, 3, 3, 4, 4]
        assert started[4]["posted"][1]["playerId"] == "p3"


class TestBadPlayers:
    """Whoever fails loses only his own turns."""

    async def test_a_failing_player_sits_out_and_comes_back(self, evening: TableHarness) -> None:
        """After three failures in a row; his card is read between hands."""
        broken = {"now": True}

        def unsteady(request: ActionRequest) -> ActionResponse:
            if broken["now"]:
                raise RuntimeError("no idea")
            return calling(request)

        await evening.begin(calling, calling, unsteady, rules={"maxHands": 40, "maxSeats": 3})
        await evening.host.start(StartGameInput())
        while not evening.events("sat_out"):
            await asyncio.sleep(0)
        broken["now"] = False
        summary = await evening.end()
        assert summary.hand_count == 40
        returned = evening.events("returned")
        assert [(event.payload or {})["playerId"] for event in returned] == ["p2"]
        outcomes = [
            (event.payload or {})["outcome"]
            for event in evening.events("action_taken")
            if (event.payload or {})["playerId"] == "p2"
        ]
        assert outcomes[:3] == ["malformed"] * 3
        assert outcomes[-1] == "ok"
        assert sum(seat.stack for seat in summary.players) == 600

    async def test_a_seat_that_sits_out_is_not_called(self, evening: TableHarness) -> None:
        """It is dealt, posts, and its default action is taken at once."""

        def broken(_request: ActionRequest) -> ActionResponse:
            raise RuntimeError("never")

        await evening.begin(calling, calling, broken, rules={"maxHands": 12, "rebuy": "auto"})
        del evening.town.transport.apps["http://p2"]
        started = evening.clock.time
        summary = await evening.play()
        spent = evening.clock.time - started
        assert summary.hand_count == 12
        assert 29 < spent < 60  # three clocks, and probes beside play
        statuses = {
            request.players[2].status for request in evening.players[0].asked if request.players
        }
        assert statuses == {"active", "sitting-out", "folded"}
        posts = [
            bet
            for event in evening.events("hand_started")
            for bet in (event.payload or {})["posted"]
            if bet["playerId"] == "p2"
        ]
        assert len(posts) == 8

    async def test_with_one_active_seat_play_pauses_and_finishes(
        self, evening: TableHarness
    ) -> None:
        """After a minute in which nobody came back."""
        await evening.begin(calling, calling, rules={"maxTimeouts": 1})
        del evening.town.transport.apps["http://p1"]
        started = evening.clock.time
        summary = await evening.play()
        assert evening.events("paused")
        assert summary.status == "idle"
        assert summary.hand_count < 10
        assert evening.clock.time - started >= 60

    async def test_play_goes_on_when_somebody_comes_back(self, evening: TableHarness) -> None:
        """Within the minute."""
        await evening.begin(calling, calling, rules={"maxTimeouts": 1})
        app = evening.town.transport.apps.pop("http://p1")
        await evening.host.start(StartGameInput())
        while not evening.events("paused"):
            await asyncio.sleep(0)
        evening.town.transport.apps["http://p1"] = app
        summary = await evening.end()
        assert evening.events("returned")
        assert summary.hand_count == 10

    async def test_a_lobby_that_is_away_pauses_play_between_hands(
        self, evening: TableHarness
    ) -> None:
        """When more events wait than the bound allows; nothing is lost."""
        evening.host = evening.host_with(max_undelivered=40)
        await evening.begin(calling, calling)
        app = evening.town.transport.apps.pop("http://lobby")
        await evening.host.start(StartGameInput())
        now = evening.host._active
        assert now is not None
        while now.table.state != "paused":
            await asyncio.sleep(0)
        hands = now.table.hands_completed
        assert 0 < hands < 10
        for _ in range(50):
            await asyncio.sleep(0)
        assert now.table.hands_completed == hands
        evening.town.transport.apps["http://lobby"] = app
        summary = await evening.end()
        assert summary.hand_count == 10
        told = [event.sequence for event in evening.lobby.events]
        assert told == list(range(1, len(told) + 1))

    async def test_a_fault_of_ours_stops_the_table_and_keeps_the_chips(
        self, evening: TableHarness
    ) -> None:
        """The running hand is cancelled, and the table says so."""
        await evening.begin(calling, calling)
        now = evening.host._active
        assert now is not None

        def tampering(request: ActionRequest) -> ActionResponse:
            now.table.bought_in += 1
            return calling(request)

        evening.players[0].decide = tampering
        summary = await evening.play()
        assert summary.status == "error"
        assert evening.events("table_error")[0].payload is not None
        assert evening.events("hand_cancelled")
        with pytest.raises(CommandRefused) as raised:
            await evening.host.start(StartGameInput())
        assert reason_of(raised) == "TABLE_ERROR"


class TestEnding:
    """Closing and draining finish the hand."""

    async def test_closing_ends_after_the_hand(self, evening: TableHarness) -> None:
        """Everybody leaves with his chips; the table is free for the next room."""
        await evening.begin(calling, calling, rules={"maxHands": 100_000})
        await evening.host.start(StartGameInput())
        while len(evening.events("hand_completed")) < 3:
            await asyncio.sleep(0)
        answer = await evening.host.close()
        assert answer.state == "closing"
        with pytest.raises(CommandRefused) as raised:
            await evening.join(calling)
        assert reason_of(raised) == "CLOSING"
        while not evening.events("closed"):
            await asyncio.sleep(0)
        kinds = [event.event_type for event in evening.lobby.events]
        assert kinds.count("hand_started") == kinds.count("hand_completed")
        while evening.host._active is not None:
            await asyncio.sleep(0)
        assert (await evening.host.configure(configuring(tableId="t9"))).table_id == "t9"

    async def test_draining_finishes_the_hand_and_delivers(self, evening: TableHarness) -> None:
        """Then the process may end."""
        await evening.begin(calling, calling, rules={"maxHands": 100_000})
        await evening.host.start(StartGameInput())
        while not evening.events("hand_completed"):
            await asyncio.sleep(0)
        await evening.host.drain(SOON)
        kinds = [event.event_type for event in evening.lobby.events]
        assert kinds.count("hand_started") == kinds.count("hand_completed")
        assert evening.events("finished")

    async def test_a_hand_that_does_not_end_is_cancelled(self, evening: TableHarness) -> None:
        """A process that has to end does not wait for a player for ever."""

        async def never(request: ActionRequest) -> ActionResponse:
            await asyncio.Event().wait()
            return calling(request)

        await evening.begin(never, never)
        await evening.host.start(StartGameInput())
        while not evening.players[0].asked:
            await asyncio.sleep(0)
        await evening.host.drain(timedelta(milliseconds=10))
        assert len(evening.events("hand_cancelled")) == 1
        summary = await evening.host.summary()
        assert [seat.stack for seat in summary.players] == [200, 200]

    async def test_a_table_that_was_replaced_stops_playing(self, evening: TableHarness) -> None:
        """Its lobby has another in its place."""
        await evening.begin(calling, calling, rules={"maxHands": 100_000})
        await evening.host.start(StartGameInput())
        evening.lobby.trouble = [CommandRefused("STALE_EPOCH", "stop")]
        now = evening.host._active
        assert now is not None
        assert now.playing is not None
        await asyncio.wait_for(asyncio.wait([now.playing]), 10)
        summary = await evening.host.summary()
        assert (summary.status, summary.state) == ("error", "replaced")
        assert "STALE_EPOCH" in (summary.message or "")


async def test_the_face_offers_the_protocol_s_entrypoints() -> None:
    """And three which the document does not have."""
    evening = TableHarness()
    agent = table_agent(evening.host, "T", "1", TableRules(evening.host, None))
    assert set(agent.entrypoints) == {
        "configureTable",
        "registerPlayer",
        "startGame",
        "tableSummary",
        "closeTable",
        "leaveTable",
        "handRecord",
    }
    output = await agent.entrypoints["tableSummary"].call(NoInput().model_dump())
    assert b'"status":"waiting"' in output
