"""Discover a casino from its public API and its agents' cards."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson
from casino_lobby_client.lobby_client import room_path

from casino.attack.attack_target import AttackedAgent, AttackedRoom, AttackTarget
from casino.attack.attack_traffic import Traffic, is_private
from casino.attack.binding_calls import Depth
from casino.attack.callback_server import CARD_PATH, CallbackServer
from casino.errors import NoAnswer, NoLobby

_ROOMS = 8
"""Maximum number of rooms to attack; running rooms come first."""
_HANDS = 5


def base_of(url: str) -> str:
    """Return an agent's base URL, from itself or from its card's URL.

    >>> base_of("http://127.0.0.1:4500/tables/1/.well-known/agent-card.json")
    'http://127.0.0.1:4500/tables/1'
    """
    return url.removesuffix(CARD_PATH).rstrip("/")


async def learn(
    traffic: Traffic,
    lobby_url: str,
    new_canary: Callable[[], Awaitable[CallbackServer]],
    *,
    players: Sequence[str] = (),
    tables: Sequence[str] = (),
    services: Mapping[str, str | None] | None = None,
    operator_key: str | None = None,
    may_attack: Callable[[str], bool] = is_private,
) -> AttackTarget:
    """Return the casino as a target; `players` and `tables` are URLs of further cards.

    `services` are URLs by name; a gateway is known from the lobby, too, if it answers at the
    address that browsers use. The operator key is used to read a lobby that is not public.
    Raises NoLobby.
    """
    traffic.allow(lobby_url)
    target = AttackTarget(traffic, AttackedAgent("the lobby", base_of(lobby_url)), new_canary)
    target.operator_key = operator_key
    config = await _read(target, "/v1/config")
    if config is None or "defaultConfig" not in config:
        raise NoLobby(f"{lobby_url} is not a lobby")
    target.casino_name = str(config.get("name", ""))
    target.default_config = config["defaultConfig"]
    target.services = await _services(target, services or {}, config, may_attack)
    lines = (await _read(target, "/v1/rooms?limit=100") or {}).get("rooms", [])
    lines.sort(key=lambda line: line.get("status") != "running")
    for line in lines[:_ROOMS]:
        room = await _room(target, line["roomId"], may_attack)
        if room is not None:
            target.rooms.append(room)
    taken = {room.table.base for room in target.rooms if room.table is not None}
    announced = (await _read(target, "/v1/tables") or {}).get("tables", [])
    free = [line["agentCardUrl"] for line in announced if not line.get("roomId")]
    for url in (*tables, *free):
        if base_of(url) not in taken and (table := _agent(target, "a free table", url, may_attack)):
            target.free_tables.append(table)
            taken.add(table.base)
    for url in players:
        name = await _name(target, url, may_attack)
        if name is not None:
            target.players.append(AttackedAgent(name, base_of(url)))
    return target


async def read_events(target: AttackTarget, room: AttackedRoom, after: int) -> list[dict[str, Any]]:
    path = f"{room_path(room.room_id)}/events?after={after}&limit=1000&epoch={room.epoch}"
    events: list[dict[str, Any]] = (await _read(target, path) or {}).get("events", [])
    return events


async def _read(target: AttackTarget, path: str) -> dict[str, Any] | None:
    """Return a document of the public API, or None if it cannot be read."""
    reply = await target.rest("GET", path)
    if reply.depth is not Depth.ANSWERED:
        reply = await target.rest("GET", path, as_operator=True)
    is_read = reply.depth is Depth.ANSWERED and isinstance(reply.data, dict)
    return reply.data if is_read else None


async def _room(
    target: AttackTarget, room_id: str, may_attack: Callable[[str], bool]
) -> AttackedRoom | None:
    document = await _read(target, room_path(room_id))
    if document is None:
        return None
    hands = await _read(target, f"{room_path(room_id)}/hands?order=newest&limit={_HANDS}") or {}
    summary = document.get("summary") or {}
    events = document.get("events") or []
    is_over = document.get("state") in {"closed", "failed"}
    card = document.get("tableAgentCardUrl")
    return AttackedRoom(
        room_id=room_id,
        table_id=str(document.get("tableId") or room_id),
        game_type=str(document.get("gameType") or ""),
        config=document["config"],
        epoch=int(document.get("epoch") or 1),
        last_sequence=int(events[-1].get("sequence") or 0) if events else 0,
        status=str(summary.get("status", "")),
        is_over=is_over,
        is_invited=document.get("seats") == "invited",
        table=None
        if is_over or not card
        else _agent(target, f"the table of room {room_id}", card, may_attack),
        seats=tuple(summary.get("players", ())),
        hand_ids=tuple(
            hand.get("handId") or f"{document.get('tableId')}/{hand['handNumber']}"
            for hand in hands.get("hands", ())
        ),
    )


def _agent(
    target: AttackTarget, name: str, url: str, may_attack: Callable[[str], bool]
) -> AttackedAgent | None:
    if not may_attack(url):
        return None
    target.traffic.allow(url)
    return AttackedAgent(name, base_of(url))


async def _services(
    target: AttackTarget,
    named: Mapping[str, str | None],
    config: Mapping[str, Any],
    may_attack: Callable[[str], bool],
) -> dict[str, AttackedAgent]:
    """Return the services that are named, and a gateway of the lobby's that can be reached."""
    agents = {
        name: agent
        for name, url in named.items()
        if url and (agent := _agent(target, f"the {name}", url, may_attack))
    }
    listed = config.get("gatewayUrl")
    agent = _agent(target, "the gateway", listed, may_attack) if listed else None
    if agent is not None and "gateway" not in agents:
        with suppress(NoAnswer):  # the address is the one of browsers, which may be elsewhere
            await target.traffic.send("GET", agent.card_url)
            agents["gateway"] = agent
    return agents


async def _name(target: AttackTarget, url: str, may_attack: Callable[[str], bool]) -> str | None:
    """Return the name on a player's card, or its base URL if the card has none."""
    agent = _agent(target, "", url, may_attack)
    if agent is None:
        return None
    try:
        answer = await target.traffic.send("GET", agent.card_url)
        card = orjson.loads(answer.body)
    except (NoAnswer, ValueError):
        return agent.base
    return str(card.get("name") or agent.base) if isinstance(card, dict) else agent.base
