"""With `decks`, cards repeat: an odd number of decks is played from both positions by two seats."""

from pathlib import Path
from typing import Any

import pytest
from casino_contracts import (
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    StartGameInput,
    TableConfig,
)
from support.players.any_player import AnyPlayer, noticed
from support.table.disk_log import CutLog, disk_log, kill
from support.table.table_harness import ANY_GAME_RULES, TableHarness
from support.table.table_side import CONFIG, configuring, seating

DECKS = 3
HANDS = 2 * DECKS
GAMES = ("texas-holdem", "kuhn_poker", "leduc_poker", "simple_card")
BOARD = {"texas-holdem": "community_cards", "leduc_poker": "public_card"}


def to_the_end(request: GameActionRequest) -> GameActionResponse:
    """Check or call, so that every hand is shown down."""
    free = ("CHECK", "CALL", "STAND")
    kinds = {str(offer["action_type"]).upper(): offer for offer in request.available_actions}
    action = next((kinds[kind] for kind in free if kind in kinds), request.available_actions[-1])
    return GameActionResponse(action={k: v for k, v in action.items() if k not in {"min", "max"}})


async def seated(harness: TableHarness, game_type: str, **rules: Any) -> list[list[HandNotice]]:
    """Configure a table for two, and seat two; returns the notices that they get."""
    given = {
        **CONFIG,
        **ANY_GAME_RULES,
        "maxSeats": 2,
        "maxHands": HANDS,
        "decks": DECKS,
        "paceMs": 50,
        **rules,
    }
    await harness.host.configure(configuring(gameType=game_type, config=given))
    received = []
    for number in range(2):
        agent, notices = noticed(AnyPlayer(f"P{number}", to_the_end))
        card = harness.network.add(f"p{number}", agent)
        await harness.host.register(seating(number, card, playsAnyGame=True, startingStack=400))
        received.append(notices)
    return received


def cards(notices: list[HandNotice]) -> dict[int, Any]:
    """Return the player's own cards of each hand, as they were dealt: as its first notice has them.

    A table that was killed sends a notice again, with the cards that were dealt since.
    """
    return {
        one.hand_number: one.state["private"]
        for one in reversed(notices)
        if one.kind == "dealt" and one.state is not None
    }


def boards(notices: list[HandNotice], key: str) -> dict[int, Any]:
    """Return the common cards at the end of each hand."""
    return {
        one.hand_number: one.result["public"][key]
        for one in notices
        if one.kind == "completed" and one.result is not None
    }


@pytest.mark.parametrize("game_type", GAMES)
async def test_each_deck_is_played_from_both_positions(game_type: str, tmp_path: Path) -> None:
    """Each deck comes again, exchanged, in another order; also after the table was killed."""
    log = CutLog(tmp_path / "log")
    harness = TableHarness(log)
    ours, theirs = await seated(harness, game_type)
    await harness.host.start(StartGameInput())
    await harness.until(lambda: len(harness.events("hand_completed")) >= DECKS - 1)
    await kill(harness.host, log)
    await harness.resume(disk_log(tmp_path / "log"))
    await harness.end()
    await harness.host.notices.wait()
    mine, other = cards(ours), cards(theirs)
    assert set(mine) == set(other) == set(range(1, HANDS + 1))
    config = TableConfig.model_validate({**CONFIG, "decks": DECKS})
    again = {config.deck_of(number): number for number in range(DECKS + 1, HANDS + 1)}
    assert set(again) == set(range(1, DECKS + 1))
    for number in range(1, DECKS + 1):
        assert mine[number] == other[again[number]]
        assert other[number] == mine[again[number]]
    assert len({str((mine[number], other[number])) for number in mine}) > 1
    if game_type in BOARD:
        board = boards(ours, BOARD[game_type])  # one notice may be lost with the process
        pairs = [(board[n], board[again[n]]) for n in board if board.keys() >= {again.get(n)}]
        assert len(pairs) >= DECKS - 1
        assert all(first and first == second for first, second in pairs)
    await harness.host.stop()


async def test_without_decks_no_deck_repeats() -> None:
    harness = TableHarness()
    ours, _ = await seated(harness, "texas-holdem", decks=None)
    await harness.play()
    await harness.host.notices.wait()
    assert len({str(one) for one in cards(ours).values()}) == HANDS
    await harness.host.stop()
