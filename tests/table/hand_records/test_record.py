"""The whole record of a completed hand: for who knows the secret, and of no other hand."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import Caller, CommandRefused, RemoteRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Card,
    HandRecord,
    HandRecordInput,
    RoomKey,
    StartGameInput,
    TableEvent,
)
from casino_games.cards import card_from_text
from casino_games.holdem.odds import exact_odds
from casino_table.api_a2a import table_agent
from casino_table.journal.disk_log import SESSIONS_KEPT, DiskLog
from casino_table.journal.journal import Log
from casino_table.journal.memory_log import MemoryLog
from casino_table.rules import TableRules
from support.table.table_harness import TableHarness
from support.table.table_side import CONFIG, SOON, calling, configuring, shoving

SECRET = "sesame street"
CALLBACK = {
    "agentCardUrl": "http://lobby/.well-known/agent-card.json",
    "eventSkill": "recordGameEvent",
    "secret": SECRET,
}
RULES = {"maxHands": 12, "maxSeats": 5, "rebuy": "auto", "seed": "the record"}


def thoughtful(name: str) -> Callable[[ActionRequest], ActionResponse]:
    """Return a player that does something legal, and says and thinks something."""
    dice = random.Random(name)

    def decide(request: ActionRequest) -> ActionResponse:
        action = dice.choice([*request.legal_actions, "call", "check"])
        if action not in request.legal_actions:
            action = "check" if "check" in request.legal_actions else "call"
        amount = request.min_raise_to if action in {"bet", "raise"} else None
        thought = f"{name} thinks of {request.request_id}"
        return ActionResponse.model_validate(
            {"action": action, "amount": amount, "reasoning": thought, "message": f"{name} says hm"}
        )

    return decide


THINKERS = [thoughtful(f"p{number}") for number in range(4)]


RIGHT = RoomKey(SECRET).table


def asking(number: int, table_id: str = "t1") -> HandRecordInput:
    """Return a handRecord."""
    return HandRecordInput(hand_id=f"{table_id}/{number}")


async def refused(evening: TableHarness, given: HandRecordInput, token: str = RIGHT) -> str:
    """Ask for a record that is not given; returns the reason."""
    try:
        TableRules(evening.host, None).recording.admit(Caller(token), given)
        await evening.host.hand_record(given)
    except CommandRefused as refusal:
        return refusal.reason
    return ""


@pytest.fixture(params=["memory", "disk"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Log:
    """Return both kinds of logs."""
    return MemoryLog() if request.param == "memory" else DiskLog(tmp_path / "log")


async def played(log: Log, **rules: Any) -> TableHarness:
    """Return an evening after a session of four players."""
    evening = TableHarness()
    evening.host = evening.host_with(log=log)
    decides = [thoughtful(f"p{number}") for number in range(4)]
    await evening.begin(*decides, rules={**RULES, **rules}, casinoCallback=CALLBACK)
    await evening.play()
    return evening


def told_of(evening: TableHarness, number: int, kind: str) -> list[TableEvent]:
    """Return the events of a hand."""
    return [event for event in evening.events(kind) if event.hand_id == f"t1/{number}"]


def payload(event: TableEvent) -> dict[str, Any]:
    """Return an event's payload."""
    assert event.payload is not None
    return event.payload


