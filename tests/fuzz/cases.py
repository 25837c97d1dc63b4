"""The cases of a run: each is made of the run's seed and its own number, and of nothing else.

`make fuzz-api` has those of the lobby's REST interface.
"""

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from casino.attack.binding_calls import BINDINGS
from casino_agentkit.protocol import CARD_PATH
from casino_lobby.page import WEB
from fuzz.envelopes import Written, other_method, other_route, spoilt, written
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
from fuzz.services import Beside, framed, routed
from fuzz.typed_calls import AgentName, Places, TypedCall, call_of
from fuzz.values import SPOILT, mutated

LIVE_ROOM = "green"
"""It plays all the time; only callers without a key name it in commands."""
_READS = (
    "/healthz", "/readyz", "/metrics", CARD_PATH, "/.well-known/jwks.json", "/openapi.json", "/",
    *(f"/page/{path.relative_to(WEB)}" for path in sorted(WEB.rglob("*"))),
)  # fmt: skip
_STREAMS = tuple(
    f"/v1/{path}?{query}"
    for path in ("stream", f"rooms/{LIVE_ROOM}/stream", "rooms/old/stream", "rooms/r1/stream")
    for query in ("", "after=0", "after=1.1", "after=" + "9" * 20, "feed=commentator", "feed=x")
)


class Keys(NamedTuple):
    """Tokens that the fuzzer may show."""

    operator: str
    fleet: str


class Cases:
    def __init__(
        self,
        seed: int,
        places: Places,
        keys: Keys,
        bases: Mapping[AgentName, str],
        beside: Mapping[AgentName, Beside],
    ) -> None:
        self._seed = seed
        self._places = places
        self._keys = keys
        self._bases = bases
        """Where an agent is on its server, such as /tables/1."""
        self._beside = beside
        """Those of the services beside the lobby."""

    def case(self, number: int) -> Case:
        """Return a case; the same number is always the same case."""
        rng = random.Random(f"{self._seed}/{number}")
        agent: AgentName = rng.choice(
            ("lobby", "lobby", "table", "player", "gateway", "evaluator", "match")
        )
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
        place = self._beside.get(agent)
        is_own = place is not None and place.routes and make not in {self._plain, self._rubbish}
        if place is not None and is_own and (agent == "gateway" or rng.random() < 0.5):
            own = framed if place.sockets and rng.random() < 0.3 else routed
            return own(rng, agent, place)
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
        way = spoilt(rng, call) if rng.random() < 0.45 else written(call, rng.choice(BINDINGS))
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
        if agent == "gateway" or rng.random() < 0.5:
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
        token = rng.choice((self._keys.operator, self._keys.operator, "", "x", self._keys.fleet))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if rng.random() < 0.4:
            headers |= {"Last-Event-ID": rng.choice(("0", "5", "x", "9" * 18))}
        data = request("GET", rng.choice(_STREAMS), headers)
        manner: Manner = "dropped" if rng.random() < 0.3 else "stream"
        return Case(agent, "a stream", (data,), manner)

    @staticmethod
    def _sent(
        rng: random.Random, agent: AgentName, kind: str, data: bytes, manner: Manner = "call"
    ) -> Case:
        if rng.random() < 0.02:
            manner = "dropped"
        return Case(agent, kind, in_pieces(rng, data), manner)
