"""Attacks on the operator's commands, data and browser."""

import asyncio
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

import orjson
from casino_lobby_client.lobby_client import room_path

from casino.attack.attack_base import (
    Outcome,
    attack,
    by_admission,
    not_applicable,
    refused,
    succeeded,
)
from casino.attack.attack_target import NO_TOKEN, AttackTarget, Token, Try
from casino.attack.attack_traffic import addresses_of
from casino.attack.binding_calls import BINDINGS, Depth, Json, TriedReply, read_rest
from casino.errors import NoAnswer

NO_ROOM = "no-room-of-this-name"
_ROOMS = 5
_HAS_KEY = "set CASINO_LOBBY_OPERATOR_TOKEN"
_WRONG = Token("a random token", "0" * 64)


def _room_id(target: AttackTarget) -> str:
    return target.rooms[0].room_id if target.rooms else NO_ROOM


def harmless(target: AttackTarget, url: str) -> dict[str, Json]:
    """Return commands by skill that even a vulnerable lobby refuses, unharmed."""
    commands: dict[str, Json] = {
        "registerPlayer": {"roomId": NO_ROOM, "agentCardUrl": url},
        "startRoom": {"roomId": NO_ROOM, "overrides": {"bigBlind": 1_000_000}},
        "leaveRoom": {"roomId": NO_ROOM, "playerId": "player-1"},
    }
    if target.rooms:
        taken = target.rooms[0].room_id
        commands["createRoom"] = {"roomId": taken, "config": target.default_config}
    return commands


@attack("commands", "C8", "M2")
async def command_over_a2a(target: AttackTarget) -> Outcome:
    """Open, seat, start and remove players over A2A without the operator's key."""
    canary = await target.new_canary()
    tries: list[Try] = []
    for skill, data in harmless(target, canary.card_url).items():
        tokens = [NO_TOKEN, _WRONG, *target.tokens("table")[2:]]
        tries += await target.call_over_all(target.lobby, skill, data, tokens)
    return by_admission(tries, _HAS_KEY)


@attack("commands", "C8", "M2")
async def command_over_rest(target: AttackTarget) -> Outcome:
    """Open, seat, start, remove players and close over REST without the operator's key."""
    canary = await target.new_canary()
    room = harmless(target, canary.card_url).get("createRoom")
    commands = (
        *((("POST", "/v1/rooms", room),) if room else ()),
        ("POST", f"/v1/rooms/{NO_ROOM}/players", {"agentCardUrl": canary.card_url}),
        ("POST", f"/v1/rooms/{NO_ROOM}/start", {"overrides": {"bigBlind": 1_000_000}}),
        ("POST", f"/v1/rooms/{NO_ROOM}/close", {}),
        ("DELETE", f"/v1/rooms/{NO_ROOM}", None),
        ("DELETE", f"/v1/rooms/{NO_ROOM}/players/player-1", None),
    )
    tries: list[Try] = []
    for method, path, body in commands:
        for token in (NO_TOKEN, _WRONG, *target.tokens("table")[2:]):
            headers = {"authorization": f"Bearer {token.value}"} if token.value else {}
            reply = await target.rest(method, path, body, headers)
            tries.append(Try(target.lobby, f"REST {method}", token.name, reply))
    return by_admission(tries, _HAS_KEY)


@attack("commands", "H10")
async def open_many_rooms(target: AttackTarget) -> Outcome:
    """Open many rooms over A2A, each with its own table process."""
    opened: list[str] = []
    tries: list[Try] = []
    for _ in range(_ROOMS):
        room_id = f"mallory-{secrets.token_hex(4)}"
        data = {"roomId": room_id, "config": target.default_config}
        try_ = await target.call(target.lobby, "createRoom", data)
        tries.append(try_)
        if try_.reply.depth is not Depth.ANSWERED:
            break
        opened.append(room_id)
    if not opened:
        return by_admission(tries, _HAS_KEY)
    closed = [await target.rest("DELETE", room_path(id_), as_operator=True) for id_ in opened]
    undone = sum(reply.depth is Depth.ANSWERED for reply in closed)
    return succeeded(f"{len(opened)} rooms were opened; undone: {undone} were closed; {_HAS_KEY}")


