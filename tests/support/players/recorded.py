"""Public events of sessions that are played in this process, or were recorded."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casino_contracts import GameActionRequest, GameActionResponse

from support.players.any_player import wild
from support.players.holdem_players import lively
from support.table.table_harness import TableHarness, any_game_harness

Event = dict[str, Any]

_RECORDED = Path(__file__).parents[2] / "web" / "sessions"


def recorded(game_type: str = "texas-holdem") -> list[Event]:
    """Return the public events of a recorded session: of Hold'em 8 hands of five players."""
    lines = (_RECORDED / f"{game_type}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


async def played(players: int, *, bold: float = 0.1, hands: int = 60, **rules: Any) -> list[Event]:
    """Play a session of lively players; returns its public events."""
    harness = TableHarness()
    decides = [lively(f"{players} {bold} {number}", all_in=bold) for number in range(players)]
    given = {"maxHands": hands, "maxSeats": 10, "maxTimeouts": 2, **rules}
    await harness.begin(*decides, rules=given)
    await harness.play()
    await harness.host.stop()
    return [_public(event.model_dump(mode="json")) for event in harness.lobby.events]


def talkative(request: GameActionRequest) -> GameActionResponse:
    """Play any game, with occasional messages and failures."""
    dice = random.Random(request.request_id + "?")
    if dice.random() < 0.05:
        raise RuntimeError("no answer")
    says = "well then" if dice.random() < 0.2 else None
    return wild(request).model_copy(update={"message": says})


async def played_any(game_type: str, players: int, hands: int = 12, **rules: Any) -> list[Event]:
    """Play a session of another game; returns its public events."""
    harness, _ = await any_game_harness(game_type, *[talkative] * players, maxTimeouts=3, **rules)
    await harness.play(maxHands=hands)
    await harness.host.stop()
    return [_public(event.model_dump(mode="json")) for event in harness.lobby.events]


def _public(event: Event) -> Event:
    payload = event.get("payload") or {}
    shown = {key: value for key, value in payload.items() if key != "agentCardUrl"}
    return {**event, "payload": shown}


def players_of(events: list[Event]) -> list[Event]:
    """Return the players that sat down."""
    return [event["payload"] for event in events if event["eventType"] == "player_registered"]


def hand(events: list[Event], number: int) -> list[Event]:
    """Return the events of one hand."""
    return [event for event in events if event.get("handId") == f"t1/{number}"]


def completed(events: list[Event]) -> list[Event]:
    """Return completed hands as the lobby lists them, newest first."""
    hands = [
        {
            "handId": event["handId"],
            "epoch": event["epoch"],
            "lastSequence": event["sequence"],
            "timestamp": event["timestamp"],
            "message": event["message"],
            **event["payload"],
        }
        for event in events
        if event["eventType"] == "hand_completed"
    ]
    return hands[::-1]


def room(
    events: Sequence[Event], players: Sequence[Event], game: str = "texas-holdem", **config: Any
) -> dict[str, Any]:
    """Return a room's snapshot with these newest events."""
    rules = {"startingStack": 200, "smallBlind": 1, "bigBlind": 2, "minBuyIn": 40, "maxBuyIn": 400}
    return {
        "roomId": "main",
        "tableId": "main",
        "gameType": game,
        "tableAgentCardUrl": "http://table/",
        "config": {**rules, "maxHands": 100, "maxSeats": 6, "actionTimeoutMs": 10_000, **config},
        "epoch": 1,
        "events": list(events),
        "summary": {
            "tableId": "main",
            "status": "running",
            "handCount": sum(event["eventType"] == "hand_completed" for event in events),
            "players": list(players),
        },
    }