class TestContent:
    """What is in a record agrees with what everybody saw, and says the rest."""

    async def test_scores_are_the_differences_of_the_stacks(self, log: Log) -> None:
        """And they add up to nothing."""
        evening = await played(log)
        for number in range(1, 13):
            record = await evening.host.hand_record(asking(number))
            before = {seat.player_id: seat.stack for seat in record.players}
            (completed,) = told_of(evening, number, "hand_completed")
            after = {one["playerId"]: one["stack"] for one in payload(completed)["stacks"]}
            assert {one: after[one] - before[one] for one in after} == record.scores
            assert sum(record.scores.values()) == 0
        await evening.host.stop()

    async def test_it_agrees_with_the_public_hand(self, log: Log) -> None:
        """Button, stacks, decisions, and every card that was shown."""
        evening = await played(log)
        shown_hands = 0
        for number in range(1, 13):
            record = await evening.host.hand_record(asking(number))
            (started,) = told_of(evening, number, "hand_started")
            assert record.button_seat == payload(started)["buttonSeat"]
            seats = [seat.model_dump(mode="json") for seat in record.players]
            assert seats == payload(started)["players"]
            assert record.epoch == started.epoch
            assert (record.hand_number, record.table_id) == (number, "t1")
            taken = [payload(event) for event in told_of(evening, number, "action_taken")]
            assert len(record.decisions) == len(taken)
            for decision, public in zip(record.decisions, taken, strict=True):
                assert decision.player_id == public["playerId"]
                assert decision.betting_round == public["bettingRound"]
                assert decision.action["action_type"] == public["action"]
                assert decision.action.get("amount", public.get("amount")) == public.get("amount")
                assert decision.outcome == public["outcome"]
                assert decision.message == public.get("message")
            (completed,) = told_of(evening, number, "hand_completed")
            holes = {one.player_id: one.cards for one in record.hole_cards}
            for hand in payload(completed)["shown"]:
                cards = tuple(map(Card.model_validate, hand["cards"]))
                assert holes[hand["playerId"]] == cards
                shown_hands += 1
            board = tuple(map(Card.model_validate, payload(completed)["communityCards"]))
            assert record.odds[-1].community_cards == board
        assert shown_hands
        await evening.host.stop()

    async def test_the_cards_are_those_that_were_dealt_in_the_order_of_the_deck(
        self, log: Log
    ) -> None:
        """One each from left of the button, twice; then burn and board."""
        evening = await played(log)
        seen = {
            (request.hand_number, request.player_id): tuple(request.hole_cards)
            for player in evening.players
            for request in player.asked
        }
        for number in range(1, 13):
            record = await evening.host.hand_record(asking(number))
            holes = {one.player_id: one.cards for one in record.hole_cards}
            for player_id, cards in holes.items():
                assert seen.get((number, player_id), cards) == cards
            seats = [seat.seat_number for seat in record.players]
            button = seats.index(record.button_seat) + 1
            ids = [seat.player_id for seat in (*record.players[button:], *record.players[:button])]
            count = len(ids)
            dealt = [*zip(record.deck[:count], record.deck[count : 2 * count], strict=True)]
            assert dealt == [holes[player_id] for player_id in ids]
            burned = record.deck[2 * count :]
            board = (*burned[1:4], burned[5], burned[7])
            assert len(record.deck) == 2 * count + 8
            assert board[: len(record.odds[-1].community_cards)] == record.odds[-1].community_cards
        await evening.host.stop()

    async def test_thoughts_stand_beside_the_decisions(self, log: Log) -> None:
        """Each at the decision that it belongs to."""
        evening = await played(log)
        record = await evening.host.hand_record(asking(3))
        assert record.decisions
        for count, decision in enumerate(record.decisions, start=1):
            thought = f"{decision.player_id} thinks of t1/3:{count}:1"
            assert decision.reasoning == thought
        await evening.host.stop()

    async def test_odds_are_those_of_who_was_still_in(self, log: Log) -> None:
        """On every street that was dealt; what was folded cannot come any more."""
        evening = await played(log, maxHands=40)
        streets = set()
        for number in range(1, 41):
            record = await evening.host.hand_record(asking(number))
            holes = {
                one.player_id: tuple(card_from_text(card.text) for card in one.cards)
                for one in record.hole_cards
            }
            order = [one.betting_round for one in record.odds]
            assert order == ["preflop", "flop", "turn", "river"][: len(order)]
            for street in record.odds:
                live = [one.player_id for one in street.odds]
                before = order[: order.index(street.betting_round)]
                folded = {
                    one.player_id
                    for one in record.decisions
                    if one.action["action_type"] == "fold" and one.betting_round in before
                }
                assert set(live) == holes.keys() - folded
                assert len(live) > 1
                assert street.is_exact == (street.betting_round != "preflop")
                if street.is_exact:
                    hands = [(holes[one][0], holes[one][1]) for one in live]
                    board = [card_from_text(card.text) for card in street.community_cards]
                    dead = [card for one in folded for card in holes[one]]
                    wanted = exact_odds(hands, board, dead)
                    assert [(one.win, one.tie) for one in street.odds] == wanted
                assert sum(one.win for one in street.odds) <= 1
                streets.add((street.betting_round, len(live)))
        assert len(streets) > 6, "the session is worth looking at"
        await evening.host.stop()

    async def test_the_record_is_the_same_every_time_and_names_no_seed(self, log: Log) -> None:
        """What is sampled follows from the hand."""
        evening = await played(log)
        first = await evening.host.hand_record(asking(5))
        assert first == await evening.host.hand_record(asking(5))
        text = first.model_dump_json()
        assert "seed" not in text
        assert "the record" not in text
        await evening.host.stop()

    async def test_amounts_are_those_of_the_wire(self, log: Log) -> None:
        """A table that counts in cents says so in its record."""
        evening = await played(
            log,
            smallBlind=0.05,
            bigBlind=0.1,
            startingStack=20.5,
            minBuyIn=1,
            maxBuyIn=400,
        )
        record = await evening.host.hand_record(asking(1))
        (completed,) = told_of(evening, 1, "hand_completed")
        after = {one["playerId"]: one["stack"] for one in payload(completed)["stacks"]}
        assert [seat.stack for seat in record.players] == [200] * 4
        won = {one.player_id: after[one.player_id] - one.stack for one in record.players}
        assert record.scores == pytest.approx(won)
        raised = [one.action["amount"] for one in record.decisions if "amount" in one.action]
        told = [payload(one) for one in told_of(evening, 1, "action_taken")]
        assert raised == [one["amount"] for one in told if one["action"] in {"bet", "raise"}]
        await evening.host.stop()


