"""States in which the services accept calls, and those calls: for `refused_memory`.

Each function brings a running service into such a state and returns its calls. A call that changes
something only once is repeated with its `requestId`, or `renew` makes it possible again.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from queue import Queue
from threading import Event
from time import monotonic, sleep
from typing import Any, Final

import httpx
from casino_agentkit import ANYONE, Agent, LargeBody, Service
from casino_agentkit.protocol import BODY_LIMIT, CAPABILITY_PATH, CARD_PATH, INPUT_LIMIT
from casino_contracts import RoomKey
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey
from support.attack.forged_calls import Loose, OtherTable
from support.attack.large_calls import NUMBER, PAD, Call, Renew, Victim, padded
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
_ROOM_SECRET: Final = "secret-of-the-room-of-the-bench"
_WALLET: Final = PrivateKey(b"\x17" * 32)
_NONCE: Final = "@nonce@".ljust(32, "@")
_SIGNATURE: Final = "@signature@".ljust(132, "@")
_PLAYER: Final = "@player@".ljust(12, "@")
_CARD: Final = "@card@".ljust(36, "@")
_TOKEN: Final = "@token@"
_KIND: Final = "@kind@"
"""Texts of calls, as long as what replaces them."""
_EVENT_TEXT: Final = 63_000
"""Characters of the largest event, which has at most 64 KiB as JSON."""
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
    lobby: Victim | None
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


def of_player(_target: Victim, _around: Around) -> Accepted:
    """Return the calls that a sample player accepts: those of its card, with the golden inputs."""
    return Accepted()


def of_table(target: Victim, around: Around) -> Accepted:
    """Return the calls that tables accept, each at a table of its own."""
    token = RoomKey(_ROOM_SECRET).table
    callback = {
        "agentCardUrl": f"{around.agents}/events{CARD_PATH}",
        "eventSkill": "recordGameEvent",
        "secret": _ROOM_SECRET,
    }
    bases = (card.removeprefix(target.url).removesuffix(CARD_PATH) for card in target.cards)
    epochs = count(2)

    def configuration(table: str, epoch: object = 1) -> dict[str, Any]:
        identity = {"tableId": table, "casinoName": "Bench", "epoch": epoch}
        return {**identity, "config": RULES, "casinoCallback": callback}

    def player(number: int) -> dict[str, Any]:
        return {
            "playerId": f"player-{number}",
            "displayName": f"Player {number}",
            "agentCardUrl": around.players.cards[number],
            "actionSkill": "act",
            "startingStack": 200,
        }

    def table(name: str, players: int = 0) -> str:
        base = next(bases)
        invoke(target.url + base, "configureTable", configuration(name), token)
        for number in range(players):
            invoke(target.url + base, "registerPlayer", player(number), token)
        return base

    def after(base: str, skill: str, data: Any) -> Renew:
        def renew(_reply: bytes) -> dict[str, str]:
            until(lambda: is_done(target.url + base, skill, data, token))
            return {}

        return renew

    def configured(base: str) -> Renew:
        def renew(_reply: bytes) -> dict[str, str]:
            new = configuration("closing", next(epochs))
            until(lambda: is_done(target.url + base, "configureTable", new, token))
            return {}

        return renew

    seating, leaving, closing = table("seating"), table("leaving"), table("closing")
    played = table("played", 2)
    start = {"requestId": "start"}
    invoke(target.url + played, "startGame", start, token)
    record = {"handId": "played/1", "questions": True}
    until(lambda: is_done(target.url + played, "handRecord", record, token))
    return Accepted(
        {
            "configureTable": Example(
                configuration("configured", "@epoch@"),
                token,
                table("configured"),
                renew=lambda _reply: {'"@epoch@"': str(next(epochs))},
            ),
            "registerPlayer": Example(
                player(0),
                token,
                seating,
                renew=lambda _reply: _left(target.url + seating, token),
            ),
            "startGame": Example(start, token, played),
            "leaveTable": Example(
                {"playerId": "player-0"},
                token,
                leaving,
                renew=after(leaving, "registerPlayer", player(0)),
            ),
            "tableSummary": Example({}, token, played),
            "handRecord": Example(record, token, played),
            "closeTable": Example({}, token, closing, renew=configured(closing)),
        }
    )


def _left(url: str, token: str) -> dict[str, str]:
    is_done(url, "leaveTable", {"playerId": "player-0"}, token)
    return {}


def of_lobby(target: Victim, around: Around) -> Accepted:
    """Return the calls that a lobby accepts, with rooms in which hands are played, and reported."""
    lobby = Client(target.url, KEY)
    cards = iter(around.tables.cards)
    created = {"roomId": "created", "config": RULES, "tableAgentCardUrl": next(cards)}
    for room in ("seating", "played", "closing"):
        lobby.open(room, next(cards))
    player = {"agentCardUrl": around.players.cards[2]}
    for number in range(2):
        lobby.seat("played", around.players.cards[number])
    lobby.post("/v1/rooms/played/start", {}, "start")
    until(lambda: lobby.get("/v1/rooms/played")["summary"]["status"] == "idle")
    lobby.delete("/v1/rooms/closing")
    until(lambda: lobby.get("/v1/rooms/closing")["state"] == "closed")
    examples = _examples(lobby)
    published: list[Call] = []
    for kind in ("matches", "leagues"):
        path = next(path for path in examples if path.startswith(f"/v1/{kind}/"))
        body = examples[path]
        lobby.put(f"/v1/{kind}/kept", body)

        def again(_reply: bytes, path: str = f"/v1/{kind}/x", body: Any = body) -> dict[str, str]:
            lobby.put(path, body)
            return {}

        for size in (INPUT_LIMIT, BODY_LIMIT):
            published.append(Call("PUT", f"/v1/{kind}/x", padded(body, size)))
        published.append(Call("DELETE", f"/v1/{kind}/x", padded({"pad": PAD}), renew=again))

    def command(method: str, path: str, data: Any, key: str) -> Call:
        return Call(method, path, padded(data), {"Idempotency-Key": key})

    def seated(_reply: bytes) -> dict[str, str]:
        return {_PLAYER: lobby.seat("seating", around.players.cards[3])["playerId"]}

    routes = [
        command("POST", "/v1/rooms", created, "create"),
        command("POST", "/ui/rooms", created, "create"),
        command("POST", "/v1/rooms/seating/players", player, "seat"),
        command("POST", "/ui/rooms/seating/register", player, "seat"),
        command("POST", "/v1/rooms/played/start", {}, "start"),
        command("POST", "/ui/rooms/played/start", {}, "start"),
        Call(
            "DELETE",
            f"/v1/rooms/seating/players/{_PLAYER}",
            padded({"pad": PAD}),
            renew=seated,
        ),
        command("POST", "/v1/rooms/closing/close", {}, "close"),
        command("DELETE", "/v1/rooms/closing", {"pad": PAD}, "close"),
        *published,
        *(Call("GET", path, padded({"pad": PAD})) for path in _readings(lobby)),
    ]
    for call in routes:
        call.headers["Authorization"] = f"Bearer {KEY}"
    skills = {
        "createRoom": Example({**created, "requestId": "create"}, KEY),
        "registerPlayer": Example({"roomId": "seating", **player, "requestId": "seat"}, KEY),
        "startRoom": Example({"roomId": "played", "requestId": "start"}, KEY),
        "leaveRoom": Example({"roomId": "seating", "playerId": _PLAYER}, KEY, renew=seated),
        "listRooms": Example({}, KEY),
        "registerTable": Example({"agentCardUrl": around.tables.cards[-1]}, FLEET_KEY),
    }
    reported, grpc = _reported(lobby, around)
    return Accepted({**skills, **reported}, grpc, routes)


def _reported(lobby: "Client", around: Around) -> tuple[dict[str, Example], dict[str, Example]]:
    """Return reports of events of rooms at the bench's own tables: over HTTP, and smaller ones."""
    large, small = {}, {}
    for number, skill in enumerate(("recordGameEvent", "recordTableEvents")):
        room = lobby.open(skill, f"{around.agents}/tables/{number}{CARD_PATH}")
        configuration = around.takers[number].received[0][1]
        callback = configuration["casinoCallback"]["agentCardUrl"]
        token = callback.partition(CAPABILITY_PATH)[2].partition("/")[0]
        sequences = count(1)

        def batch(first: int, events: int, table: str = room["tableId"]) -> dict[str, Any]:
            return {
                "events": [
                    {
                        "tableId": table,
                        "eventType": "table_status",
                        "message": "a note",
                        "timestamp": "2026-11-20T19:43:00.123Z",
                        "payload": {"kind": "note", "text": "x" * _EVENT_TEXT},
                        "sequence": f"@{first + at}@",
                        "epoch": 1,
                    }
                    for at in range(events)
                ]
            }

        def numbered(sequences: Iterator[int], events: int) -> Renew:
            return lambda _reply: {f'"@{at}@"': str(next(sequences)) for at in range(events)}

        def parts(many: int, events: int, token: str, batch: Callable[..., Any]) -> dict[str, Any]:
            return {
                "tables": [
                    {"roomToken": token, **batch(events * part, events)} for part in range(many)
                ]
            }

        is_whole = skill == "recordGameEvent"
        few = batch(0, 1) if is_whole else parts(1, 1, token, batch)
        many = batch(0, 4) if is_whole else parts(4, 4, token, batch)
        events = 4 if is_whole else 16
        large[skill] = Example(many, token, "", BODY_LIMIT, numbered(sequences, events), True)
        small[skill] = Example(few, token, renew=numbered(sequences, 1), is_full=True)
    return large, small


