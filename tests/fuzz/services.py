"""The services beside a lobby as they are delivered, and cases of what they are sent."""

import base64
import random
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from casino_agentkit import Service
from casino_evaluator.app import build_app as build_evaluator
from casino_evaluator.settings import EvaluatorSettings
from casino_gateway.app import build_app as build_gateway
from casino_gateway.settings import GatewaySettings
from casino_match.app import build_app as build_match
from casino_match.settings import MatchSettings
from fuzz.http_cases import Case, in_pieces, request, with_odd_headers
from fuzz.typed_calls import AgentName
from fuzz.values import encoded, mutated
from support.attack.arena import OPERATOR_KEY, Arena

_FIELDS: dict[str, Any] = {
    "type": "get_state", "version": "1.0.0", "game": "texas-holdem", "agent_id": "ai-1",
    "match_id": "green", "name": "Ada", "token": "x" * 40, "action": {"type": "call"},
    "address": "0x" + "AB" * 20, "walletAddress": "0x" + "CD" * 20, "nonce": "n" * 32,
    "signature": "0x" + "EF" * 65, "allowedGames": ["texas-holdem"], "maxStakePerRound": 10,
    "game_type": "texas-holdem", "room_id": "green", "amount": 5, "seat": 1, "buyIn": 100,
    "game_id": "kuhn", "card_id": "c-1", "guid": "g-1", "tags": ["night"], "reasoning": "why",
    "settings": {"version": "1.0.0", "data": {"maxHands": 2}}, "payload": {"action": "fold"},
    "id": 7, "x": 3, "y": 4, "from_sequence": 0, "settled": True,
}  # fmt: skip
"""What bodies and frames of these services have, each in some of them."""
_TYPES = (
    "auth", "authenticate", "join_room", "leave_room", "action", "ping", "pong", "hello", "answer",
    "get_state", "get_matches", "create_match", "subscribe", "resume", "",
)  # fmt: skip
_IDS = ("green", "old", "nowhere", "kuhn", "texas-holdem", "%00", "%2e%2e", "a%2Fb", "x" * 300)
_PARAMETER = re.compile(r"\{[^}]*\}")
_DATA_FRAMES = (0x81, 0x82, 0x01, 0x80, 0x89, 0x88, 0x83)
"""Texts and bytes, whole and in part, a ping, a close, and what is none."""


class Beside(NamedTuple):
    """Where a service listens, and what of it takes a request."""

    port: int
    routes: tuple[tuple[str, str], ...]
    sockets: tuple[str, ...]
    headers: Mapping[str, str]
    """Those of a caller whose requests are read."""


async def services_beside(casino: Arena, data: Path) -> dict[AgentName, Beside]:
    """Serve gateway, evaluator and service of matches; they end with the casino."""
    to_lobby: dict[str, Any] = {
        "lobby_url": casino.lobby_url,
        "operator_token": OPERATOR_KEY,
        "call_addresses": "loopback",
    }
    builds: dict[AgentName, Callable[[str], Service]] = {
        "gateway": partial(
            build_gateway, GatewaySettings.model_validate({**to_lobby, "data": data / "gateway"})
        ),
        "evaluator": partial(
            build_evaluator,
            EvaluatorSettings.model_validate(
                {**to_lobby, "data": data / "evaluator", "requests_per_minute": 0}
            ),
        ),
        "match": partial(
            build_match,
            MatchSettings.model_validate(
                {"data": data, "operator_token": OPERATOR_KEY, "decks": 2, "kept": 20}
            ),
        ),
    }
    return {name: await _place(casino, name, build) for name, build in builds.items()}


async def _place(casino: Arena, name: AgentName, build: Callable[[str], Service]) -> Beside:
    built: list[Service] = []

    def kept(url: str) -> Service:
        built.append(build(url))
        return built[0]

    url = await casino.serve(kept)
    routes, sockets = [], []
    for route in built[0].routes:
        path: str = getattr(route, "path", "")
        methods = getattr(route, "_operations", None) or getattr(route, "methods", None)
        routes += [(method, path) for method in methods or ()]
        sockets += [] if methods else [path]
    return Beside(int(url.rpartition(":")[2]), tuple(routes), tuple(sockets), await _key(name, url))


async def _key(name: AgentName, url: str) -> dict[str, str]:
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        if name == "gateway":
            token = (await http.post("/api/auth/guest", json={})).json()["token"]
            return {"Authorization": f"Bearer {token}"}
        if name == "evaluator":
            reply = (await http.get("/api/games/anonkey")).json()
            return {"X-API-Key": next(iter(reply.values()))}
    return {"Authorization": f"Bearer {OPERATOR_KEY}"}


def _body(rng: random.Random) -> bytes:
    fields = {name: value for name, value in _FIELDS.items() if rng.random() < 0.3}
    return encoded(mutated(rng, fields) if rng.random() < 0.7 else fields)


def routed(rng: random.Random, agent: AgentName, place: Beside) -> Case:
    """Return a request to a route of a service, right or wrong."""
    method, path = rng.choice(place.routes)
    target = _PARAMETER.sub(lambda _: rng.choice(_IDS), path)
    headers = {"Content-Type": "application/json"} if method in {"POST", "PUT", "PATCH"} else {}
    body = _body(rng) if headers or rng.random() < 0.1 else b""
    if rng.random() < 0.6:
        headers |= place.headers
    if rng.random() < 0.3:
        target += rng.choice(("?limit=9", "?after=x", "?token=y", "?game=kuhn&after=1", "?%00"))
    if rng.random() < 0.2:
        data = with_odd_headers(rng, method, target, headers, body)
        return Case(agent, f"{method} {path}, odd headers", in_pieces(rng, data), "raw")
    data = request(method, target, headers, body)
    is_stream = path.startswith("/bgp/stream")
    return Case(agent, f"{method} {path}", in_pieces(rng, data), "stream" if is_stream else "call")


def framed(rng: random.Random, agent: AgentName, place: Beside) -> Case:
    """Return a WebSocket's frames, right or wrong, whose sender goes away."""
    path = rng.choice(place.sockets)
    key = base64.b64encode(rng.randbytes(16)).decode()
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
        **(place.headers if rng.random() < 0.5 else {}),
    }
    frames = [_frame(rng) for _ in range(rng.randint(1, 6))]
    return Case(agent, f"frames at {path}", (request("GET", path, upgrade), *frames), "dropped")


def _frame(rng: random.Random) -> bytes:
    payload = _body(rng)
    if rng.random() < 0.7:
        payload = encoded({**_FIELDS, "type": rng.choice(_TYPES)})
    first = 0x81 if rng.random() < 0.8 else rng.choice(_DATA_FRAMES)
    if first & 0x08:
        payload = payload[: rng.choice((0, 2, 125, 126))]
    size = len(payload)
    if size < 126:
        length = bytes([0x80 | size])
    elif size < 2**16:
        length = bytes([0x80 | 126]) + size.to_bytes(2)
    else:
        length = bytes([0x80 | 127]) + size.to_bytes(8)
    mask = rng.randbytes(4)
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
    return bytes([first]) + length + mask + masked