class TestRefusals:
    """Whatever is not a completed hand of the one who asks has no record."""

    @pytest.mark.parametrize(
        ("token", "reason"),
        [
            ("", "UNAUTHORIZED"),
            (SECRET, "FORBIDDEN"),
            (RIGHT[:-1], "FORBIDDEN"),
            (RIGHT + "0", "FORBIDDEN"),
            (RoomKey(SECRET).events, "FORBIDDEN"),
            ("sésame", "FORBIDDEN"),
        ],
    )
    async def test_without_the_right_there_is_no_record(
        self, log: Log, token: str, reason: str
    ) -> None:
        """The refusal does not depend on whether there was such a hand."""
        evening = await played(log, maxHands=1)
        assert await refused(evening, asking(1), token) == reason
        assert await refused(evening, asking(99), token) == reason
        await evening.host.stop()

    async def test_a_room_without_a_secret_has_no_records(self, log: Log) -> None:
        """Then nobody can know one."""
        evening = TableHarness()
        evening.host = evening.host_with(log=log)
        await evening.begin(calling, calling, rules=RULES)
        await evening.play()
        assert await refused(evening, asking(1)) == "FORBIDDEN"
        assert await refused(evening, asking(1), "") == "FORBIDDEN"
        await evening.host.stop()

    async def test_a_hand_that_never_was_is_unknown(self, log: Log) -> None:
        """However it is spelled."""
        evening = await played(log, maxHands=2)
        numbers = ("0", "3", "01", "+1", "\u0661", "1 ", "", "9" * 5000)
        for hand_id in (*(f"t1/{number}" for number in numbers), "1", "", "t2/1", "/t1/1"):
            given = HandRecordInput(hand_id=hand_id)
            assert await refused(evening, given) == "UNKNOWN_HAND", hand_id
        await evening.host.stop()

    async def test_before_a_room_comes_there_is_nothing(self) -> None:
        """Nobody has a right to a record of no room."""
        assert await refused(TableHarness(), asking(1)) == "FORBIDDEN"

    async def test_a_running_hand_has_no_record(self, log: Log) -> None:
        """Its predecessor has; and it has one as soon as it is over."""
        evening = TableHarness()
        evening.host = evening.host_with(log=log)
        waiting, go_on = asyncio.Event(), asyncio.Event()

        async def third(request: ActionRequest) -> ActionResponse:
            if request.hand_number == 3:
                waiting.set()
                await go_on.wait()
            return calling(request)

        await evening.begin(third, calling, rules=RULES, casinoCallback=CALLBACK)
        await evening.host.start(StartGameInput())
        await waiting.wait()
        assert await refused(evening, asking(3)) == "HAND_RUNNING"
        assert await refused(evening, asking(4)) == "UNKNOWN_HAND"
        assert (await evening.host.hand_record(asking(2))).hand_number == 2
        go_on.set()
        await evening.end()
        assert (await evening.host.hand_record(asking(3))).hand_number == 3
        await evening.host.stop()

    async def test_a_cancelled_hand_has_no_record(self, log: Log) -> None:
        """Its cards were never played out."""
        evening = TableHarness()
        evening.host = evening.host_with(log=log)
        await evening.begin(calling, calling, rules=RULES, casinoCallback=CALLBACK)
        now = evening.host._active
        assert now is not None

        def tampering(request: ActionRequest) -> ActionResponse:
            if request.hand_number == 2:
                now.table.bought_in += 1
            return calling(request)

        evening.players[0].decide = tampering
        await evening.play()
        assert evening.events("hand_cancelled")
        assert await refused(evening, asking(2)) == "UNKNOWN_HAND"
        assert (await evening.host.hand_record(asking(1))).hand_number == 1
        await evening.host.stop()


