"""Sessions of a room with a secret, whose hand records tests read."""

import random
from collections.abc import Callable
from typing import Any

from casino_agentkit import Caller, CommandRefused
from casino_contracts import ActionRequest, ActionResponse, HandRecordInput, RoomKey, TableEvent
from casino_table.journal.journal_log import Log
from casino_table.table_agent import TableRules
from support.table.table_harness import TableHarness

SECRET = "sesame street"
CALLBACK = {
    "agentCardUrl": "http://lobby/.well-known/agent-card.json",
    "eventSkill": "recordGameEvent",
    "secret": SECRET,
}
RULES = {"maxHands": 12, "maxSeats": 5, "rebuy": "auto", "seed": "the record"}
TOKEN = RoomKey(SECRET).table
"""The token with which the room's lobby calls the table."""


def talking(name: str) -> Callable[[ActionRequest], ActionResponse]:
    """Return a player that takes a legal action, with a message and a reasoning."""
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


def talking_players() -> list[Callable[[ActionRequest], ActionResponse]]:
    return [talking(f"p{number}") for number in range(4)]


async def recorded_session(log: Log, **rules: Any) -> TableHarness:
    """Return a table after a session of four players."""
    harness = TableHarness(log)
    await harness.begin(*talking_players(), rules={**RULES, **rules}, casinoCallback=CALLBACK)
    await harness.play()
    return harness


def record_input(number: int, table_id: str = "t1") -> HandRecordInput:
    return HandRecordInput(hand_id=f"{table_id}/{number}")


async def refusal(harness: TableHarness, request: HandRecordInput, token: str = TOKEN) -> str:
    try:
        TableRules(harness.host, None).recording.admit(Caller(token), request)
        await harness.host.hand_record(request)
    except CommandRefused as refused:
        return refused.reason
    return ""


def hand_events(harness: TableHarness, number: int, kind: str) -> list[TableEvent]:
    return [event for event in harness.events(kind) if event.hand_id == f"t1/{number}"]


def payload(event: TableEvent) -> dict[str, Any]:
    assert event.payload is not None
    return event.payload
