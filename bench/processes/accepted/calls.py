"""What a service accepts, and what brings it into a state for that: clients, and agents around it.

A call that changes something only once is repeated with its `requestId`, or made possible again.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Queue
from threading import Event
from time import monotonic, sleep
from typing import Any, Final

import httpx
from casino_agentkit import ANYONE, Agent, LargeBody, Service
from casino_agentkit.protocol import BODY_LIMIT, INPUT_LIMIT
from support.attack.forged_calls import Loose, OtherTable
from support.attack.large_calls import Call, Renew, Victim
from support.listening import listening

KEY: Final = "operator-key-of-the-bench"
FLEET_KEY: Final = "fleet-key-of-the-bench"
RULES: Final = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 1,
    "maxSeats": 6,
}
_PATIENCE_S: Final = 60.0


@dataclass(frozen=True)
class Example:
    """An input of a skill that a service accepts, at the agent with the path `base`."""

    data: Any
    token: str = ""
    base: str = ""
    size: int = INPUT_LIMIT
    renew: Renew = lambda _reply: {}
    is_full: bool = False
    """Whether it is as large as it may be."""


@dataclass(frozen=True)
class Frames:
    """A frame that a WebSocket takes again and again, after the first frames of a connection.

    The reply to it has the text `accepted`. Before each, a message with the text `awaited` comes,
    to which `chosen` returns texts of the frame and what replaces each. `begin` is called once.
    """

    path: str
    name: str
    frame: str
    accepted: str
    first: Sequence[str] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    awaited: str = ""
    chosen: Callable[[str], Mapping[str, str]] = lambda _message: {}
    begin: Callable[[], object] = lambda: None


@dataclass
class Accepted:
    """What a service accepts: inputs by skill, calls of its routes, and frames.

    `grpc` has the inputs that are others there, `never` the calls that nobody may make, and why.
    """

    skills: dict[str, Example] = field(default_factory=dict)
    grpc: dict[str, Example] = field(default_factory=dict)
    routes: list[Call] = field(default_factory=list)
    frames: list[Frames] = field(default_factory=list)
    never: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Around:
    """The processes around a service, and the agents of the bench itself."""

    players: Victim
    tables: Victim
    lobby_url: str
    """Empty where there is none."""
    agents: str
    takers: Sequence[OtherTable]
    """Tables of the bench: `agents/tables/0`, …"""


@contextmanager
def hosted(tables: int) -> Iterator[tuple[str, Sequence[OtherTable]]]:
    """Serve tables that take every room, and what takes every event, from a thread."""
    takers = [OtherTable() for _ in range(tables)]
    agents = {f"/tables/{number}": taker.agent() for number, taker in enumerate(takers)}
    url, ended = Queue[str](), Event()

    async def serve() -> None:
        async with listening(Service({**agents, "/events": _events_agent()}), None) as port:
            url.put(f"http://127.0.0.1:{port}")
            await asyncio.to_thread(ended.wait)

    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(asyncio.run, serve())
        try:
            yield url.get(), takers
        finally:
            ended.set()
            serving.result()


def _events_agent() -> Agent:
    agent = Agent("Events", "Takes all events.")
    anybody = LargeBody(BODY_LIMIT, lambda _caller: True)

    @agent.entrypoint("recordGameEvent", who=ANYONE, large=anybody)
    async def take(events: Loose) -> Loose:
        content = events.model_dump()
        last = content.get("events", [content])[-1]
        return Loose.model_validate({"ok": True, "sequence": last["sequence"]})

    return agent


class Client:
    """A client of a service with a key, none if it is empty; it raises HTTPStatusError."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=60)

    def get(self, path: str) -> Any:
        """Return what is at a path."""
        return self._http.get(path).raise_for_status().json()

    def post(self, path: str, body: Any, key: str = "") -> Any:
        """Send a command, with an idempotency key if it is not empty."""
        headers = {"Idempotency-Key": key} if key else {}
        return self._http.post(path, json=body, headers=headers).raise_for_status().json()

    def put(self, path: str, body: Any) -> None:
        """Publish."""
        self._http.put(path, json=body).raise_for_status()

    def delete(self, path: str) -> None:
        """Delete, or leave."""
        self._http.delete(path).raise_for_status()

    def open(self, room: str, card: str | None, **config: Any) -> Any:
        """Open a room, at a table or at any."""
        body = {"roomId": room, "config": {**RULES, **config}}
        return self.post("/v1/rooms", body if card is None else {**body, "tableAgentCardUrl": card})

    def seat(self, room: str, card: str) -> Any:
        """Seat a player."""
        return self.post(f"/v1/rooms/{room}/players", {"agentCardUrl": card})


def invoke(url: str, skill: str, data: Any, token: str) -> httpx.Response:
    """Call a skill of an agent; raises HTTPStatusError."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(headers=headers, trust_env=False, timeout=60) as http:
        path = f"{url}/entrypoints/{skill}/invoke"
        return http.post(path, json={"input": data}).raise_for_status()


def is_done(url: str, skill: str, data: Any, token: str) -> bool:
    """Call a skill; returns whether it was accepted."""
    try:
        invoke(url, skill, data, token)
    except httpx.HTTPStatusError:
        return False
    return True


def until(is_so: Callable[[], bool]) -> None:
    """Wait for a condition; raises TimeoutError after a minute."""
    ends = monotonic() + _PATIENCE_S
    while not is_so():
        if monotonic() > ends:
            raise TimeoutError(f"not so after {_PATIENCE_S:g} s: {is_so}")
        sleep(0.02)
