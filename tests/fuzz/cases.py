"""The cases of a run: each is made of the run's seed and its own number, and of nothing else."""

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from casino_agentkit.protocol import CARD_PATH
from casino_lobby.page import WEB
from casino_lobby.rest.operations import OPERATIONS
from fuzz.envelopes import EVERY_WAY, Written, other_method, other_route, spoilt
from fuzz.http_cases import (
    ODD_METHODS,
    ODD_TARGETS,
    RUBBISH,
    Case,
    Manner,
    in_pieces,
    request,
    with_odd_headers,
)
from fuzz.typed_calls import AgentName, Places, TypedCall, call_of
from fuzz.values import SPOILT, encoded, mutated

LIVE_ROOM = "green"
"""It plays all the time; only callers without a key name it in commands."""
_READS = (
    "/healthz", "/readyz", "/metrics", CARD_PATH, "/.well-known/jwks.json", "/openapi.json", "/",
    *(f"/page/{path.relative_to(WEB)}" for path in sorted(WEB.rglob("*"))),
)  # fmt: skip
_REST = tuple(operation for operation in OPERATIONS if not operation.is_stream)
_NUMBERS = ("1", "0", "-1", "x", "9" * 17, "9" * 5_000, "1.0", "\u0661", "%31")
_TEXTS = ("", "nowhere", "\u202e", "a b", "a/b", "..", "%", "\0", "x" * 400, "\ud83d\udca3")
_QUERY = {
    "limit": ("1", "0", "5000", "5001", "-1", "x", "1e3", "", "\u0661"),
    "after": ("0", "1", "1.1", "x", "-5", "9" * 20, "green", "1.1.1"),
    "epoch": ("1", "2", "0", "99999999999999999999", "x"),
    "order": ("newest", "oldest", "x", ""),
    "status": ("idle", "running", "x"),
    "state": ("open", "closed", "x"),
    "gameType": ("texas-holdem", "chess", "\0"),
    "feed": ("public", "commentator", "x"),
    "version": ("1.0.0", "x", "1.0.0-" + "a" * 300),
    "nothing": ("1",),
}


class Keys(NamedTuple):
    """Tokens that the fuzzer may show."""

    operator: str
    fleet: str


