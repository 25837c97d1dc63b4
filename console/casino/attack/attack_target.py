"""The attacked casino: what is publicly known of it, and calls to its agents."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import orjson
from casino_contracts import RoomKey
from casino_lobby_client.lobby_client import room_path

from casino.attack.attack_traffic import Traffic, origin_of
from casino.attack.binding_calls import (
    BINDINGS,
    CAPABILITY,
    HEADERS,
    Depth,
    Json,
    TriedBinding,
    TriedReply,
    filled,
    read_a2a,
    read_rest,
)
from casino.attack.callback_server import CARD_PATH, CallbackBot, CallbackServer
from casino.errors import NoAnswer, NotOurs

_FAULT, _FULL = 500, 503
_RETRY_S = 1.0
_ATTEMPTS = 3
_POLLS, _POLL_S = 300, 0.2
"""Number and interval of the polls whether a player has left."""


@dataclass(frozen=True)
class AttackedAgent:
    """An agent of the casino: the name on its card and its base URL."""

    name: str
    base: str

    @property
    def card_url(self) -> str:
        return self.base + CARD_PATH

    @property
    def origin(self) -> str:
        return origin_of(self.base)

    def url(self, path: str, capability: str = "") -> str:
        """Return the URL of a path of the agent, with a capability prefix if one is passed."""
        prefix = f"/t/{capability}" if capability else ""
        return self.origin + prefix + urlsplit(self.base).path + path


@dataclass(frozen=True)
class AttackedRoom:
    """Public facts about a room."""

    room_id: str
    table_id: str
    game_type: str
    config: Json
    epoch: int
    last_sequence: int
    status: str
    is_over: bool
    is_invited: bool
    """Whether only its owner and the operator seat players."""
    table: AttackedAgent | None
    seats: tuple[Json, ...]
    hand_ids: tuple[str, ...]


class Token(NamedTuple):
    """A bearer token and its description for the evidence."""

    name: str
    value: str | None


NO_TOKEN = Token("no token", None)


class Try(NamedTuple):
    """One call: the agent, binding and token, and the reply."""

    agent: AttackedAgent
    binding: str
    token: str
    reply: TriedReply


@dataclass
class AttackTarget:
    """A casino under attack.

    `bot` is the attacker's own seated agent, if there is one. `operator_key` is used only to seat
    the bot, to judge and to undo damage; attacks show keys that are derived from it.
    `new_canary` starts an HTTP server of the attacker.
    """

    traffic: Traffic
    lobby: AttackedAgent
    new_canary: Callable[[], Awaitable[CallbackServer]]
    casino_name: str = ""
    default_config: Json = field(default_factory=dict)
    rooms: list[AttackedRoom] = field(default_factory=list)
    free_tables: list[AttackedAgent] = field(default_factory=list)
    players: list[AttackedAgent] = field(default_factory=list)
    services: dict[str, AttackedAgent] = field(default_factory=dict)
    """Gateway and evaluator, as far as their addresses are known."""
    bot: CallbackBot | None = None
    seated_in: str = ""
    operator_key: str | None = None
    bindings: tuple[TriedBinding, ...] = BINDINGS
    """The encodings to try."""

    @property
    def open_rooms(self) -> list[AttackedRoom]:
        """Rooms that are not closed or failed, running ones first."""
        rooms = [room for room in self.rooms if not room.is_over]
        return sorted(rooms, key=lambda room: room.status != "running")

    @property
    def tables(self) -> list[tuple[AttackedAgent, AttackedRoom]]:
        return [(room.table, room) for room in self.open_rooms if room.table is not None]

    @property
    def agents(self) -> list[AttackedAgent]:
        """One agent of each process of the target."""
        tables = [table for table, _ in self.tables] + self.free_tables
        agents = (*self.services.values(), *self.players, *tables, self.lobby)
        by_origin = {agent.origin: agent for agent in agents}
        return list(by_origin.values())

    def tokens(self, right: str, *names: str) -> list[Token]:
        """Return what an outsider can try as a key to `right` (`table` or `events`)."""
        tokens = [NO_TOKEN, Token("a random token", secrets.token_hex(32))]
        for name in names:
            key = RoomKey(name)
            tokens.append(
                Token("a key made of public names", key.table if right == "table" else key.events)
            )
        if self.bot is not None and self.bot.seat_token:
            tokens.append(Token("its own seat token", self.bot.seat_token))
        return tokens

    async def call(
        self,
        agent: AttackedAgent,
        skill: str,
        data: Any,
        token: Token | None = None,
        binding: TriedBinding = BINDINGS[0],
        fill: bytes = b"",
    ) -> Try:
        """Call an agent, again if the rate is limited; `fill` is raw JSON in place of `FILL`."""
        token = token or NO_TOKEN
        headers = dict(HEADERS)
        capability = ""
        if binding.name.startswith(CAPABILITY):
            capability = token.value or secrets.token_hex(32)
        elif token.value is not None:
            headers["authorization"] = f"Bearer {token.value}"
        body = filled(orjson.dumps(binding.body(skill, data)), fill)
        for attempt in range(_ATTEMPTS):
            try:
                answer = await self.traffic.send(
                    "POST",
                    agent.url(binding.path_of(skill), capability),
                    headers=headers,
                    content=body,
                )
            except NoAnswer as none:
                reply = TriedReply(Depth.FAILED, str(none))
                break
            reply = read_a2a(answer)
            if reply.depth is not Depth.LIMITED or attempt == _ATTEMPTS - 1:
                break
            await asyncio.sleep(_RETRY_S)
        is_guess = capability and token.value is None
        return Try(agent, binding.name, "a guess" if is_guess else token.name, reply)

    async def call_over_all(
        self,
        agent: AttackedAgent,
        skill: str,
        data: Any,
        tokens: Sequence[Token],
        fill: bytes = b"",
    ) -> list[Try]:
        """Call an agent over every binding with the first token, and over a few with the others."""
        first, *others = tokens
        ways = [(first, binding) for binding in self.bindings]
        for_all = [binding for binding in self.bindings if binding.takes_every_token]
        ways += [(token, binding) for token in others for binding in for_all]
        tries = [self.call(agent, skill, data, token, binding, fill) for token, binding in ways]
        return list(await asyncio.gather(*tries))

    async def rest(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        as_operator: bool = False,
        at: AttackedAgent | None = None,
    ) -> TriedReply:
        """Send a request to the lobby's REST API, or to that of another service."""
        sent = {"content-type": "application/json", **(headers or {})}
        if as_operator and self.operator_key:
            sent["authorization"] = f"Bearer {self.operator_key}"
        content = None if body is None else orjson.dumps(body)
        try:
            answer = await self.traffic.send(
                method, (at or self.lobby).base + path, headers=sent, content=content
            )
        except NoAnswer as none:
            return TriedReply(Depth.FAILED, str(none))
        return read_rest(answer)

    async def leave(self, room_id: str, player_id: str) -> bool:
        """Make the attacker's own player leave, as the operator; return whether it has left.

        Waits for at most a minute: the player must keep answering until the running hand is over,
        otherwise the whole table would wait for its timeouts.
        """
        path = room_path(room_id)
        reply = await self.rest(
            "DELETE", f"{path}/players/{quote(player_id, safe='')}", as_operator=True
        )
        if reply.depth is not Depth.ANSWERED:
            return False
        for _ in range(_POLLS):
            reply = await self.rest("GET", path, as_operator=True)
            if reply.depth is Depth.FAILED:
                break
            room = reply.data if isinstance(reply.data, dict) else {}
            seats = (room.get("summary") or {}).get("players")
            if seats is not None and player_id not in {seat.get("playerId") for seat in seats}:
                return True
            await asyncio.sleep(_POLL_S)
        return False

    async def is_alive(self) -> bool:
        """Return whether the lobby answers; retries while it is temporarily full."""
        for _ in range(_ATTEMPTS):
            try:
                answer = await self.traffic.send("GET", self.lobby.origin + "/healthz", timeout_s=5)
            except (NoAnswer, NotOurs):
                return False
            if answer.status != _FULL:
                return answer.status < _FAULT
            await asyncio.sleep(_RETRY_S)
        return False
