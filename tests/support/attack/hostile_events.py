"""Events of a hostile table, sent by every interface of an agent."""

from typing import Any, Literal, get_args

import httpx
import orjson
from casino_agentkit import ANYONE, Agent, Service
from casino_agentkit.protocol import EXTENSION, REST_PATH, RPC_PATH
from casino_contracts import RecordGameEventOutput, TableEvent
from casino_lobby.domain.room import Room
from casino_lobby.service.ingest import EventIngest
from casino_lobby.store import Store
from pydantic import BaseModel
from starlette.types import ASGIApp

from support.casino.store_side import new_room

Binding = Literal["fast", "sdk", "rest"]
"""JSON-RPC by the fast path, JSON-RPC by the SDK, HTTP+JSON."""
BINDINGS = get_args(Binding)


def nested(depth: int, leaf: str = "1") -> str:
    """Return the JSON of an object of so many levels, which Python's encoder would refuse."""
    return '{"d":' * depth + leaf + "}" * depth


def event_json(payload: str, table_id: str = "t-r1", **more: Any) -> str:
    """Return the JSON of an event with this payload, unnumbered as in the protocol document."""
    event = {
        "tableId": table_id,
        "eventType": "table_status",
        "message": "hm",
        "timestamp": "2026-11-20T19:43:00.123Z",
        **more,
    }
    return f'{orjson.dumps(event).decode()[:-1]},"payload":{payload}}}'


RIGHT = {"Authorization": f"Bearer {new_room().key().events}"}
"""What the table of a new room shows to the lobby."""


def document_room() -> Room:
    """Return a room whose table follows the protocol document: its events have no numbers."""
    room = new_room()
    room.is_keyed = False
    return room


class Sender:
    """Sends typed calls as bytes; `headers` carry the table's token."""

    def __init__(self, app: ASGIApp, headers: dict[str, str] | None = None) -> None:
        self._http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False),
            base_url="http://lobby",
            headers={"A2A-Version": "1.0", "Content-Type": "application/json", **(headers or {})},
        )

    async def send(self, binding: Binding, data: str, skill: str = "recordGameEvent") -> Any:
        """Return the output, or None when the call was refused."""
        message = (
            f'{{"messageId":"m","role":"ROLE_USER","extensions":["{EXTENSION}"],"metadata":'
            f'{{"{EXTENSION}":{{"skill":"{skill}"}}{self._more(binding)}}},'
            f'"parts":[{{"data":{data},"mediaType":"application/json"}}]}}'
        )
        if binding == "rest":
            reply = await self._http.post(
                f"{REST_PATH}/message:send", content=f'{{"message":{message}}}'
            )
            said = reply.json().get("message") if reply.status_code == 200 else None
        else:
            call = '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":%s}}'
            reply = await self._http.post(RPC_PATH, content=call % message)
            said = reply.json().get("result", {}).get("message")
        self.last = reply.text
        return said["parts"][0]["data"] if said else None

    def _more(self, binding: Binding) -> str:
        return ',"trace":"what the fast path does not know"' if binding == "sdk" else ""


class _Anything(BaseModel, extra="allow"):
    """An input without validation."""


def unchecked_lobby(store: Store) -> ASGIApp:
    """Return a lobby that records events without the contract's limits."""
    recorder = EventIngest(store, store.bus)
    agent = Agent("Lobby", "Takes any event.", data_levels=10_000)

    @agent.entrypoint("recordGameEvent", who=ANYONE)
    async def record(given: _Anything) -> RecordGameEventOutput:
        """Take an event."""
        content = given.model_dump()
        fields: dict[str, Any] = {
            name: content.get(field.alias or name)
            for name, field in TableEvent.model_fields.items()
        }
        event = TableEvent.model_construct(**fields)
        room = store.room_of_table(event.table_id)
        assert room is not None
        await recorder.record(room, [event])
        return RecordGameEventOutput(sequence=room.last_sequence)

    return Service({"": agent}).asgi()
