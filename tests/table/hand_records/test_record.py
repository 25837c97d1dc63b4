"""The record of a completed hand agrees with its public events."""

import asyncio
from pathlib import Path

import pytest
from casino_agentkit import RemoteRefused
from casino_contracts import (
    Card,
    HandRecord,
    StartGameInput,
)
from casino_games.cards import card_from_text
from casino_games.holdem.odds import exact_odds
from casino_table.journal.journal_log import Log, MemoryLog
from casino_table.table_agent import TableRules, table_agent
from support.table.disk_log import disk_log
from support.table.table_harness import TableHarness
from support.table.table_side import SOON, calling, shoving
from table.hand_records.recorded_session import (
    CALLBACK,
    RULES,
    TOKEN,
    hand_events,
    payload,
    record_input,
    recorded_session,
)


class TestContent:
    async def test_a_record_agrees_with_the_public_hand(self, played: TableHarness) -> None:
        """In button, stacks, scores, decisions, and every card that was shown."""
        shown_hands = 0
        for number in range(1, 13):
            record = await played.host.hand_record(record_input(number))
            (started,) = hand_events(played, number, "hand_started")
            assert record.button_seat == payload(started)["buttonSeat"]
            seats = [seat.model_dump(mode="json") for seat in record.players]
            assert seats == payload(started)["players"]
            assert record.epoch == started.epoch
            assert (record.hand_number, record.table_id) == (number, "t1")
            taken = [payload(event) for event in hand_events(played, number, "action_taken")]
            assert len(record.decisions) == len(taken)
            for count, (decision, public) in enumerate(
                zip(record.decisions, taken, strict=True), 1
            ):
                thought = f"{decision.player_id} thinks of t1/{number}:{count}:1"
                assert decision.reasoning == thought
                assert decision.player_id == public["playerId"]
                assert decision.betting_round == public["bettingRound"]
                assert decision.action["action_type"] == public["action"]
                assert decision.action.get("amount", public.get("amount")) == public.get("amount")
                assert decision.outcome == public["outcome"]
                assert decision.message == public.get("message")
            (completed,) = hand_events(played, number, "hand_completed")
            before = {seat.player_id: seat.stack for seat in record.players}
            after = {one["playerId"]: one["stack"] for one in payload(completed)["stacks"]}
            assert {one: after[one] - before[one] for one in after} == record.scores
            assert sum(record.scores.values()) == 0
            holes = {one.player_id: one.cards for one in record.hole_cards}
            for hand in payload(completed)["shown"]:
                cards = tuple(map(Card.model_validate, hand["cards"]))
                assert holes[hand["playerId"]] == cards
                shown_hands += 1
            board = tuple(map(Card.model_validate, payload(completed)["communityCards"]))
            assert record.odds[-1].community_cards == board
        assert shown_hands

    async def test_the_deck_has_the_cards_in_the_order_of_the_deal(
        self, played: TableHarness
    ) -> None:
        """One each from left of the button, twice; then burn cards and board."""
        seen = {
            (request.hand_number, request.player_id): tuple(request.hole_cards)
            for player in played.players
            for request in player.asked
        }
        for number in range(1, 13):
            record = await played.host.hand_record(record_input(number))
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

    async def test_odds_are_those_of_the_players_in_the_hand(self, log: Log) -> None:
        """On every dealt street; folded cards are dead."""
        harness = await recorded_session(log, maxHands=40)
        streets = set()
        for number in range(1, 41):
            record = await harness.host.hand_record(record_input(number))
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
        await harness.host.stop()

    async def test_a_record_is_reproducible_and_has_no_seed(self, played: TableHarness) -> None:
        first = await played.host.hand_record(record_input(5))
        assert first == await played.host.hand_record(record_input(5))
        text = first.model_dump_json()
        assert "seed" not in text
        assert "the record" not in text

    async def test_amounts_are_those_of_the_wire(self, log: Log) -> None:
        harness = await recorded_session(
            log,
            smallBlind=0.05,
            bigBlind=0.1,
            startingStack=20.5,
            minBuyIn=1,
            maxBuyIn=400,
        )
        record = await harness.host.hand_record(record_input(1))
        (completed,) = hand_events(harness, 1, "hand_completed")
        after = {one["playerId"]: one["stack"] for one in payload(completed)["stacks"]}
        assert [seat.stack for seat in record.players] == [200] * 4
        won = {one.player_id: after[one.player_id] - one.stack for one in record.players}
        assert record.scores == pytest.approx(won)
        raised = [one.action["amount"] for one in record.decisions if "amount" in one.action]
        reported = [payload(one) for one in hand_events(harness, 1, "action_taken")]
        assert raised == [one["amount"] for one in reported if one["action"] in {"bet", "raise"}]
        await harness.host.stop()


async def test_the_entrypoint_returns_or_refuses_a_record() -> None:
    harness = await recorded_session(MemoryLog(), maxHands=1)
    agent = table_agent(harness.host, "Table", "1", TableRules(harness.host, None))
    card = harness.network.add("table", agent)
    table = await harness.network.client().resolve(card, timeout=SOON)
    record = await table.call("handRecord", record_input(1), HandRecord, timeout=SOON, token=TOKEN)
    assert record == await harness.host.hand_record(record_input(1))
    with pytest.raises(RemoteRefused) as raised:
        await table.call("handRecord", record_input(1), HandRecord, timeout=SOON, token="guess")
    assert raised.value.reason == "FORBIDDEN"
    await harness.host.stop()


async def test_records_are_made_during_play(tmp_path: Path) -> None:
    """Two concurrent calls; the session ends as without them."""
    harness = TableHarness(disk_log(tmp_path / "log"))
    await harness.begin(
        shoving, calling, calling, rules={**RULES, "maxHands": 30}, casinoCallback=CALLBACK
    )
    await harness.host.start(StartGameInput())
    await harness.until(lambda: harness.events("hand_completed"))
    asked = [harness.host.hand_record(record_input(1)) for _ in range(2)]
    one, other = await asyncio.gather(*asked)
    assert isinstance(one, HandRecord)
    assert one == other
    assert (await harness.end()).hand_count == 30
    await harness.host.stop()
