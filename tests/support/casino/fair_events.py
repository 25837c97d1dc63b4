"""Events of a fair deal as a table sends them, made with the pure functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from casino_agentkit.canonical_json import encoded
from casino_agentkit.fair_deal import PROTOCOL, DeckPlan, commitment_to, committed_hand
from casino_contracts import ContributeInput, ContributeOutput, TableEvent
from casino_lobby.domain.deal_book import contribution_of
from casino_lobby.domain.room import Room

from support.casino.store_side import EventFactory

ADA = b"a" * 32
"""What the player p0 adds to each block."""
PLAN = DeckPlan(52, (2, 2, 3, 1, 1))


def block_of(room: Room, number: int) -> str:
    return f"{room.table_id}/{room.epoch}/{number}"


def asked(room: Room, block: str, **more: Any) -> ContributeOutput:
    """Ask the lobby without a call."""
    return contribution_of(room, ContributeInput(table_id=room.table_id, block=block, **more))


def committed_to(
    room: Room, number: int = 1, first: int = 1, hands: int = 2, secret: bytes = b"s" * 32
) -> dict[str, Any]:
    """Return a commitment of the room's table to a block, with the lobby's part and that of p0."""
    block = block_of(room, number)
    roots = [committed_hand(secret, block, first + hand, PLAN) for hand in range(hands)]
    return {
        "protocol": PROTOCOL,
        "block": block,
        "gameType": "texas-holdem",
        "firstHand": first,
        "cards": PLAN.cards,
        "leaves": list(PLAN.leaves),
        "seats": ["p0", "p1"],
        "commitments": [
            {"commitment": asked(room, block).commitment},
            {"playerId": "p0", "commitment": commitment_to(ADA)},
        ],
        "roots": encoded(b"".join(roots)),
    }


def contributed_to(
    room: Room, commitment: Mapping[str, Any], missing: Sequence[Mapping[str, str]] = ()
) -> dict[str, Any]:
    """Return what the lobby and p0, unless it is missing, have added to a block."""
    block = commitment["block"]
    entropy = asked(room, block, commitment=commitment).entropy
    contributions = [{"entropy": entropy}]
    if missing:
        return {"block": block, "contributions": contributions, "missing": list(missing)}
    contributions.append({"playerId": "p0", "entropy": encoded(ADA)})
    return {"block": block, "contributions": contributions}


def fair_hand(factory: EventFactory, number: int, block: str) -> list[TableEvent]:
    """Return the events of a hand whose end opens its deck; the lobby does not check it."""
    *events, completed = factory.hand(number, {"p0": 200 + number, "p1": 200 - number})
    opening = {"block": block, "audit": encoded(b"d" * 32), "secret": encoded(b"p" * 32)}
    payload = {**(completed.payload or {}), "opening": opening}
    return [*events, completed.model_copy(update={"payload": payload})]
