"""Every registered game at a table: the loop knows nothing of it, and chips add up."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    PAYLOADS,
    GameActedPayload,
    GameActionRequest,
    GameActionResponse,
    GameCompletedPayload,
    GameStartedPayload,
    HandRecordInput,
    StartGameInput,
    TableEvent,
    WireModel,
)
from casino_games import game_types, specification
from casino_table.journal.disk_log import DiskLog
from support.players.any_player import AnyPlayer, wild, wrong
from support.table.any_game_harness import counts, evening_of
from support.table.table_harness import TableHarness
from support.table.table_side import calling, configuring, seating

PAYLOAD_OF: dict[str, type[WireModel]] = {
    **dict(PAYLOADS.items()),
    "hand_started": GameStartedPayload,
    "action_taken": GameActedPayload,
    "hand_completed": GameCompletedPayload,
}


def _payload(event: TableEvent) -> dict[str, Any]:
    return event.payload or {}


CASES = [(game_type, seats) for game_type in game_types() for seats in counts(game_type)]


@pytest.mark.parametrize(("game_type", "seats"), CASES)
class TestEveryGame:
    """What holds for all of them."""

    async def test_a_session_is_played_and_adds_up(self, game_type: str, seats: int) -> None:
        """Stacks, the house and what was bought are one sum; nobody is refused anything legal."""
        evening, players = await evening_of(game_type, *[wild] * seats)
        summary = await evening.play()
        assert (summary.status, summary.hand_count) == ("idle", 12)
        house = sum(
            (event.payload or {}).get("house", 0) for event in evening.events("hand_completed")
        )
        bought = sum((event.payload or {}).get("amount", 0) for event in evening.events("rebought"))
        assert sum(seat.stack for seat in summary.players) == 400 * seats + bought - house
        outcomes = {(event.payload or {})["outcome"] for event in evening.events("action_taken")}
        assert outcomes == {"ok"}
        assert all(player.asked for player in players)
        version = specification(game_type).version
        assert {one.spec_version for player in players for one in player.asked} == {version}

    async def test_what_is_told_has_its_shape(self, game_type: str, seats: int) -> None:
        """Every payload is what the contract says, and nothing of a private state is in it."""
        if game_type == "texas-holdem":
            pytest.skip("has its own chapter")
        evening, _ = await evening_of(game_type, *[wild] * seats)
        await evening.play(maxHands=3)
        for event in evening.lobby.events:
            PAYLOAD_OF[event.event_type].model_validate(event.payload)

    async def test_nonsense_costs_only_the_default_action(self, game_type: str, seats: int) -> None:
        """One second attempt with the reason, then the safe action."""
        decides = [wrong, *[wild] * (seats - 1)]
        evening, players = await evening_of(game_type, *decides, maxTimeouts=10_000)
        summary = await evening.play(maxHands=4)
        assert summary.hand_count == 4
        second = next(one for one in players[0].asked if one.rejected)
        assert second.rejected is not None
        assert second.rejected.reason == "illegal"
        told = [event.payload or {} for event in evening.events("action_taken")]
        assert {one["outcome"] for one in told if one["playerId"] == "p0"} == {"illegal"}

    async def test_a_restart_in_the_middle_changes_nothing(
        self, game_type: str, seats: int, tmp_path: Path
    ) -> None:
        """The same questions by the same ids, the same result."""
        whole, _ = await evening_of(game_type, *[wild] * seats)
        await whole.play(maxHands=6)
        log, cut = DiskLog(tmp_path / "journal"), asyncio.Event()
        evening, players = await evening_of(game_type, *[wild] * seats, log=log)
        players[0].decide = _stopping(players[0].asked, 3, cut)
        await evening.host.start(StartGameInput(max_hands=6))
        await cut.wait()
        await _kill(evening, log)
        evening.host = evening.host_with(log=DiskLog(tmp_path / "journal"))
        await evening.host.resume()
        await evening.end()
        assert _told(evening) == _told(whole)
        await evening.host.stop()

    async def test_the_record_tells_everything(self, game_type: str, seats: int) -> None:
        """Private states or hole cards, who did what and why; scores as they were paid."""
        evening, _ = await evening_of(game_type, *[wild] * seats)
        await evening.play(maxHands=3)
        record = await evening.host.hand_record(HandRecordInput(hand_id="t1/2"))
        assert record.game_type == game_type
        assert record.private_states or record.hole_cards
        taken = [e.payload or {} for e in evening.events("action_taken") if e.hand_id == "t1/2"]
        assert [one.player_id for one in record.decisions] == [one["playerId"] for one in taken]
        assert {one.reasoning for one in record.decisions} <= {"why not"}
        assert sum(record.scores.values()) == 0


def _stopping(asked: list[Any], after: int, cut: asyncio.Event) -> Any:
    """Answer, and tell when that was often enough."""

    def decide(request: GameActionRequest) -> GameActionResponse:
        if len(asked) > after:
            cut.set()
        return wild(request)

    return decide


async def _kill(evening: TableHarness, log: DiskLog) -> None:
    now = evening.host._active
    assert now is not None
    for task in (now.playing, now.publishing):
        if task:
            task.cancel()
            await asyncio.wait([task])
    log.close()


def _told(evening: TableHarness) -> list[Any]:
    """Return the events without their times."""
    return [
        {**event.model_dump(mode="json"), "payload": {**(event.payload or {}), "latencyMs": 0}}
        for event in evening.lobby.events
    ]


async def test_settings_are_refused_with_their_path() -> None:
    """Unknown ones, impossible ones, and those that the table sets itself."""
    for game_config, field in (
        ({"nonsense": 1}, "gameConfig.nonsense"),
        ({"ante": 0}, "gameConfig.ante"),
        ({"stacks": [1, 2]}, "gameConfig.stacks"),
    ):
        with pytest.raises(CommandRefused) as refused:
            await TableHarness().host.configure(
                configuring(gameType="kuhn_poker", gameConfig=game_config, config=_two())
            )
        assert refused.value.reason == "INVALID_GAME_CONFIG"
        assert refused.value.violations[0].field == field


async def test_settings_that_cannot_be_played_by_all_seats_are_refused_at_once() -> None:
    """Seven at one deck of blackjack could run out of cards in the middle of a session."""
    rules = {**_two(), "maxSeats": 7}
    with pytest.raises(CommandRefused) as refused:
        await TableHarness().host.configure(
            configuring(gameType="blackjack", gameConfig={"decks": 1}, config=rules)
        )
    assert refused.value.reason == "INVALID_GAME_CONFIG"
    assert refused.value.violations[0].field == "gameConfig"


async def test_a_room_with_more_seats_than_the_game_is_refused() -> None:
    """Two can play Kuhn poker."""
    with pytest.raises(CommandRefused) as refused:
        await TableHarness().host.configure(configuring(gameType="kuhn_poker"))
    assert refused.value.violations[0].field == "maxSeats"


async def test_a_player_of_any_game_sits_among_those_of_holdem() -> None:
    """Each is asked in its own words in the same hand."""
    evening = TableHarness()
    await evening.begin(calling, calling, rules={"rebuy": "auto"})
    player = AnyPlayer("Any")
    card = evening.town.add("any", player.agent())
    await evening.host.register(seating(9, card, playsAnyGame=True))
    summary = await evening.play(maxHands=5)
    assert summary.hand_count == 5
    assert player.asked[0].game_type == "texas-holdem"
    assert set(player.asked[0].state) == {"public", "private"}
    assert evening.players[0].asked[0].hole_cards


def _two() -> dict[str, Any]:
    return {**configuring().config.model_dump(mode="json"), "maxSeats": 2}