class Cases:
    def __init__(
        self, seed: int, places: Places, keys: Keys, bases: Mapping[AgentName, str]
    ) -> None:
        self._seed = seed
        self._places = places
        self._keys = keys
        self._bases = bases
        """Where an agent is on its server, such as /tables/1."""

    def case(self, number: int) -> Case:
        """Return a case; the same number is always the same case."""
        rng = random.Random(f"{self._seed}/{number}")
        agent: AgentName = rng.choice(("lobby", "lobby", "table", "player"))
        if agent == "lobby" and rng.random() < 0.45:
            return self._rest(rng)
        make: Callable[[random.Random, AgentName], Case] = rng.choices(
            (
                self._typed,
                self._spoilt_bytes,
                self._other,
                self._plain,
                self._rubbish,
                self._streamed,
            ),
            (50, 14, 9, 9, 14, 4),
        )[0]
        return make(rng, agent)

    # A2A.

    def _call(self, rng: random.Random, agent: AgentName) -> tuple[str, TypedCall]:
        """Return the token that is shown, and a call, right or wrong, of what it may touch."""
        token = rng.choice(
            ("", "", self._keys.operator, self._keys.fleet, "x" * rng.randint(1, 600))
        )
        places = self._places
        if token != self._keys.operator:
            places = places._replace(rooms=(*places.rooms, LIVE_ROOM))
        call = call_of(agent, rng, places)
        return token, call._replace(data=mutated(rng, call.data)) if rng.random() < 0.8 else call

    def _written(self, rng: random.Random, agent: AgentName) -> tuple[str, str, Written]:
        """Return what is tried, where it goes to, and a call as it is sent."""
        token, call = self._call(rng, agent)
        way = spoilt(rng, call) if rng.random() < 0.45 else rng.choice(EVERY_WAY)(call)
        headers, base = dict(way.headers), self._bases[agent]
        if token and rng.random() < 0.3:
            base = f"/t/{quote(token, safe='')}{base}"
        elif token:
            headers["Authorization"] = f"Bearer {token}"
        return call.skill, base + way.path, Written(way.path, way.body, headers)

    def _typed(self, rng: random.Random, agent: AgentName) -> Case:
        skill, target, way = self._written(rng, agent)
        if rng.random() < 0.2:
            data = with_odd_headers(rng, "POST", target, way.headers, way.body)
            return Case(agent, f"{skill}, odd headers", in_pieces(rng, data), "raw")
        return self._sent(rng, agent, skill, request("POST", target, way.headers, way.body))

    def _spoilt_bytes(self, rng: random.Random, agent: AgentName) -> Case:
        skill, target, way = self._written(rng, agent)
        body = rng.choice(SPOILT)(rng, way.body)
        data = request("POST", target, way.headers, body)
        return self._sent(rng, agent, f"{skill}, spoilt bytes", data)

    def _other(self, rng: random.Random, agent: AgentName) -> Case:
        method, way = "POST", other_method(rng)
        if rng.random() < 0.5:
            method, way = other_route(rng)
        target = self._bases[agent] + way.path
        data = request(method, target, way.headers, way.body)
        return self._sent(rng, agent, "the SDK's others", data, rng.choice(("call", "stream")))

    # HTTP.

    def _plain(self, rng: random.Random, agent: AgentName) -> Case:
        target = rng.choice((*_READS, *ODD_TARGETS, *ODD_TARGETS))
        if rng.random() < 0.2:
            target = f"/t/{rng.choice((self._keys.fleet, 'x', '%00'))}{self._bases[agent]}{target}"
        method = rng.choice(("GET", "GET", "GET", "POST", *ODD_METHODS))
        headers = {"Content-Type": "application/json"} if method == "POST" else {}
        body = b"{}" if method == "POST" or rng.random() < 0.1 else b""
        if rng.random() < 0.3:
            data = with_odd_headers(rng, method, target, headers, body)
        else:
            data = request(method, target, headers, body)
        return Case(agent, "a path", in_pieces(rng, data), "raw")

    def _rubbish(self, rng: random.Random, agent: AgentName) -> Case:
        if rng.random() < 0.5:
            right = request("GET", rng.choice(_READS))
        else:
            _, target, way = self._written(rng, agent)
            right = request("POST", target, way.headers, way.body)
        data = rng.choice(RUBBISH)(rng, right)
        manner: Manner = "dropped" if rng.random() < 0.2 else "raw"
        return Case(agent, "rubbish", in_pieces(rng, data), manner)

    def _streamed(self, rng: random.Random, agent: AgentName) -> Case:
        if agent != "lobby":
            return self._typed(rng, agent)
        path = rng.choice(
            ("/v1/stream", f"/v1/rooms/{rng.choice((LIVE_ROOM, 'old', 'r1'))}/stream")
        )
        headers = self._key(rng)
        if rng.random() < 0.4:
            headers |= {"Last-Event-ID": rng.choice(("0", "5", "x", "9" * 18))}
        data = request("GET", path + self._query(rng, ("after", "feed")), headers)
        manner: Manner = "dropped" if rng.random() < 0.3 else "stream"
        return Case(agent, "a stream", (data,), manner)

    # The lobby's REST interface.

    def _rest(self, rng: random.Random) -> Case:
        operation = rng.choice(_REST)
        headers, places = self._key(rng), self._places
        has_key = headers.get("Authorization") == f"Bearer {self._keys.operator}"
        rooms = (*places.rooms, *(() if has_key and operation.is_command else (LIVE_ROOM, "old")))
        path = operation.path
        for name, known in (
            ("{roomId}", rooms),
            ("{playerId}", ("player-1", "player-2")),
            ("{handNumber}", _NUMBERS),
            ("{gameType}", ("texas-holdem", "kuhn_poker", "chess")),
            ("{slug}", ("room-not-found", "invalid-request")),
        ):
            text = rng.choice(known) if rng.random() < 0.8 else rng.choice(_TEXTS)
            path = path.replace(name, quote(text.encode("utf-8", "surrogatepass"), safe=""))
        path += self._query(rng, tuple(_QUERY))
        body = b""
        if operation.is_command:
            headers["Content-Type"] = "application/json"
            body = self._rest_body(rng, operation.operation_id)
            headers |= {"Idempotency-Key": f"k-{rng.randint(1, 30)}"} if rng.random() < 0.2 else {}
        kind = operation.operation_id
        if rng.random() < 0.15:
            data = with_odd_headers(rng, operation.method, path, headers, body)
            return Case("lobby", f"{kind}, odd headers", in_pieces(rng, data), "raw")
        data = request(operation.method, path, headers, body)
        return self._sent(rng, "lobby", kind, data)

    def _rest_body(self, rng: random.Random, operation_id: str) -> bytes:
        for _ in range(40):
            call = call_of("lobby", rng, self._places)
            if call.skill == operation_id:
                break
        data = {name: one for name, one in call.data.items() if name != "roomId"}
        if call.skill == "createRoom":
            data = dict(call.data)
        body = encoded(mutated(rng, data) if rng.random() < 0.6 else data)
        return rng.choice(SPOILT)(rng, body) if rng.random() < 0.15 else body

    def _key(self, rng: random.Random) -> dict[str, str]:
        token = rng.choice((self._keys.operator, self._keys.operator, "", "x", self._keys.fleet))
        return {"Authorization": f"Bearer {token}"} if token else {}

    @staticmethod
    def _query(rng: random.Random, names: tuple[str, ...]) -> str:
        if rng.random() < 0.5:
            return ""
        chosen = [rng.choice(names) for _ in range(rng.randint(1, 3))]
        return "?" + "&".join(
            f"{name}={quote(rng.choice(_QUERY[name]), safe='')}" for name in chosen
        )

    @staticmethod
    def _sent(
        rng: random.Random, agent: AgentName, kind: str, data: bytes, manner: Manner = "call"
    ) -> Case:
        if rng.random() < 0.02:
            manner = "dropped"
        return Case(agent, kind, in_pieces(rng, data), manner)
