"""A lobby's room at a table that is written from the protocol document alone.

The table is plain HTTP and JSON, without a package of this project, and says nothing that the
document does not ask of it. `tests/foreign/document_peers` plays whole games.
"""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_contracts import RoomSnapshot
from casino_lobby.store import SqlStore
from starlette.types import ASGIApp, Receive, Scope, Send
from support.casino.casino_side import CasinoHarness, Operator
from support.processes import eventually

ORIGIN = "http://document"
CARD = f"{ORIGIN}/.well-known/agent-card.json"
SKILLS = {"configure": "setUp", "register": "join", "start": "go", "summary": "state"}
"""The names are the table's choice."""
CONFIG = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 3,
    "maxSeats": 2,
}


class DocumentTable:
    """Replies with `{}` unless it is asked for its summary; keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.summary: dict[str, Any] = {"status": "waiting", "players": [], "message": "hello"}

    def inputs(self, skill: str) -> list[dict[str, Any]]:
        return [data for name, data in self.asked if name == skill]

    async def tell(self, app: ASGIApp, kind: str) -> None:
        """Send an event to the address that the table was configured with."""
        callback = self.inputs("setUp")[0]["casinoCallback"]
        event = {
            "tableId": "r1",
            "eventType": kind,
            "message": kind,
            "timestamp": "2026-01-01T00:00:00.000Z",
        }
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), headers={"A2A-Version": "1.0"}
        ) as http:
            card = (await http.get(callback["agentCardUrl"])).json()
            extension = card["capabilities"]["extensions"][0]["uri"]
            message = {
                "messageId": "m",
                "role": "ROLE_USER",
                "extensions": [extension],
                "metadata": {extension: {"skill": callback["eventSkill"]}},
                "parts": [{"data": event, "mediaType": "application/json"}],
            }
            call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage"}
            (url,) = [
                one["url"]
                for one in card["supportedInterfaces"]
                if (one["protocolBinding"], one["protocolVersion"]) == ("JSONRPC", "1.0")
            ]
            reply = await http.post(url, json={**call, "params": {"message": message}})
            assert "result" in reply.json(), reply.text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the card and the calls."""
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        reply = self._called(json.loads(body)) if scope["method"] == "POST" else self._card()
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(reply).encode()})

    def _card(self) -> dict[str, Any]:
        return {
            "name": "Document table",
            "description": "Knows only the document.",
            "version": "1",
            "supportedInterfaces": [
                {"url": f"{ORIGIN}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
            ],
            "capabilities": {},
            "defaultInputModes": ["application/json"],
            "defaultOutputModes": ["application/json"],
            "skills": [
                {"id": name, "name": name, "description": name, "tags": ["table"]}
                for name in SKILLS.values()
            ],
        }

    def _called(self, call: dict[str, Any]) -> dict[str, Any]:
        message = call["params"]["message"]
        (skill,) = [one["skill"] for one in message["metadata"].values()]
        (data,) = [part["data"] for part in message["parts"] if "data" in part]
        self.asked.append((skill, data))
        output = self.summary if skill == "state" else {}
        part = {"data": output, "mediaType": "application/json"}
        answer = {"messageId": call["id"], "role": "ROLE_AGENT", "parts": [part]}
        return {"jsonrpc": "2.0", "id": call["id"], "result": {"message": answer}}


class Casino:
    """A lobby with a database, which can be started again, and a document table."""

    def __init__(self, data: Path) -> None:
        self._url = f"sqlite+aiosqlite:///{data}/casino.db"
        self.table = DocumentTable()
        self.begin()

    def begin(self) -> None:
        """Build the lobby, on the database as it is."""
        self.network = CasinoHarness(1, SqlStore(self._url))
        self.network.transport.apps[ORIGIN] = self.table
        self.operator = Operator(self.network)

    async def open(self, **more: Any) -> RoomSnapshot:
        """Open a room with what the document demands, and no more."""
        table = {"tableAgentCardUrl": CARD, "tableAgentSkills": SKILLS}
        body = {"roomId": "r1", **table, "config": CONFIG, **more}
        reply = await self.operator.post("/v1/rooms", body)
        assert reply.status_code == 201, reply.text
        return RoomSnapshot.model_validate_json(reply.content)


@pytest.fixture
def casino(tmp_path: Path) -> Casino:
    """Build a lobby and a document table."""
    return Casino(tmp_path)


async def test_a_room_is_opened_filled_and_started(casino: Casino) -> None:
    """Without a word of the table that the document does not demand."""
    async with casino.network.lobby.running():
        room = await casino.open()
        assert room.summary is not None
        assert (room.summary.status, room.summary.message) == ("waiting", "the table is ready")
        assert room.table_agent_card_url == CARD
        assert room.table_base_url == ORIGIN
        for number, name in enumerate(("ada", "bob")):
            casino.network.player(name)
            seated = await casino.operator.seat(name)
            assert seated.status_code == 201, seated.text
            assert seated.json() == {
                "roomId": "r1",
                "playerId": f"player-{number + 1}",
                "displayName": name,
                "seatNumber": number,
                "stack": 200,
            }

        async def is_started() -> bool:
            return bool(casino.table.inputs("go"))

        await eventually(is_started, every=0)
        (start,) = casino.table.inputs("go")
        assert {"maxHands", "smallBlind", "bigBlind"}.isdisjoint(start)
        assert casino.table.inputs("setUp")[0]["config"]["maxSeats"] == 2


async def test_a_start_gets_the_overrides(casino: Casino) -> None:
    """Nested, as in the document; the room's summary is the reply."""
    async with casino.network.lobby.running():
        await casino.open()
        casino.network.player("ada")
        await casino.operator.seat("ada", preferredSeat=1)
        overrides = {"maxHands": 7, "smallBlind": 2, "bigBlind": 4}
        reply = await casino.operator.post("/v1/rooms/r1/start", {"overrides": overrides})
        assert reply.status_code == 202, reply.text
        assert (reply.json()["tableId"], reply.json()["players"][0]["seatNumber"]) == ("r1", 1)
        (start,) = casino.table.inputs("go")
        assert {name: start[name] for name in overrides} == overrides


async def test_a_lobby_that_restarts_does_not_reset_the_table(casino: Casino) -> None:
    """To configure it again would lose its players: the document says so."""
    async with casino.network.lobby.running():
        await casino.open()
        casino.network.player("ada")
        assert (await casino.operator.seat("ada")).status_code == 201
    casino.begin()
    casino.network.player("ada")
    async with casino.network.lobby.running():

        async def is_compared() -> bool:
            return bool(casino.table.inputs("state"))

        await eventually(is_compared, every=0)
        casino.network.player("bob")
        assert (await casino.operator.seat("bob")).status_code == 201
        room = await casino.operator.room()
        assert room.state is None
        assert room.summary is not None
        assert [seat.display_name for seat in room.summary.players] == ["ada", "bob"]
    assert len(casino.table.inputs("setUp")) == 1


async def test_a_session_whose_end_is_not_reported_is_over_by_the_summary(casino: Casino) -> None:
    """A table that is asked to start again is asked for its status first."""
    async with casino.network.lobby.running():
        await casino.open()
        casino.table.summary["status"] = "running"
        lobby = casino.network.transport.apps["http://lobby"]
        for kind in ("hand_started", "hand_completed"):
            await casino.table.tell(lobby, kind)
        room = await casino.operator.room()
        assert room.summary is not None
        assert (room.summary.status, room.summary.hand_count) == ("running", 1)
        refused = await casino.operator.post("/v1/rooms/r1/start")
        assert (refused.status_code, refused.json()["reason"]) == (409, "ALREADY_RUNNING")
        casino.table.summary["status"] = "idle"
        started = await casino.operator.post("/v1/rooms/r1/start")
        assert started.status_code == 202, started.text
