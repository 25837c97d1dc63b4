"""An event of the protocol document, without a number, reaches a table's room that plays.

The sender is plain HTTP and JSON, without a package of this project.
"""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from support.attack.undefended import OpenTable
from support.casino.keyed_casino import KeyedCasino, Sent, keyed_casino

HANDS = 4


@pytest.fixture
async def casino() -> AsyncIterator[KeyedCasino]:
    """Run tables that number their events and use no room key."""
    async with keyed_casino(table_rules=OpenTable("configuring", "playing", "recording")) as casino:
        yield casino


class DocumentSender:
    """Sends events in the form of the document to the address that the room's table got."""

    def __init__(self, casino: KeyedCasino) -> None:
        self._casino = casino
        self.replies: list[dict[str, Any]] = []

    async def send(self, message: str) -> None:
        """Send one event without `sequence` and `epoch`."""
        http = httpx.AsyncClient(
            transport=httpx.ASGITransport(self._casino.transport.apps["http://lobby"]),
            base_url=f"http://lobby/t/{self._casino.key().events}",
            headers={"A2A-Version": "1.0"},
        )
        async with http:
            card = (await http.get("/.well-known/agent-card.json")).json()
            url = next(
                one["url"]
                for one in card["supportedInterfaces"]
                if one["protocolBinding"] == "JSONRPC"
            )
            extension = card["capabilities"]["extensions"][0]["uri"]
            event = {
                "tableId": "r1",
                "eventType": "table_status",
                "message": message,
                "timestamp": "2026-01-01T00:00:00.000Z",
            }
            call = {
                "messageId": f"m{len(self.replies)}",
                "role": "ROLE_USER",
                "extensions": [extension],
                "metadata": {extension: {"skill": "recordGameEvent"}},
                "parts": [{"data": event, "mediaType": "application/json"}],
            }
            body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": call}}
            self.replies.append((await http.post(url, json=body)).json())


def _is_decision(sent: Sent) -> bool:
    return sent.url.startswith(("http://ada/", "http://bob/")) and b'"act"' in sent.body


async def test_it_is_refused_and_the_hand_goes_on(casino: KeyedCasino) -> None:
    """In every hand, in the middle of it."""
    sender = DocumentSender(casino)

    async def interrupt(sent: Sent) -> None:
        if _is_decision(sent):
            await sender.send("a stray event")

    casino.wire.tap = interrupt
    await casino.play("r1", 1, "ada", "bob", maxHands=HANDS)
    assert len(sender.replies) >= HANDS
    for reply in sender.replies:
        assert "SEQUENCE_MISSING" in str(reply["error"]["data"]), reply
        assert (
            reply["error"]["message"] == "Table r1 numbers its events: send its sequence with each."
        )
    await _assert_played(casino, strays=0)


async def test_one_that_comes_first_cancels_no_hand(casino: KeyedCasino) -> None:
    """It is recorded before the table's first event, and the table's numbers are its own."""
    sender = DocumentSender(casino)
    asked: list[str] = []

    async def come_first(sent: Sent) -> None:
        if b"configureTable" in sent.body:  # before the lobby reads the table's reply
            asked.append(sent.url)
            await sender.send("before the table")

    casino.wire.tap = come_first
    await casino.play("r1", 1, "ada", "bob", maxHands=HANDS)
    assert len(asked) == 1
    assert "result" in sender.replies[0], sender.replies
    await _assert_played(casino, strays=1)
    await sender.send("after it")
    assert "error" in sender.replies[-1]


async def _assert_played(casino: KeyedCasino, strays: int) -> None:
    room = casino.stored()
    assert (room.epoch, room.hand_count, room.unnumbered) == (1, HANDS, strays)
    events = await casino.store.events(room, 0, 10_000)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    kinds = [(event.payload or {}).get("kind") for event in events]
    assert "hand_cancelled" not in kinds
    assert [event.event_type for event in events].count("hand_completed") == HANDS
    assert sum(room.stacks.values()) == 400
