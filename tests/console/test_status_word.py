"""Rooms and hands are chosen by the words that the page and the messages have for them."""

import re
from typing import Any

import httpx
import pytest
from casino_contracts import Waiting, WaitReason
from support.console_side import casino

STATUSES = {
    "calm": ("waiting", None),
    "busy": ("running", None),
    "broken": ("error", None),
    "lost": ("running", "waits-for-table"),
    "thin": ("running", "paused"),
    "full": ("running", "disk-full"),
    "part": ("running", None),
    "gone": ("idle", "closed"),
    "dead": ("running", "failed"),
}


def waiting(reason: WaitReason) -> dict[str, Any]:
    return Waiting.of(reason, "2026-11-29T10:00:00Z").model_dump(mode="json", by_alias=True)


def answer(request: httpx.Request) -> httpx.Response:
    """Return the rooms with the status or state that is asked for."""
    wanted = request.url.params
    reasons = {"full": WaitReason.DISK_FULL, "part": WaitReason.PROVIDER_AWAY}
    rooms = [
        {
            "roomId": name,
            "tableId": "t",
            "gameType": "texas-holdem",
            "tableAgentCardUrl": "http://table",
            "status": status,
            "handCount": 0,
            "playerCount": 0,
            **({"state": state} if state else {}),
            **({"waits": [waiting(reasons[name])]} if name in reasons else {}),
        }
        for name, (status, state) in STATUSES.items()
        if wanted.get("status", status) == status and wanted.get("state", state) == state
    ]
    return httpx.Response(200, json={"rooms": rooms})


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ("waiting", {"calm": "waiting"}),
        ("playing", {"busy": "playing", "part": "playing"}),
        ("running", {"busy": "playing", "part": "playing"}),
        ("failed", {"broken": "failed", "dead": "failed"}),
        ("error", {"broken": "failed", "dead": "failed"}),
        ("no-table", {"lost": "no table"}),
        ("paused", {"thin": "paused"}),
        ("closed", {"gone": "closed"}),
        ("idle", {}),
    ],
)
async def test_rooms_are_chosen_by_a_word(chosen: str, found: dict[str, str]) -> None:
    ended = await casino("rooms", "--status", chosen, to=httpx.MockTransport(answer))
    _, *lines = ended.stdout.splitlines()
    rows = (re.split(r"\s{2,}", line) for line in lines)
    assert {room: word for room, word, *_ in rows} == found


async def test_a_room_that_waits_has_the_word_of_its_reason() -> None:
    ended = await casino("rooms", to=httpx.MockTransport(answer))
    words = dict(re.split(r"\s{2,}", line)[:2] for line in ended.stdout.splitlines()[1:])
    assert (words["full"], words["lost"], words["busy"]) == ("disk full", "no table", "playing")
