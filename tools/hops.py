"""Count the product's files that one request runs through: `python tools/hops.py [--files]`.

A lobby, a table and two sample players play in this process, in memory. Prints one JSON line: the
files whose functions run for one decision (table to player and back, to the next question), for
`POST /v1/rooms`, and within the lobby for a delivery of events: of decisions the widest (it ends a
hand and begins the next), of deliveries the most frequent number.
`--files` names them. Exit status 1 if a figure is above its limit.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from statistics import mode
from types import FrameType
from typing import Any

from casino_agentkit import HttpReply
from casino_lobby.app import build_app as build_lobby
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore
from casino_player_example.app import build_app as build_players
from casino_player_example.settings import PlayerSettings
from casino_table.app import build_app as build_tables
from casino_table.settings import TableSettings

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.in_process import InProcessTransport

ROOT = Path(__file__).parents[1]
PRODUCT = tuple(f"{ROOT / top}/" for top in ("services", "shared", "console"))
OF_TABLES = ("services/table/", "shared/games/", "shared/play/")
"""What a table does for a room that is opened is not counted: it may run anywhere."""
LIMITS = {"decision": 45, "create_room": 60, "event": 16}
"""The most files of each."""
LOBBY, TABLE, PLAYERS = "http://lobby", "http://table", "http://players"
HANDS = 20
RARE = 4
"""The widest decision but three counts: what runs beside by chance is not seen so often."""
JSON_BODY = {"content-type": "application/json"}
ROOM = {
    "roomId": "main",
    "tableAgentCardUrl": f"{TABLE}/.well-known/agent-card.json",
    "config": {
        "startingStack": 200,
        "smallBlind": 1,
        "bigBlind": 2,
        "minBuyIn": 40,
        "maxBuyIn": 400,
        "maxHands": HANDS,
        "maxSeats": 2,
        "paceMs": 0,
        "seed": "hops",
    },
}


class Traces:
    """The product's files whose functions run while a trace is on.

    What runs in the context of a delivery counts for that one alone: it goes on beside decisions.
    """

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._files: dict[int, set[str]] = {}
        self._delivery: ContextVar[int] = ContextVar("delivery", default=0)

    def begin(self, *, is_delivery: bool = False) -> int:
        """Begin a trace, and return its number."""
        number = len(self._files) + 1
        self._files[number] = set()
        if is_delivery:
            self._delivery.set(number)
        else:
            self._running.add(number)
        sys.setprofile(self._see)
        return number

    def end(self, number: int, wanted: Callable[[str], bool]) -> list[str]:
        """End a trace, and return the wanted files."""
        if number in self._running:
            self._running.remove(number)
        else:
            self._delivery.set(0)
        files = (f for f in self._files[number] if f.startswith(PRODUCT))
        return sorted(filter(wanted, (f.removeprefix(f"{ROOT}/") for f in files)))

    def _see(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            delivery = self._delivery.get()
            for number in (delivery,) if delivery else self._running:
                self._files[number].add(frame.f_code.co_filename)


class TracedNetwork(InProcessTransport):
    """The network of the three, which traces questions and deliveries."""

    def __init__(self, traces: Traces) -> None:
        super().__init__()
        self.decisions: list[list[str]] = []
        self.events: list[list[str]] = []
        self.played = asyncio.Event()
        self._traces = traces
        self._decision = 0
        self._hands = 0

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the reply; a question ends the trace of the one before it."""
        if url.startswith(PLAYERS) and b"requestId" in body:
            if self._decision:
                self.decisions.append(self._traces.end(self._decision, _is_of_decision))
            self._decision = self._traces.begin()
        if not (url.startswith(LOBBY) and b'"sequence"' in body):
            return await super().send(method, url, headers, body, timeout_s)
        delivery = self._traces.begin(is_delivery=True)
        try:
            return await super().send(method, url, headers, body, timeout_s)
        finally:
            self.events.append(self._traces.end(delivery, lambda f: "/casino_lobby/" in f))
            self._hands += body.count(b'"hand_completed"')
            if self._hands >= HANDS:
                self.played.set()


def _is_of_decision(file: str) -> bool:
    """Return whether a file is not of the lobby, or of the delivery to it, which runs beside."""
    return "/casino_lobby/" not in file and "/delivery/" not in file


async def post(network: InProcessTransport, path: str, message: object) -> None:
    """Call the lobby's REST API; raises RuntimeError for a problem."""
    body = json.dumps(message).encode()
    reply = await network.send("POST", f"{LOBBY}{path}", JSON_BODY, body, 30)
    if reply.status >= 400:  # noqa: PLR2004  the first status of an error
        raise RuntimeError(f"POST {path}: {reply.body.decode()}")


async def traces() -> dict[str, list[str]]:
    """Return the files of each kind of request."""
    traced = Traces()
    network = TracedNetwork(traced)
    lobby = build_lobby(
        LobbySettings(launch_tables=False), LOBBY, transport=network, store=MemoryStore(20_000)
    )
    tables = build_tables(TableSettings(), TABLE, transport=network)
    players = build_players(PlayerSettings(count=2, style="caller"), PLAYERS)
    for origin, service in ((LOBBY, lobby), (TABLE, tables), (PLAYERS, players)):
        network.apps[origin] = service.asgi()
    async with lobby.running(), tables.running(), players.running():
        creation = traced.begin()
        await post(network, "/v1/rooms", ROOM)
        created = traced.end(creation, lambda f: not f.startswith(OF_TABLES))
        for number in (1, 2):
            card = {"agentCardUrl": f"{PLAYERS}/players/{number}/.well-known/agent-card.json"}
            await post(network, "/v1/rooms/main/players", card)
        await network.played.wait()
        sys.setprofile(None)
    return {
        "decision": sorted(network.decisions, key=len)[-RARE],
        "create_room": created,
        "event": _typical(network.events),
    }


def _typical(seen: list[list[str]]) -> list[str]:
    """Return files of the most frequent number."""
    count = mode(map(len, seen))
    return next(files for files in seen if len(files) == count)


def main(arguments: list[str]) -> int:
    """Print the figures, with `--files` the files."""
    files = asyncio.run(traces())
    if "--files" in arguments:
        for name, of_name in files.items():
            sys.stdout.writelines(f"{name} {file}\n" for file in of_name)
    figures: dict[str, Any] = {name: len(of_name) for name, of_name in files.items()}
    missed = [name for name, most in LIMITS.items() if figures[name] > most]
    sys.stdout.write(json.dumps({**figures, "missed": missed}) + "\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