def _examples(lobby: "Client") -> dict[str, Any]:
    """Return the example of each body that is put, by path."""
    document = lobby.get("/openapi.json")
    bodies = {}
    for path, operations in document["paths"].items():
        if "put" in operations:
            content = operations["put"]["requestBody"]["content"]["application/json"]
            bodies[path] = content.get("example") or _value(content, document)
    return bodies


def _value(content: Mapping[str, Any], document: Any) -> Any:
    example = next(iter(content["examples"].values()))
    for part in example.get("$ref", "#/").removeprefix("#/").split("/"):
        example = document[part] if part == "components" else example.get(part, example)
    return example["value"]


def _readings(lobby: "Client") -> Iterator[str]:
    """Yield the paths that a lobby answers at once: all but its streams."""
    values = {
        "{roomId}": "played",
        "{playerId}": "player-1",
        "{handNumber}": "1",
        "{slug}": "invalid-request",
        "{gameType}": "texas-holdem",
        "{matchId}": "kept",
        "{leagueId}": "kept",
    }
    for path in lobby.get("/openapi.json")["paths"]:
        read = path
        for name, value in values.items():
            read = read.replace(name, value)
        if "get" in lobby.get("/openapi.json")["paths"][path] and not path.endswith("/stream"):
            yield read


def of_match(_target: Victim, around: Around) -> Accepted:
    """Return a match that is played, and one that each call begins."""
    players = [{"player": "style:tight"}, {"player": around.players.cards[0]}]
    deal = {"seed": "bench", "decks": 2, "decksPerBlock": 2}
    plan = {"name": NUMBER, "players": players, "deal": deal}
    return Accepted({"runMatch": Example({"plan": plan, "waitMs": 60_000}, KEY)})


