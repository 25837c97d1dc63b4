"""Rooms for clients of the gateway: opening, waiting, and what the lobby has on record of them."""

import json
import re
from collections import Counter, defaultdict
from typing import Any

import httpx
from casino_contracts import TableEvent
from casino_contracts.table import TableSummary
from support.casino.live import GAME_RULES, ProcessCasino
from support.processes import PATIENCE_S, eventually

Json = dict[str, Any]

_SECTION = r"^## {title}\n.*?^```json\n(.*?)^```"


async def open_room(casino: ProcessCasino, room_id: str, game_type: str, **rules: Any) -> None:
    """Open a room on a hosted table, whose specification the lobby has: players have 8 s for it."""
    body = {
        "roomId": room_id,
        "gameType": game_type,
        "config": {**GAME_RULES, "actionTimeoutMs": 20_000, **rules},
        "tableAgentCardUrl": casino.take_table(),
    }
    opened = await casino.http.post("/v1/rooms", json=body)
    assert opened.is_success, opened.text
    await casino.http.get(f"/api/games/{game_type}/spec", timeout=PATIENCE_S)


async def seat(casino: ProcessCasino, room_id: str, *cards: str) -> None:
    """Seat players by their cards."""
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


async def has_ended(casino: ProcessCasino, room_id: str, hands: int) -> None:
    """Wait until the lobby has recorded a room's last hand."""

    async def ended() -> bool:
        summary = (await casino.room(room_id)).summary
        return bool(summary and summary.status == "idle" and summary.hand_count >= hands)

    await eventually(ended)


async def record(casino: ProcessCasino, room_id: str, hands: int) -> list[TableEvent]:
    """Return the events of a finished room, once they show that no chip was made or lost."""
    await has_ended(casino, room_id, hands)
    events = await casino.events(room_id)
    stacks: dict[str, float] = {}
    bought = bank = 0.0
    completed = 0
    for event in events:
        reported = event.payload or {}
        if event.event_type == "player_registered":
            stacks[reported["playerId"]] = reported["stack"]
            bought += reported["stack"]
        elif reported.get("kind") == "rebought":
            stacks[reported["playerId"]] = reported["stack"]
            bought += reported["amount"]
        elif event.event_type == "hand_completed":
            completed += 1
            bank += reported.get("house", 0)
            stacks.update({one["playerId"]: one["stack"] for one in reported["stacks"]})
            assert sum(stacks.values()) == bought - bank, event
    assert completed == hands
    summary = (await casino.room(room_id)).summary
    assert summary is not None
    assert {one.player_id: one.stack for one in summary.players} == stacks
    return events


def outcomes(events: list[TableEvent]) -> dict[str, Counter[str]]:
    """Count the outcomes of each player's decisions."""
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for event in events:
        if event.event_type == "action_taken":
            taken = event.payload or {}
            counted[taken["playerId"]][taken["outcome"]] += 1
    return dict(counted)


def all_their_own(events: list[TableEvent]) -> None:
    """Check that every decision was the player's own, at the first attempt."""
    counted = outcomes(events)
    assert counted
    assert all(set(one) == {"ok"} for one in counted.values()), counted


def names(events: list[TableEvent]) -> dict[str, str]:
    """Return the players' ids by their display names."""
    seated = [event.payload or {} for event in events if event.event_type == "player_registered"]
    return {one["displayName"]: one["playerId"] for one in seated}


async def schemas(http: httpx.AsyncClient, game_type: str) -> dict[str, Json]:
    """Return the schemas of a game's served specification, by the titles of their sections."""
    document = (await http.get(f"/api/games/{game_type}/spec")).raise_for_status().text
    found: dict[str, Json] = {}
    for title in ("State Schema", "Action Schema", "Result Schema"):
        section = re.search(_SECTION.format(title=title), document, re.DOTALL | re.MULTILINE)
        assert section is not None, title
        found[title] = json.loads(section[1])
    return found


async def games(url: str) -> set[str]:
    """Return the games that a lobby lists."""
    async with httpx.AsyncClient(trust_env=False) as http:
        listed = (await http.get(f"{url}/api/games")).raise_for_status().json()["games"]
    return {game["gameType"] for game in listed}
