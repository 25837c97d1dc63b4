"""The WebSocket of the foreign server: one room, one table, one player.

Mischief: `duplicate` sends each request twice, `drop` closes the socket in the middle of decisions,
`refuse` refuses a good action now and then, `newer` raises the specification's version after ten
rounds, `limit` answers RATE_LIMITED now and then, `noise` sends what A2G does not know.
"""

import asyncio
import json
import time
from collections import Counter
from typing import Any
from uuid import uuid4

import jsonschema
from foreign.a2g_server.lantern_duel import LanternDuel
from starlette.websockets import WebSocket, WebSocketDisconnect

Json = dict[str, Any]
GAME, TABLE, SESSION = "lantern-duel", "table-1", "session-1"


class Server:
    """One room, one table, one player."""

    def __init__(self, token: str, game: LanternDuel, mischief: str, seconds: float) -> None:
        self.token, self.game, self.mischief, self.seconds = token, game, mischief, seconds
        self.socket: WebSocket | None = None
        self.sequence = 0
        self.sent: list[Json] = []
        self.seen: set[str] = set()
        self.pending: Json | None = None
        self.answer: asyncio.Future[Json] | None = None
        self.stats: Counter[str] = Counter()
        self.playing: asyncio.Task[None] | None = None
        self.total = sum(game.chips.values())

    async def serve(self, websocket: WebSocket) -> None:
        """Greet, log in, and read messages until the socket closes."""
        await websocket.accept()
        self.stats["sockets"] += 1
        self.socket = None
        greeting = {"serverId": "foreign", "supportedGames": [GAME]}
        await self.raw(websocket, "hello", {**greeting, "capabilities": {"provablyFair": False}})
        try:
            login = json.loads(await websocket.receive_text())
            given = login["payload"].get("token")
            if login["type"] != "authenticate" or given != self.token:
                error = {"code": "AUTH_INVALID", "message": "no", "relatedMessageId": None}
                await self.raw(websocket, "error", error)
                await websocket.close(1008)
                return
            self.socket = websocket
            await self.raw(websocket, "authenticated", {"sessionId": SESSION})
            if self.playing is None:
                self.playing = asyncio.create_task(self.play())
            while True:
                await self.read(json.loads(await websocket.receive_text()))
        except WebSocketDisconnect:
            if self.socket is websocket:
                self.socket = None

    async def read(self, message: Json) -> None:
        """Take a message of the client."""
        kind, identifier = message["type"], message["messageId"]
        if identifier in self.seen:
            self.stats["duplicates"] += 1
            await self.error("DUPLICATE_MESSAGE", identifier)
        elif kind == "submit_action":
            self.seen.add(identifier)
            await self.submit(message)
        elif kind == "reconnect":
            self.seen.add(identifier)
            self.stats["reconnects"] += message["payload"]["sessionId"] == SESSION
            ids = [sent["messageId"] for sent in self.sent]
            last = message["payload"].get("lastSeenMessageId")
            missed = self.sent[ids.index(last) + 1 :] if last in ids else self.sent
            state = {"gameType": GAME, "tableId": TABLE, "currentState": {}}
            await self.raw(self.socket, "reconnect_state", {**state, "missedMessages": missed})
        elif kind == "heartbeat":
            self.stats["pongs"] += message["payload"] == {"direction": "pong"}

    async def submit(self, message: Json) -> None:
        """Check an action as the documents say, and play it."""
        payload, identifier = message["payload"], message["messageId"]
        self.stats["submissions"] += 1
        if self.mischief == "limit" and self.stats["submissions"] % 7 == 3:
            await self.error("RATE_LIMITED", identifier)
            return
        schema = self.game.schemas()["action"]
        if not jsonschema.Draft202012Validator(schema).is_valid(payload):
            await self.refuse("INVALID_ACTION", identifier)
        elif self.pending is None or self.answer is None or self.answer.done():
            await self.refuse("NOT_YOUR_TURN", identifier)
        elif (code := fault(payload, self.pending["payload"]["availableActions"])) is not None:
            await self.refuse(code, identifier)
        elif self.mischief == "refuse" and self.stats["submissions"] % 9 == 4:
            await self.refuse("INVALID_ACTION", identifier)
        else:
            self.stats["actions"] += 1
            self.stats[f"action {payload['action']}"] += 1
            self.answer.set_result(payload)

    async def play(self) -> None:
        """Play rounds until the player leaves."""
        while True:
            self.game.begin()
            while (payload := self.game.offer()) is not None:
                self.game.take(await self.ask(payload))
                await self.send("player_action_broadcast", {"playerId": "p1"})
            self.stats["rounds"] += 1
            if self.mischief == "newer" and self.stats["rounds"] == 10:
                self.game.version = "1.1.0"
            await self.send("round_result", self.game.end())

    async def ask(self, payload: Json) -> Json:
        """Send a request and return the answer, by default at the deadline."""
        jsonschema.Draft202012Validator(self.game.schemas()["state"]).validate(payload)
        self.answer = asyncio.get_running_loop().create_future()
        self.pending = self.message("game_action_request", payload, timeoutSeconds=self.seconds)
        self.stats["requests"] += 1
        number = self.stats["requests"]
        if self.mischief == "noise":
            await self.noise()
        self.sent.append(self.pending)
        await self.frame(self.pending)
        if self.mischief == "duplicate":
            await self.frame(self.pending)
        if self.mischief == "drop" and number % 8 == 5 and self.socket is not None:
            await self.socket.close(1001)
            self.socket = None
        try:
            return await asyncio.wait_for(self.answer, self.seconds)
        except TimeoutError:
            self.stats["timeouts"] += 1
            await self.send("game_error", {"code": "TIMEOUT", "message": "too late"})
            return {"action": "fold"}
        finally:
            self.pending = None

    async def noise(self) -> None:
        """Send what a client has to ignore."""
        await self.send("weather_report", {"rain": True})
        await self.raw(self.socket, "heartbeat", {"direction": "ping"})
        if self.socket is not None:
            await self.socket.send_text("this is no JSON")
            await self.socket.send_text("[" * 5000)
            await self.socket.send_text('{"type": 7}')

    def message(self, kind: str, payload: Json, **more: Any) -> Json:
        """Return a message of the table."""
        self.sequence += 1
        return {
            "type": kind,
            "messageId": str(uuid4()),
            "sequence": self.sequence,
            "protocolVersion": "1.0",
            "timestamp": time.time_ns() // 1_000_000,
            "gameType": GAME,
            "tableId": TABLE,
            "specVersion": self.game.version,
            "futureField": [1, {"of": "a later version"}],
            **more,
            "payload": payload,
        }

    async def send(self, kind: str, payload: Json) -> None:
        """Send a message of the table; it is kept for those who reconnect."""
        message = self.message(kind, payload)
        self.sent = [*self.sent[-100:], message]
        await self.frame(message)

    async def refuse(self, code: str, identifier: str) -> None:
        """Send a `game_error`."""
        self.stats[f"game_error {code}"] += 1
        await self.send(
            "game_error", {"code": code, "message": code, "relatedMessageId": identifier}
        )

    async def error(self, code: str, identifier: str) -> None:
        """Send an `error`."""
        self.stats[f"error {code}"] += 1
        payload = {"code": code, "message": code, "relatedMessageId": identifier}
        await self.raw(self.socket, "error", payload)

    async def raw(self, websocket: WebSocket | None, kind: str, payload: Json) -> None:
        """Send a message of the protocol itself."""
        now = time.time_ns() // 1_000_000
        head = {"type": kind, "messageId": str(uuid4()), "protocolVersion": "1.0"}
        await self.frame({**head, "timestamp": now, "payload": payload}, websocket)

    async def frame(self, message: Json, websocket: WebSocket | None = None) -> None:
        """Send a frame, if somebody is there."""
        websocket = websocket or self.socket
        if websocket is not None:
            try:
                await websocket.send_text(json.dumps(message))
            except (WebSocketDisconnect, RuntimeError):
                self.socket = None


def fault(payload: Json, offers: list[Json]) -> str | None:
    """Return the code of an action that is not offered, None if it is."""
    alike = [offer for offer in offers if offer["type"] == payload["action"]]
    if not alike:
        return "INVALID_ACTION"
    for offer in alike:
        least, most = offer.get("minAmount"), offer.get("maxAmount")
        literal = {key: offer[key] for key in ("colour", "loud") if key in offer}
        if any(payload.get(key) != value for key, value in literal.items()):
            continue
        return None if least is None or least <= payload["amount"] <= most else "INVALID_AMOUNT"
    return "INVALID_ACTION"