def of_evaluator(target: Victim, around: Around) -> Accepted:
    """Return the commands of a session, and assessments of the sample player."""
    http = httpx.Client(base_url=target.url, trust_env=False, timeout=60)
    key = http.get("/api/games/anonkey").json()["api_key"]
    http.headers["X-API-Key"] = key
    names = [game["game_id"] for game in http.get("/api/games").json()]
    game = next(name for name in names if name.startswith("hold"))

    def opened() -> str:
        card: str = http.post("/api/scorecard/open", json={}).raise_for_status().json()["card_id"]
        return card

    card = opened()
    reset = {"game_id": game, "card_id": card}
    began = http.post("/api/cmd/RESET", json=reset).raise_for_status().json()
    of_session = {"game_id": game, "guid": began["guid"]}
    reasoning = {"reasoning": "x" * 16_000, "pad": PAD}

    def going(reply: bytes) -> dict[str, str]:
        if not reply or json.loads(reply).get("state") != "NOT_FINISHED":
            http.post("/api/cmd/RESET", json=of_session).raise_for_status()
        return {}

    def a_card(_reply: bytes) -> dict[str, str]:
        return {_CARD: opened()}

    routes = [
        Call("POST", "/api/cmd/RESET", padded({**of_session, **reasoning})),
        *(
            Call(
                "POST",
                f"/api/cmd/ACTION{number}",
                padded({**of_session, **({"x": 1, "y": 1} if number == 6 else {}), **reasoning}),
                renew=going,
            )
            for number in range(1, 8)
        ),
        Call("POST", "/api/scorecard/open", padded({"opaque": "x" * 16_000, "pad": PAD})),
        Call(
            "POST",
            "/api/scorecard/close",
            padded({"card_id": _CARD, "pad": PAD}),
            renew=a_card,
        ),
        Call("DELETE", f"/api/scorecard/{_CARD}", padded({"pad": PAD}), renew=a_card),
        Call("POST", f"/api/scorecard/{card}/heartbeat", padded({"pad": PAD})),
        *(
            Call("GET", path, padded({"pad": PAD}))
            for path in (
                "/api/games",
                f"/api/games/{game}",
                f"/api/cmd/{began['guid']}/observation",
                f"/api/scorecard/{card}",
                f"/api/scorecard/{card}/{game}",
                "/api/scorecards",
                f"/api/replay/{began['guid']}",
            )
        ),
    ]
    for call in routes:
        call.headers["X-API-Key"] = key
    kuhn = next(name for name in names if name.startswith("kuhn"))
    asked = {
        "participants": {"alice": around.players.cards[0]},
        "config": {"games": [kuhn], "levels": 1, "seed": "bench"},
    }
    never = {"evaluate over invoke": "an assessment is a task, which invoke does not have"}
    return Accepted({"evaluate": Example(asked)}, routes=routes, never=never)


