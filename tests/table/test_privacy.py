"""Cards that were not shown are in no event, log line or metric."""

import io
import json
from collections.abc import Iterator

import pytest
import structlog
from casino_contracts import Card, HandRecordInput
from casino_table.app import SECRET_KEYS
from prometheus_client import generate_latest
from support.captured_log import captured_log
from support.casino.leak_auditor import cards_in
from support.players.holdem_players import lively
from support.table.table_harness import TableHarness
from support.table.table_side import configuring


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with captured_log("table", SECRET_KEYS) as stream:
        yield stream


async def test_events_have_no_unshown_card() -> None:
    """In a hundred hands with folds, showdowns, all-ins, failures and messages."""
    harness = TableHarness()
    decides = [lively(f"player {number}") for number in range(5)]
    await harness.begin(*decides, rules={"maxHands": 100, "rebuy": "auto", "seed": "opensesame"})
    await harness.play()
    await harness.host.stop()

    holes: dict[tuple[int, str], set[Card]] = {}
    for player in harness.players:
        for request in player.asked:
            key = (request.hand_number or 0, request.player_id or "")
            holes[key] = set(request.hole_cards)
    shown: dict[tuple[int, str], set[Card]] = {}
    reported: dict[int, set[Card]] = {}
    texts: dict[int, str] = {}
    for event in harness.lobby.events:
        payload = event.payload or {}
        number = payload.get("handNumber", 0)
        reported.setdefault(number, set()).update(cards_in(payload))
        texts[number] = texts.get(number, "") + event.message
        for hand in payload.get("shown", ()):
            shown[number, hand["playerId"]] = set(cards_in(hand["cards"]))

    assert len(shown) > 25, "hands are shown"
    assert len(holes) - len(shown) > 100, "and many stay secret"
    for (number, player_id), secret in holes.items():
        if (number, player_id) in shown:
            assert shown[number, player_id] == secret
        else:
            assert not secret & reported[number], (number, player_id)
            assert not any(card.text in texts[number].split() for card in secret)


async def test_log_and_metrics_have_no_card_no_seed_and_no_player(log: io.StringIO) -> None:
    """Neither in tracebacks, nor where a hand record is logged."""
    harness = TableHarness()
    callback = {**configuring().casino_callback.model_dump(), "secret": "open sesame"}
    decides = [lively(f"player {number}") for number in range(3)]
    rules = {"maxHands": 60, "rebuy": "auto", "seed": "opensesame"}
    await harness.begin(*decides, rules=rules, casinoCallback=callback)
    await harness.play()
    for number in (1, 2, 3):
        given = HandRecordInput(hand_id=f"t1/{number}")
        record = await harness.host.hand_record(given)
        structlog.get_logger().info("asked", given=given, record=record)
    await harness.host.stop()
    written = log.getvalue()
    assert "failed" in written, "something was logged"
    assert '"asked"' in written
    for secret in ("sesame", "holding", '"rank"'):
        assert secret not in written
    for line in written.splitlines():
        assert not cards_in(json.loads(line))
    page = generate_latest(harness.registry).decode()
    assert "casino_hands_total 60.0" in page
    assert "Player" not in page
    labels = {line.partition("{")[2].partition("}")[0] for line in page.splitlines()}
    assert {label.partition("=")[0] for label in labels} <= {"", "outcome", "le", "kind", "reason"}
