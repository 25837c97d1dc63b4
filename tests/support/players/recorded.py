"""Hands that were really played in this process, as the public events of a table."""

import random
from typing import Any

from casino_contracts import ActionRequest, ActionResponse, GameActionRequest, GameActionResponse

from support.players.any_player import wild
from support.table.any_game_harness import evening_of
from support.table.table_harness import TableHarness
from support.table.table_side import Decide

Event = dict[str, Any]


def lively(name: str, bold: float = 0.1) -> Decide:
    """Return a player that folds, calls, raises, shoves, talks and fails, all by a seed."""
    dice = random.Random(name)

    def decide(request: ActionRequest) -> ActionResponse:
        draw = dice.random()
        if draw < 0.03:
            raise RuntimeError("no answer")
        if draw < 0.3 and "fold" in request.legal_actions:
            return ActionResponse(action="fold", message="not this time")
        if draw > 1 - bold and "all-in" in request.legal_actions:
            return ActionResponse(action="all-in")
        if draw > 0.7 and request.min_raise_to is not None:
            kind = "bet" if "bet" in request.legal_actions else "raise"
            return ActionResponse.model_validate({"action": kind, "amount": request.min_raise_to})
        return ActionResponse(action="check" if "check" in request.legal_actions else "call")

    return decide


async def played(players: int, *, bold: float = 0.1, hands: int = 60, **rules: Any) -> list[Event]:
    """Play a session of lively players; returns its public events."""
    evening = TableHarness()
    decides = [lively(f"{players} {bold} {number}", bold) for number in range(players)]
    given = {"maxHands": hands, "maxSeats": 10, "maxTimeouts": 2, **rules}
    await evening.begin(*decides, rules=given)
    await evening.play()
    await evening.host.stop()
    return [_public(event.model_dump(mode="json")) for event in evening.lobby.events]


def talkative(request: GameActionRequest) -> GameActionResponse:
    """Play any game, now and then with a word, and fail sometimes."""
    dice = random.Random(request.request_id + "?")
    if dice.random() < 0.05:
        raise RuntimeError("no answer")
    says = "well then" if dice.random() < 0.2 else None
    return wild(request).model_copy(update={"message": says})


async def played_any(game_type: str, players: int, hands: int = 12, **rules: Any) -> list[Event]:
    """Play a session of another game; returns its public events."""
    evening, _ = await evening_of(game_type, *[talkative] * players, maxTimeouts=3, **rules)
    await evening.play(maxHands=hands)
    await evening.host.stop()
    return [_public(event.model_dump(mode="json")) for event in evening.lobby.events]


def _public(event: Event) -> Event:
    payload = event.get("payload") or {}
    shown = {key: value for key, value in payload.items() if key != "agentCardUrl"}
    return {**event, "payload": shown}


def hand(events: list[Event], number: int) -> list[Event]:
    """Return the events of one hand."""
    return [event for event in events if event.get("handId") == f"t1/{number}"]


def completed(events: list[Event]) -> list[Event]:
    """Return completed hands as the lobby lists them, the newest first."""
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