def of_gateway(target: Victim, around: Around) -> Accepted:
    """Return the calls of guests, of wallets and of seats, and the frames of their sockets."""
    assert around.lobby is not None
    lobby, http = Client(around.lobby.url, ""), Client(target.url, "")
    for room, seats in (("quiet", 10), ("boards", 10), ("asked", 2), ("turns", 2)):
        lobby.open(room, None, maxSeats=seats, maxHands=1_000_000, rebuy="auto")
    guest = _guest(http)
    bearer = {"Authorization": f"Bearer {guest}"}
    of_guest = Client(target.url, guest)
    wallet = _WALLET.public_key.to_checksum_address()

    def signed(_reply: bytes) -> dict[str, str]:
        asked = http.get(f"/api/auth/challenge?address={wallet}")
        content = asked["message"].encode()
        digest = keccak(b"\x19Ethereum Signed Message:\n%d" % len(content) + content)
        return {
            _NONCE: asked["nonce"],
            _SIGNATURE: "0x" + _WALLET.sign_msg_hash(digest).to_bytes().hex(),
        }

    def unlinked(reply: bytes) -> dict[str, str]:
        for link in of_guest.get("/api/auth/link-account")["links"]:
            of_guest.delete(f"/api/auth/link-account/{link['linkId']}")
        return signed(reply)

    proof = {"nonce": _NONCE, "signature": _SIGNATURE}

    def linked(reply: bytes) -> dict[str, str]:
        proved = unlinked(reply)
        body = {"walletAddress": wallet, **{key: proved[text] for key, text in proof.items()}}
        return {"@link@": of_guest.post("/api/auth/link-account", body)["linkId"]}

    def joined(_reply: bytes) -> dict[str, str]:
        of_guest.post("/api/rooms/quiet/join", {})
        return {}

    def closed(reply: bytes) -> dict[str, str]:
        if reply:
            content = json.loads(reply)
            lobby.delete(f"/v1/rooms/{content.get('match_id', content.get('id'))}")
        return {}

    def given_back(reply: bytes) -> dict[str, str]:
        if reply and "token" in (taken := json.loads(reply)):
            Client(target.url, taken["token"]).delete("/bgp/seats")
        return {}

    seat = {"match_id": "boards", "name": "Ada", "type": "ai"}
    taken, left = http.post("/bgp/seats", seat), http.post("/bgp/seats", seat)
    Client(target.url, left["token"]).delete("/bgp/seats")
    of_seat = {"Authorization": f"Bearer {taken['token']}"}
    core = {"version": "1.0.0", "game": taken["game"], "agent_id": taken["agent_id"]}
    state = {**core, "type": "get_state", "match_id": "boards", "pad": PAD}
    play = _Play(target, lobby, around)
    strict = "/bgp?dialect=schemas-1.0.0"
    made = {**core, "type": "create_match", "settings": {"version": "1.0.0", "data": RULES}}
    pad = padded({"pad": PAD})
    routes = [
        Call("POST", "/bgp", padded(state), of_seat),
        Call("POST", strict, padded(state), of_seat),
        Call("POST", strict, padded({**core, "type": "get_matches", "pad": PAD})),
        Call("POST", strict, padded({**made, "pad": PAD}), renew=closed),
        Call("POST", "/bgp/seats", padded({**seat, "pad": PAD}), renew=given_back),
        Call("DELETE", "/bgp/seats", pad, {"Authorization": f"Bearer {left['token']}"}),
        Call("POST", "/api/auth/guest", padded({"displayName": "Ada", "pad": PAD})),
        Call(
            "POST",
            "/api/auth/verify",
            padded({"address": wallet, **proof, "pad": PAD}),
            renew=signed,
        ),
        Call(
            "POST",
            "/api/auth/link-account",
            padded({"walletAddress": wallet, **proof, "pad": PAD}),
            bearer,
            unlinked,
        ),
        Call("DELETE", "/api/auth/link-account/@link@", pad, bearer, linked),
        Call("POST", "/api/rooms", padded({"config": RULES}), bearer, closed),
        Call("POST", "/api/rooms/quiet/join", pad, bearer),
        Call("POST", "/api/rooms/quiet/leave", pad, bearer, joined),
        *(
            Call("GET", path, pad, bearer)
            for path in (
                f"/api/auth/challenge?address={wallet}",
                "/api/auth/link-account",
                "/api/games",
                "/api/games/texas-holdem/spec",
                "/api/lobby",
                "/api/wallet/config",
                "/api/wallet/transactions",
            )
        ),
        Call(
            "POST",
            "/bgp",
            padded({**play.action, "pad": PAD}),
            {"Authorization": f"Bearer {_TOKEN}"},
            play.asked,
        ),
    ]

    def frame(kind: str, **payload: Any) -> str:
        content = {"type": kind, "messageId": f"{kind}{NUMBER}", "payload": {**payload, "pad": PAD}}
        return padded(content).decode()

    sign_in = json.dumps({"type": "authenticate", "payload": {"token": guest}})
    hello = json.dumps({"id": "hello", "skill": "hello", "data": {"name": "Bot"}})
    room = {"roomId": "quiet", "requestId": "join"}
    frames = [
        Frames("/ws", "heartbeat", frame("heartbeat"), '"pong"', [sign_in]),
        Frames("/ws", "balance_query", frame("balance_query"), "balance_response", [sign_in]),
        Frames("/ws", "session_extend", frame("session_extend"), "session_extended", [sign_in]),
        Frames("/bgp/ws", "get_state", padded(state).decode(), "_response", headers=of_seat),
        Frames(
            "/bots",
            "join",
            padded({"id": "join", "skill": "join", "data": {**room, "pad": PAD}}).decode(),
            '"playerId"',
            [hello],
        ),
    ]
    of_guest.post("/api/rooms/turns/join", {})
    action = {"type": "submit_action", "messageId": f"a{NUMBER}", "payload": {"action": _KIND}}
    frames.append(
        Frames(
            "/ws",
            "submit_action",
            padded({**action, "tableId": "turns", "pad": PAD}).decode(),
            '"ack"',
            [sign_in],
            awaited='"game_action_request"',
            chosen=kind_of,
            begin=lambda: lobby.seat("turns", around.players.cards[5]),
        )
    )
    never = {"POST /api/wallet/withdraw": "play chips cannot be withdrawn: it refuses everybody"}
    return Accepted(routes=routes, frames=frames, never=never)