@attack("commands", "C7")
async def call_table_as_player(target: AttackTarget) -> Outcome:
    """Make the lobby call a table's skill, named as a player's `signup` skill.

    The skill only reads, so that a vulnerable lobby does no harm and gets no signup.
    """
    if not target.tables:
        return not_applicable("no room has a table that may be attacked")
    table, room = target.tables[0]
    data = {"roomId": room.room_id, "agentCardUrl": table.card_url, "signupSkill": "tableSummary"}
    tries = await target.call_over_all(target.lobby, "registerPlayer", data, [NO_TOKEN])
    path = f"{room_path(room.room_id)}/players"
    del data["roomId"]
    tries.append(_as_try(target, await target.rest("POST", path, data)))
    return _unless_denied(tries, "AGENT_", "the lobby called the table")


@attack("commands", "C7")
async def share_table(target: AttackTarget) -> Outcome:
    """Open a second room on a room's table, whose address is spelled differently."""
    spellings = [
        url
        for table, _room in target.tables
        if (url := await asyncio.to_thread(_other_spelling, table.card_url)) is not None
    ]
    if not spellings:
        return not_applicable("no table's address has a second spelling")
    url = spellings[0]
    room_id = f"mallory-{secrets.token_hex(4)}"
    data = {"roomId": room_id, "config": target.default_config, "tableAgentCardUrl": url}
    over_a2a = await target.call(target.lobby, "createRoom", data, binding=BINDINGS[0])
    over_rest = _as_try(target, await target.rest("POST", "/v1/rooms", data))
    if Depth.ANSWERED in {over_a2a.reply.depth, over_rest.reply.depth}:
        closed = await target.rest("DELETE", room_path(room_id), as_operator=True)
        undone = "undone: it was closed" if closed.depth is Depth.ANSWERED else "it is not closed"
        return succeeded(f"two rooms had one table; {undone}")
    return _unless_denied([over_a2a, over_rest], "-", "")


def _other_spelling(url: str) -> str | None:
    """Return a URL with its host replaced by its address or localhost, or None if it has none."""
    host = urlsplit(url).hostname or ""
    other = "localhost" if host == "127.0.0.1" else next(iter(addresses_of(host)), host)
    return None if other == host or ":" in other else url.replace(host, other, 1)


@attack("commands", "C1", "C8")
async def read_hidden_cards(target: AttackTarget) -> Outcome:
    """Read a hand's record or the commentator's stream without the operator's key."""
    tries: list[Try] = []
    for room in target.rooms:
        paths = [f"{room_path(room.room_id)}/stream?feed=commentator"]
        if room.hand_ids:
            number = room.hand_ids[0].rpartition("/")[2]
            paths.append(f"{room_path(room.room_id)}/hands/{number}/record")
        for path in paths:
            for token in (NO_TOKEN, _WRONG, *target.tokens("table")[2:]):
                headers = {"authorization": f"Bearer {token.value}"} if token.value else {}
                reply = await target.rest("GET", path, headers=headers)
                tries.append(Try(target.lobby, "REST GET", token.name, reply))
    answered = [try_ for try_ in tries if try_.reply.depth is Depth.ANSWERED]
    if answered:
        return succeeded(f"{len(answered)} of {len(tries)} requests were answered")
    return by_admission(tries) if tries else not_applicable("there is no room")


@attack("outgoing", "C7")
async def invite_elsewhere(target: AttackTarget) -> Outcome:
    """Make the lobby fetch an address of the attacker's choice, without the operator's key."""
    canary = await target.new_canary()
    room_id = _room_id(target)
    data = {"roomId": room_id, "agentCardUrl": canary.card_url}
    tries = await target.call_over_all(target.lobby, "registerPlayer", data, [NO_TOKEN, _WRONG])
    card = {"agentCardUrl": canary.card_url}
    tries.append(_as_try(target, await target.rest("POST", f"{room_path(room_id)}/players", card)))
    table = {"config": target.default_config, "tableAgentCardUrl": canary.card_url}
    tries += await target.call_over_all(target.lobby, "createRoom", table, [NO_TOKEN])
    tries.append(_as_try(target, await target.rest("POST", "/v1/rooms", table)))
    if canary.visits:
        return succeeded(f"the lobby sent {canary.visited()} requests; {_HAS_KEY}")
    return by_admission(tries, _HAS_KEY)


