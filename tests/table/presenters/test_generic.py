"""Every registered game is played at a table, and chips are conserved."""

import re
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    HandRecordInput,
    StartGameInput,
    TableEvent,
)
from casino_contracts.events.content import KINDS
from casino_games import game_types, specification
from casino_table.play.game_presenter import named
from support.players.any_player import AnyPlayer, wild, wrong
from support.table.disk_log import CutLog, disk_log, kill
from support.table.table_harness import TableHarness, any_game_harness, counts
from support.table.table_side import calling, configuring, seating

PAYLOAD_OF = {name: kind.of_games or kind.payload for name, kind in KINDS.items()}


def _payload(event: TableEvent) -> dict[str, Any]:
    return event.payload or {}


CASES = [(game_type, seats) for game_type in game_types() for seats in counts(game_type)]


@pytest.mark.parametrize(("game_type", "seats"), CASES)
class TestEveryGame:
    async def test_a_session_conserves_chips(self, game_type: str, seats: int) -> None:
        """Stacks plus the bank's winnings are what was bought, and no legal action is refused."""
        harness, players = await any_game_harness(game_type, *[wild] * seats)
        summary = await harness.play()
        assert (summary.status, summary.hand_count) == ("idle", 12)
        bank = sum(one.get("house", 0) for one in harness.payloads("hand_completed"))
        bought = sum(one["amount"] for one in harness.payloads("rebought"))
        assert sum(seat.stack for seat in summary.players) == 400 * seats + bought - bank
        outcomes = {one["outcome"] for one in harness.payloads("action_taken")}
        assert outcomes == {"ok"}
        assert all(player.asked for player in players)
        for event in harness.events("hand_completed"):
            scores, won = _payload(event).get("scores", {}), _payload(event).get("house", 0)
            is_bank = won > 0 and not any(score > 0 for score in scores.values())
            assert event.message.endswith(f": the bank wins {won:g}") is is_bank
        version = specification(game_type).version
        assert {one.spec_version for player in players for one in player.asked} == {version}

    async def test_every_payload_matches_the_contract(self, game_type: str, seats: int) -> None:
        if game_type == "texas-holdem":
            pytest.skip("has its own chapter")
        harness, _ = await any_game_harness(game_type, *[wild] * seats)
        await harness.play(maxHands=3)
        for event in harness.lobby.events:
            PAYLOAD_OF[event.event_type].model_validate(event.payload)

    async def test_an_illegal_action_becomes_the_default(self, game_type: str, seats: int) -> None:
        """After a second attempt, which has the reason."""
        decides = [wrong, *[wild] * (seats - 1)]
        harness, players = await any_game_harness(game_type, *decides, maxTimeouts=10_000)
        summary = await harness.play(maxHands=4)
        assert summary.hand_count == 4
        second = next(one for one in players[0].asked if one.rejected)
        assert second.rejected is not None
        assert second.rejected.reason == "illegal"
        reported = harness.payloads("action_taken")
        of_p0 = [one for one in reported if one["playerId"] == "p0"]
        assert {one["outcome"] for one in of_p0} == {"illegal"}
        reasons = {one.rejected.message[:300] for one in players[0].asked if one.rejected}
        assert {one["reason"] for one in of_p0} == reasons

    async def test_a_restart_in_the_middle_changes_nothing(
        self, game_type: str, seats: int, tmp_path: Path
    ) -> None:
        whole, _ = await any_game_harness(game_type, *[wild] * seats)
        await whole.play(maxHands=6)
        log = CutLog(tmp_path / "journal", at=10)
        harness, _ = await any_game_harness(game_type, *[wild] * seats, log=log)
        await harness.host.start(StartGameInput(max_hands=6))
        await kill(harness.host, log)
        await harness.resume(disk_log(tmp_path / "journal"))
        await harness.end()
        assert harness.timeless_events() == whole.timeless_events()
        await harness.host.stop()

    async def test_a_record_has_hidden_states_decisions_and_scores(
        self, game_type: str, seats: int
    ) -> None:
        """Private states or hole cards, reasoning, and the paid scores."""
        harness, _ = await any_game_harness(game_type, *[wild] * seats)
        await harness.play(maxHands=3)
        record = await harness.host.hand_record(HandRecordInput(hand_id="t1/2"))
        assert record.game_type == game_type
        assert record.private_states or record.hole_cards
        taken = [e.payload or {} for e in harness.events("action_taken") if e.hand_id == "t1/2"]
        assert [one.player_id for one in record.decisions] == [one["playerId"] for one in taken]
        assert {one.reasoning for one in record.decisions} <= {"why not"}
        assert sum(record.scores.values()) == 0


@pytest.mark.parametrize(
    ("game_type", "seats", "told"),
    [
        ("blackjack", 3, r"The dealer has (\d+( and busts)?|blackjack)\.|Nobody has bet\."),
        ("leduc_poker", 2, r"(Player \d folds: the|Showdown: the) pot of \d+ .+\."),
        ("roulette", 3, r"The ball falls on \d+, (red|black|green)\."),
        ("simple_card", 3, r"(Player \d|Nobody) takes trick 3\."),
    ],
)
async def test_a_game_tells_spectators_how_it_is_in_sentences(
    game_type: str, seats: int, told: str
) -> None:
    """Of the game's own, with names; a name in braces stays one."""
    harness, _ = await any_game_harness(game_type, *[wild] * seats)
    await harness.play()
    for payload in harness.payloads("hand_completed"):
        assert re.fullmatch(told, " ".join(payload["told"]))
    for payload in harness.payloads("hand_started", "action_taken"):
        assert "{" not in "".join(payload["told"])
    assert named("{b} beats {a} and {c}", {"a": "{b}", "b": "Bob"}) == "Bob beats {b} and c"


async def test_invalid_game_settings_are_refused_with_their_path() -> None:
    """Unknown ones, invalid ones, and those that the table sets itself."""
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
    """Seven seats at one deck of blackjack could run out of cards."""
    rules = {**_two(), "maxSeats": 7}
    with pytest.raises(CommandRefused) as refused:
        await TableHarness().host.configure(
            configuring(gameType="blackjack", gameConfig={"decks": 1}, config=rules)
        )
    assert refused.value.reason == "INVALID_GAME_CONFIG"
    assert refused.value.violations[0].field == "gameConfig"


async def test_a_room_with_more_seats_than_the_game_is_refused() -> None:
    with pytest.raises(CommandRefused) as refused:
        await TableHarness().host.configure(configuring(gameType="kuhn_poker"))
    assert refused.value.violations[0].field == "maxSeats"


async def test_generic_and_holdem_players_share_a_hand() -> None:
    harness = TableHarness()
    await harness.begin(calling, calling, rules={"rebuy": "auto"})
    player = AnyPlayer("Any")
    card = harness.network.add("any", player.agent())
    await harness.host.register(seating(9, card, playsAnyGame=True))
    summary = await harness.play(maxHands=5)
    assert summary.hand_count == 5
    assert player.asked[0].game_type == "texas-holdem"
    assert set(player.asked[0].state) == {"public", "private"}
    assert harness.players[0].asked[0].hole_cards


def _two() -> dict[str, Any]:
    return {**configuring().config.model_dump(mode="json"), "maxSeats": 2}
