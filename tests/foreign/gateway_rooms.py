"""Rooms for clients of the gateway: opening, waiting, and what the lobby has on record of them."""

from typing import Any

from casino_contracts import TableEvent
from casino_contracts.table_commands import TableSummary
from support.casino.casino import GAME_RULES, ProcessCasino
from support.processes import PATIENCE_S, eventually


async def open_room(casino: ProcessCasino, room_id: str, game_type: str, **rules: Any) -> None:
    """Open a room on a hosted table, whose specification the lobby has: players have 8 s for it."""
    await casino.open_room(
        {
            "roomId": room_id,
            "gameType": game_type,
            "config": {**GAME_RULES, "actionTimeoutMs": 20_000, **rules},
            "tableAgentCardUrl": casino.take_table(),
        }
    )
    await casino.http.get(f"/api/games/{game_type}/spec", timeout=PATIENCE_S)


async def seat(casino: ProcessCasino, room_id: str, *cards: str) -> None:
    for card in cards:
        seated = await casino.seat(card, room_id)
        assert seated.is_success, seated.text


async def start_with(casino: ProcessCasino, room_id: str, seats: int) -> None:
    """Start a room once this many have sat down."""

    async def seated() -> TableSummary | None:
        summary = (await casino.room(room_id)).summary
        return summary if summary is not None and len(summary.players) >= seats else None

    summary = await eventually(seated)
    if summary and summary.status == "waiting":  # else it has started by itself
        await casino.http.post(f"/v1/rooms/{room_id}/start", json={})


async def record(casino: ProcessCasino, room_id: str, hands: int) -> list[TableEvent]:
    """Return the events of a finished room, in which each decision was its player's own.

    No chip was made or lost.
    """
    await casino.until("idle", room_id=room_id)
    audit = await casino.audit(room_id)
    assert len(audit.completed) == hands
    outcomes = await casino.outcomes(room_id)
    assert outcomes
    assert all(set(of_player) == {"ok"} for of_player in outcomes.values()), outcomes
    return await casino.events(room_id)


def decisions(events: list[TableEvent]) -> dict[str, int]:
    """Return how often each player has decided, by display name."""
    names: dict[str, str] = {}
    counted: dict[str, int] = {}
    for event in events:
        payload = event.payload or {}
        if event.event_type == "player_registered":
            names[payload["playerId"]] = payload["displayName"]
            counted.setdefault(payload["displayName"], 0)
        elif event.event_type == "action_taken":
            counted[names[payload["playerId"]]] += 1
    return counted