class TestKeeping:
    """How long a hand can be read."""

    async def test_a_table_in_memory_keeps_the_newest(self) -> None:
        """As many as it is told."""
        evening = await played(MemoryLog(hands_kept=3))
        assert await refused(evening, asking(9)) == "UNKNOWN_HAND"
        for number in (10, 11, 12):
            assert (await evening.host.hand_record(asking(number))).hand_number == number
        await evening.host.stop()

    async def test_a_table_on_disk_keeps_what_its_sessions_hold(self, tmp_path: Path) -> None:
        """The first hand of the oldest kept session is there, the one before is not."""
        evening = await played(DiskLog(tmp_path / "log"), maxHands=4)
        for _ in range(SESSIONS_KEPT + 1):
            await evening.delivered()
            await evening.play()
        for number in range(5, 21):
            assert (await evening.host.hand_record(asking(number))).hand_number == number
        assert await refused(evening, asking(4)) == "UNKNOWN_HAND"
        await evening.host.stop()

    async def test_the_records_are_the_same_after_a_restart(self, tmp_path: Path) -> None:
        """From the file alone."""
        evening = await played(DiskLog(tmp_path / "log"))
        before = [await evening.host.hand_record(asking(number)) for number in range(1, 13)]
        await evening.host.stop()
        evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
        await evening.host.resume()
        after = [await evening.host.hand_record(asking(number)) for number in range(1, 13)]
        assert after == before
        await evening.host.stop()

    async def test_a_hand_that_was_cut_has_its_record_when_it_was_played_on(
        self, tmp_path: Path
    ) -> None:
        """With the thoughts from before the restart."""
        evening = TableHarness()
        evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
        waiting = asyncio.Event()
        think = thoughtful("p0")

        async def stuck(request: ActionRequest) -> ActionResponse:
            if request.betting_round == "flop":
                waiting.set()
                await asyncio.Event().wait()
            return ActionResponse(action=calling(request).action, reasoning="early")

        await evening.begin(stuck, calling, rules={**RULES, "maxHands": 1}, casinoCallback=CALLBACK)
        await evening.host.start(StartGameInput())
        await waiting.wait()
        await evening.host.stop()
        evening.players[0].decide = think
        evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
        await evening.host.resume()
        await evening.end()
        record = await evening.host.hand_record(asking(1))
        thoughts = [one.reasoning for one in record.decisions if one.player_id == "p0"]
        assert thoughts[0] == "early"
        assert "thinks" in str(thoughts[-1])
        await evening.host.stop()

    async def test_the_last_hand_can_be_read_when_the_table_was_closed(self, log: Log) -> None:
        """The lobby hears of the end, and asks; the next room's table does not open it."""
        evening = TableHarness()
        evening.host = evening.host_with(log=log)
        rules = {**RULES, "maxHands": 100_000}
        await evening.begin(*THINKERS, rules=rules, casinoCallback=CALLBACK)
        await evening.host.start(StartGameInput())
        while len(evening.events("hand_completed")) < 3:
            await asyncio.sleep(0)
        await evening.host.close()
        while evening.host._active is not None:
            await asyncio.sleep(0)
        last = len(evening.events("hand_completed"))
        assert (await evening.host.hand_record(asking(last))).hand_number == last
        assert await refused(evening, asking(last), "guess") == "FORBIDDEN"
        assert await refused(evening, asking(last - 1)) == "FORBIDDEN"
        other = {**CALLBACK, "secret": "other"}
        await evening.host.configure(configuring(tableId="t9", casinoCallback=other))
        other_right = RoomKey("other").table
        assert await refused(evening, asking(last), other_right) == "FORBIDDEN"
        assert (await evening.host.hand_record(asking(last))).table_id == "t1"
        assert await refused(evening, asking(1, "t9"), other_right) == "UNKNOWN_HAND"
        await evening.host.stop()