def _as_try(target: AttackTarget, reply: TriedReply) -> Try:
    return Try(target.lobby, "REST", "no token", reply)


def _unless_denied(tries: Sequence[Try], prefix: str, evidence: str) -> Outcome:
    """Judge a command that needs the operator's key; a reason with `prefix` means success."""
    if any(try_.reply.reason.startswith(prefix) for try_ in tries):
        return succeeded(evidence)
    let_in = [try_ for try_ in tries if try_.reply.was_let_in]
    if let_in:
        reasons = sorted({try_.reply.reason for try_ in let_in})
        return refused(f"accepted without the operator's key, but then: {', '.join(reasons)}")
    return by_admission(tries)


_EVIL = "https://evil.example"
FORGERIES: dict[str, dict[str, str]] = {
    "a form": {
        "content-type": "application/x-www-form-urlencoded",  # that of curl, too
        "origin": _EVIL,
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
    },
    "a body without a type": {
        "origin": _EVIL,
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "no-cors",
    },
    "a sandboxed frame": {"origin": "null", "sec-fetch-site": "cross-site"},
    "another port of the same machine": {
        "origin": "http://127.0.0.1:8000",
        "sec-fetch-site": "same-site",
    },
    "a browser that leaves the origin out": {"sec-fetch-site": "cross-site"},
    "a browser that sends the page's address alone": {"referer": f"{_EVIL}/page?of=evil"},
    "an origin that begins like ours": {"origin": "http://127.0.0.1:4000.evil.example"},
}
"""Headers of commands that a page can send anywhere, without being allowed to read the answer.

To agents it cannot, as long as they insist on A2A's header: the guard does not rely on that.
"""

REBOUND = (
    "rebound.evil.example:4000",
    "rebound.evil.example",
    "127.0.0.1.evil.example:4000",
    "localhost.evil.example",
    "evil.example.:4000",
    "LOCALHOST.EVIL.EXAMPLE:4000",
)
"""Names of the attacker's own, which now lead to the victim's loopback: the browser takes its page
to be the service's."""


@attack("browser", "C8")
async def command_from_foreign_page(target: AttackTarget) -> Outcome:
    """Send commands as a web page of another origin can: as a form, without its origin.

    The operator's key is not sent; such pages must be refused with or without it.
    """
    room = orjson.dumps(harmless(target, "http://127.0.0.1:1/").get("createRoom", {}))
    tries: list[Try] = []
    for name, headers in FORGERIES.items():
        for path, body in (("/v1/rooms", room), (f"/v1/rooms/{NO_ROOM}/close", b"{}")):
            try:
                url = target.lobby.base + path
                answer = await target.traffic.send("POST", url, headers=headers, content=body)
                reply = read_rest(answer)
            except NoAnswer as none:
                reply = TriedReply(Depth.FAILED, str(none))
            tries.append(Try(target.lobby, f"REST as {name}", "a page", reply))
    return by_admission(tries)


@attack("browser", "C8")
async def rebind_host(target: AttackTarget) -> Outcome:
    """Call lobby, tables and players by a host name that the attacker's DNS resolves to them."""
    answered: list[str] = []
    requests = 0
    for agent in target.agents:
        paths = ["/.well-known/agent-card.json"]
        if agent is target.lobby:
            paths += ["/v1/rooms", "/v1/config"]
        for path in paths:
            for host in REBOUND:
                requests += 1
                headers = {"host": host}
                try:
                    answer = await target.traffic.send("GET", agent.url(path), headers=headers)
                except NoAnswer:
                    continue
                if answer.status < 400:  # noqa: PLR2004  error statuses start there
                    answered.append(f"{agent.name} {path} as {host}")
    if answered:
        return succeeded(f"{len(answered)} of {requests} answered, such as {answered[0]}")
    return refused(f"{requests} of {requests} requests were refused")