class _Play:
    """A seat of the Boardgame Protocol that is asked, hand after hand, once it is taken."""

    def __init__(self, target: Victim, lobby: "Client", around: Around) -> None:
        self._target, self._lobby, self._around = target, lobby, around
        self._seat: dict[str, Any] = {}
        self.action = {
            "version": "1.0.0",
            "type": "perform_action",
            "game": "texas-holdem",
            "match_id": "asked",
            "agent_id": _PLAYER,
            "action": {"type": _KIND},
        }

    def asked(self, _reply: bytes) -> dict[str, str]:
        """Wait until the seat is asked; returns what it answers."""
        if not self._seat:
            seat = {"match_id": "asked", "name": "Bob", "type": "ai"}
            self._seat = Client(self._target.url, "").post("/bgp/seats", seat)
            self._lobby.seat("asked", self._around.players.cards[4])
        client = Client(self._target.url, self._seat["token"])
        message = {**self.action, "type": "get_state", "agent_id": self._seat["agent_id"]}
        offers: list[Any] = []

        def is_asked() -> bool:
            state = client.post("/bgp", message)["state"]
            offers[:] = state["data"]["available_actions"]
            return bool(offers)

        until(is_asked)
        return {
            _PLAYER: self._seat["agent_id"],
            _TOKEN: self._seat["token"],
            **kind_of(json.dumps(offers)),
        }


