"""A folded hand stays secret: no card that was not shown is in any event or log line."""

import io
import json
import logging
import random
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from casino_agentkit import configure_logs
from casino_contracts import ActionRequest, ActionResponse, Card, HandRecordInput
from casino_table.app import SECRET_KEYS
from prometheus_client import generate_latest
from support.table.table_harness import TableHarness
from support.table.table_side import Decide, configuring


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Collect everything that is logged, debug lines too."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    configure_logs("table", level="DEBUG", secret_keys=SECRET_KEYS, stream=stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lively(name: str) -> Decide:
    """Return a player that folds, calls, raises and fails, all by a seed."""
    dice = random.Random(name)

    def decide(request: ActionRequest) -> ActionResponse:
        draw = dice.random()
        if draw < 0.05:
            raise RuntimeError("I lost my cards")
        if draw < 0.35 and "fold" in request.legal_actions:
            return ActionResponse(action="fold", reasoning=f"holding {request.hole_cards}")
        if draw > 0.8 and request.min_raise_to is not None:
            kind = "bet" if "bet" in request.legal_actions else "raise"
            return ActionResponse.model_validate({"action": kind, "amount": request.min_raise_to})
        if draw > 0.97:
            return ActionResponse(action="raise", amount=1)
        return ActionResponse(action="check" if "check" in request.legal_actions else "call")

    return decide


def cards_in(value: Any) -> set[Card]:
    """Return every card that stands anywhere in JSON."""
    if isinstance(value, dict):
        if value.keys() == {"rank", "suit"}:
            return {Card.model_validate(value)}
        return set().union(*map(cards_in, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(cards_in, value))
    if isinstance(value, Card):
        return {value}
    return set()


async def test_no_unshown_card_leaves_the_table() -> None:
    """Over two hundred hands with folds, showdowns, all-ins, failures and table talk."""
    evening = TableHarness()
    decides = [lively(f"player {number}") for number in range(5)]
    await evening.begin(*decides, rules={"maxHands": 200, "rebuy": "auto", "seed": "opensesame"})
    await evening.play()
    await evening.host.stop()

    holes: dict[tuple[int, str], set[Card]] = {}
    for player in evening.players:
        for request in player.asked:
            key = (request.hand_number or 0, request.player_id or "")
            holes[key] = set(request.hole_cards)
    shown: dict[tuple[int, str], set[Card]] = {}
    told: dict[int, set[Card]] = {}
    texts: dict[int, str] = {}
    for event in evening.lobby.events:
        payload = event.payload or {}
        number = payload.get("handNumber", 0)
        told.setdefault(number, set()).update(cards_in(payload))
        texts[number] = texts.get(number, "") + event.message
        for hand in payload.get("shown", ()):
            shown[number, hand["playerId"]] = cards_in(hand["cards"])

    assert len(shown) > 50, "hands are shown"
    assert len(holes) - len(shown) > 200, "and many stay secret"
    for (number, player_id), secret in holes.items():
        if (number, player_id) in shown:
            assert shown[number, player_id] == secret
        else:
            assert not secret & told[number], (number, player_id)
            assert not any(card.text in texts[number].split() for card in secret)


async def test_the_log_names_no_hole_card_and_no_seed(log: io.StringIO) -> None:
    """Not even where a player fails and a traceback is written."""
    evening = TableHarness()
    decides = [lively(f"player {number}") for number in range(3)]
    await evening.begin(*decides, rules={"maxHands": 60, "rebuy": "auto", "seed": "opensesame"})
    await evening.play()
    await evening.host.stop()
    written = log.getvalue()
    assert "failed" in written, "something was logged"
    assert "opensesame" not in written
    for line in written.splitlines():
        assert not cards_in(json.loads(line))
        assert '"rank"' not in line


async def test_a_record_in_the_log_names_no_card_and_no_thought(log: io.StringIO) -> None:
    """Whoever logs one by mistake tells nothing that was not shown."""
    evening = TableHarness()
    callback = {**configuring().casino_callback.model_dump(), "secret": "open sesame"}
    decides = [lively(f"player {number}") for number in range(3)]
    await evening.begin(*decides, rules={"maxHands": 3, "seed": "s"}, casinoCallback=callback)
    await evening.play()
    for number in (1, 2, 3):
        given = HandRecordInput(hand_id=f"t1/{number}")
        record = await evening.host.hand_record(given)
        structlog.get_logger().info("asked", given=given, record=record)
    await evening.host.stop()
    written = log.getvalue()
    assert '"asked"' in written
    assert "sesame" not in written
    assert "holding" not in written
    for line in written.splitlines():
        assert not cards_in(json.loads(line))


async def test_the_metrics_name_no_player_and_no_card() -> None:
    """They are counts."""
    evening = TableHarness()
    await evening.begin(*[lively(f"player {number}") for number in range(3)])
    await evening.play()
    await evening.host.stop()
    page = generate_latest(evening.registry).decode()
    assert "casino_hands_total 10.0" in page
    assert "Player" not in page
    labels = {line.partition("{")[2].partition("}")[0] for line in page.splitlines()}
    assert {label.partition("=")[0] for label in labels} <= {"", "outcome", "le"}