class TestEpochs:
    """A lobby that goes on from its own record makes hands void that it never heard of."""

    async def go_on(self, evening: TableHarness, number: int, **continuation: Any) -> None:
        """Begin an epoch after a hand."""
        seats = [
            {
                "playerId": f"p{seat}",
                "displayName": f"Player {seat}",
                "seatNumber": seat,
                "stack": 200,
                "agentCardUrl": evening.cards[seat],
            }
            for seat in range(4)
        ]
        given = configuring(
            epoch=2,
            config={**CONFIG, **RULES, "maxHands": 2},
            seats=seats,
            continuation={"handNumber": number, "handCount": number, **continuation},
            casinoCallback=CALLBACK,
        )
        await evening.host.configure(given)

    async def test_hands_before_it_are_kept_and_those_beyond_it_are_void(self, log: Log) -> None:
        """With a seeded session the void ones would tell cards that are dealt again."""
        evening = await played(log)
        old = await evening.host.hand_record(asking(8))
        await self.go_on(evening, 8)
        assert await evening.host.hand_record(asking(8)) == old
        for number in range(9, 13):
            assert await refused(evening, asking(number)) == "UNKNOWN_HAND"
        await evening.play()
        new = await evening.host.hand_record(asking(9))
        assert (new.epoch, new.hand_number) == (2, 9)
        assert (await evening.host.hand_record(asking(10))).epoch == 2
        assert await refused(evening, asking(11)) == "UNKNOWN_HAND"
        assert (await evening.host.hand_record(asking(1))).epoch == 1
        await evening.host.stop()

    async def test_a_hand_that_the_lobby_cancelled_has_no_record(self, log: Log) -> None:
        """Though the table had played it to its end."""
        evening = await played(log)
        await self.go_on(evening, 9, cancelledHand=9)
        assert await refused(evening, asking(9)) == "UNKNOWN_HAND"
        assert (await evening.host.hand_record(asking(8))).hand_number == 8
        await evening.host.stop()


async def test_a_lobby_asks_over_the_wire() -> None:
    """By the entrypoint, and is told why not."""
    evening = await played(MemoryLog(), maxHands=1)
    agent = table_agent(evening.host, "Table", "1", TableRules(evening.host, None))
    card = evening.town.add("table", agent)
    table = await evening.town.client().resolve(card, timeout=SOON)
    record = await table.call("handRecord", asking(1), HandRecord, timeout=SOON, token=RIGHT)
    assert record == await evening.host.hand_record(asking(1))
    with pytest.raises(RemoteRefused) as raised:
        await table.call("handRecord", asking(1), HandRecord, timeout=SOON, token="guess")
    assert raised.value.reason == "FORBIDDEN"
    await evening.host.stop()


async def test_two_ask_while_a_table_plays(tmp_path: Path) -> None:
    """Records are made beside play; nothing is lost, and the session ends as without them."""
    evening = TableHarness()
    evening.host = evening.host_with(log=DiskLog(tmp_path / "log"))
    await evening.begin(
        shoving, calling, calling, rules={**RULES, "maxHands": 30}, casinoCallback=CALLBACK
    )
    await evening.host.start(StartGameInput())
    while not evening.events("hand_completed"):
        await asyncio.sleep(0)
    asked = [evening.host.hand_record(asking(1)) for _ in range(2)]
    async with asyncio.timeout(SOON.total_seconds()):
        one, other = await asyncio.gather(*asked)
    assert isinstance(one, HandRecord)
    assert one == other
    assert (await evening.end()).hand_count == 30
    await evening.host.stop()