def kind_of(offers: str) -> dict[str, str]:
    """Return the action that keeps a player in the hand, as the text that replaces `@kind@`."""
    return {_KIND: next(kind for kind in ("check", "call", "all") if f'"{kind}' in offers)}


def _guest(http: "Client") -> str:
    token: str = http.post("/api/auth/guest", {})["token"]
    return token


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


def levels_file(folder: Path) -> Path:
    """Write levels for the evaluator: long ones, and quick ones; returns the file."""
    level = 'levels = [{{opponent = "caller", hands = {}, target = 1, baseline_actions = 2}}]\n'
    game = 'title = "{}"\nstarting_stack = 400\nsmall_blind = 1\nbig_blind = 2\n'
    text = "".join(
        f'[[games]]\nprefix = "{prefix}"\ngame_type = "{kind}"\n'
        + game.format(prefix.upper())
        + level.format(hands)
        for prefix, kind, hands in (("hold", "texas-holdem", 998), ("kuhn", "kuhn_poker", 2))
    )
    path = folder / "levels.toml"
    path.write_text(text)
    return path


ACCEPTED: Final[Mapping[str, Callable[[Victim, Around], Accepted]]] = {
    "player": of_player,
    "table": of_table,
    "lobby": of_lobby,
    "gateway": of_gateway,
    "evaluator": of_evaluator,
    "match": of_match,
}
