"""Sessions of a table with real player agents."""

from support.players.holdem_players import any_legal
from support.table.table_harness import TableHarness
from support.table.table_side import (
    calling,
    passive,
    shoving,
)


class TestSessions:
    async def test_a_session_has_all_events(self, harness: TableHarness) -> None:
        await harness.begin(calling, passive, shoving, calling)
        summary = await harness.play()
        events = harness.lobby.events
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        completed = harness.payloads("hand_completed")
        assert [payload["handNumber"] for payload in completed] == list(
            range(1, len(completed) + 1)
        )
        assert len(harness.events("hand_started")) == len(completed) == summary.hand_count
        for payload in completed:
            paid = sum(pot["amount"] for pot in payload["pots"])
            assert paid == sum(
                winner["amount"] for pot in payload["pots"] for winner in pot["winners"]
            )
        assert sum(seat.stack for seat in summary.players) == 800
        assert summary.status == "idle"
        kinds = [event.event_type for event in events[:6]]
        assert kinds == ["table_status"] + ["player_registered"] * 4 + ["table_status"]

    async def test_seats_that_bust_leave_their_blinds_dead(self, harness: TableHarness) -> None:
        """In a whole tournament, until two are left and both post."""
        await harness.begin(*[any_legal] * 6, rules={"seed": "d"})
        summary = await harness.play(maxHands=20)
        assert sum(seat.stack for seat in summary.players) == 1200
        hands = harness.payloads("hand_started")
        posts = [{one["kind"]: one["playerId"] for one in hand["posted"]} for hand in hands]
        seats = [{one["playerId"]: one["seatNumber"] for one in hand["players"]} for hand in hands]
        dead = 0
        for before, now, at, hand in zip(posts, posts[1:], seats[1:], hands[1:], strict=False):
            if len(at) > 2:
                was = before["big-blind"]
                assert now.get("small-blind") == (was if was in at else None)
                dead += was not in at or hand["buttonSeat"] not in at.values()
            assert now["big-blind"] != before["big-blind"]
        assert dead
        asked = [one for player in harness.players for one in player.asked]
        buttons = {hand["handNumber"]: hand["buttonSeat"] for hand in hands}
        assert {(one.hand_number, one.button_seat) for one in asked} == {*buttons.items()}

    async def test_the_events_of_a_hand_follow_its_decisions(self, harness: TableHarness) -> None:
        await harness.begin(calling, calling)
        await harness.play(maxHands=1)
        reported = harness.payloads("action_taken")
        assert [action["bettingRound"] for action in reported] == [
            "preflop", "preflop", "flop", "flop", "turn", "turn", "river", "river"
        ]  # fmt: skip
        streets = harness.payloads("street_dealt")
        assert [len(street["communityCards"]) for street in streets] == [3, 4, 5]
        asked = [(request.player_id, request.betting_round) for request in harness.players[0].asked]
        assert asked == [
            (action["playerId"], action["bettingRound"])
            for action in reported
            if action["playerId"] == "p0"
        ]

    async def test_the_history_of_a_question_is_the_hand_so_far(
        self, harness: TableHarness
    ) -> None:
        await harness.begin(calling, calling, shoving)
        await harness.play(maxHands=1)
        last = harness.players[1].asked[-1]
        assert last.history is not None
        assert [(past.player_id, past.action, past.amount) for past in last.history] == [
            ("p0", "call", 2),
            ("p1", "call", 2),
            ("p2", "all-in", 200),
            ("p0", "call", 200),
        ]

    async def test_max_hands_counts_per_start(self, harness: TableHarness) -> None:
        await harness.begin(calling, calling, calling)
        assert (await harness.play(maxHands=3)).hand_count == 3
        assert (await harness.play(maxHands=2)).hand_count == 5
        buttons = [one["buttonSeat"] for one in harness.payloads("hand_started")]
        assert buttons == [0, 1, 2, 0, 1]

    async def test_a_session_ends_when_one_is_left(self, harness: TableHarness) -> None:
        await harness.begin(shoving, shoving, shoving)
        summary = await harness.play(maxHands=200)
        busted = harness.payloads("player_busted")
        assert sorted(payload["finish"] for payload in busted) == [2, 3]
        assert [seat.stack for seat in summary.players] == [600]

    async def test_an_automatic_rebuy_keeps_the_session_going(self, harness: TableHarness) -> None:
        await harness.begin(shoving, shoving, shoving, rules={"rebuy": "auto"})
        summary = await harness.play(maxHands=30)
        rebought = sum(one["amount"] for one in harness.payloads("rebought"))
        assert summary.hand_count == 30
        assert rebought > 0
        assert sum(seat.stack for seat in summary.players) == 600 + rebought
        assert harness.events("player_busted") == []

    async def test_the_same_seed_plays_the_same_session(self) -> None:
        stories = []
        for _ in range(2):
            harness = TableHarness()
            await harness.begin(calling, shoving, passive)
            await harness.play()
            stories.append(
                [
                    {**(event.payload or {}), "latencyMs": 0, "type": event.event_type}
                    for event in harness.lobby.events
                ]
            )
            await harness.host.stop()
        assert stories[0] == stories[1]

    async def test_without_a_seed_every_hand_has_entropy_of_its_own(
        self, harness: TableHarness
    ) -> None:
        await harness.begin(calling, calling, rules={"seed": None})
        await harness.play(maxHands=3)
        holes = [request.hole_cards for request in harness.players[0].asked]
        seeded = TableHarness()
        await seeded.begin(calling, calling)
        await seeded.play(maxHands=3)
        assert holes != [request.hole_cards for request in seeded.players[0].asked]
        await seeded.host.stop()

    async def test_a_newcomer_waits_for_the_big_blind(self, harness: TableHarness) -> None:
        await harness.begin(calling, calling, calling)
        await harness.play(maxHands=2)
        await harness.join(calling)
        await harness.play(maxHands=4)
        started = harness.payloads("hand_started")
        assert [len(hand["players"]) for hand in started] == [3, 3, 3, 3, 4, 4]
        assert started[4]["posted"][1]["playerId"] == "p3"
