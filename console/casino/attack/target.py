"""The target: what an outsider can learn of a casino, and how it is called."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson
from casino_contracts import RoomKey

from casino.attack.attacks.reply import Depth, Reply, read_a2a, read_rest
from casino.attack.attacks.traffic import NoAnswer, NotOurs, Traffic
from casino.attack.bindings import BINDINGS, CAPABILITY, HEADERS, Binding, Json, filled
from casino.attack.bot import Bot
from casino.attack.canary import Canary
from casino.attack.reach import origin_of

CARD_PATH = "/.well-known/agent-card.json"
_FAULT, _FULL = 500, 503
_RETRY_S = 1.0
_WAITS = 3
_LOOKS, _LOOK_S = 300, 0.2
"""So often, and so far apart, it is asked whether a player has left."""


@dataclass(frozen=True)
class Agent:
    """An agent of the casino: its name on the card, and the address below which it lives."""

    name: str
    base: str

    @property
    def card_url(self) -> str:
        """The address of its card."""
        return self.base + CARD_PATH

    @property
    def origin(self) -> str:
        """Where its process listens."""
        return origin_of(self.base)

    def url(self, path: str, capability: str = "") -> str:
        """Return the address of a path of the agent, behind a capability where one is given."""
        prefix = f"/t/{capability}" if capability else ""
        return self.origin + prefix + urlsplit(self.base).path + path


@dataclass(frozen=True)
class Room:
    """What everybody may know of a room."""

    room_id: str
    table_id: str
    game_type: str
    config: Json
    epoch: int
    last_sequence: int
    status: str
    is_over: bool
    table: Agent | None
    seats: tuple[Json, ...]
    hand_ids: tuple[str, ...]


class Token(NamedTuple):
    """What a caller shows, and how it is called in the evidence."""

    name: str
    value: str | None


NO_TOKEN = Token("no token", None)


class Try(NamedTuple):
    """One call: whom, over which binding, with which token, and how far it came."""

    agent: Agent
    binding: str
    token: str
    reply: Reply


@dataclass
class Target:
    """A casino under attack.

    `bot` is an agent of the attacker's own that sits in a room, where it was seated.
    `operator_key` serves to seat the bot and to undo; no attack shows it. `new_canary` starts an
    HTTP server of the attacker's own.
    """

    traffic: Traffic
    lobby: Agent
    new_canary: Callable[[], Awaitable[Canary]]
    casino_name: str = ""
    default_config: Json = field(default_factory=dict)
    rooms: list[Room] = field(default_factory=list)
    free_tables: list[Agent] = field(default_factory=list)
    players: list[Agent] = field(default_factory=list)
    left_alone: list[str] = field(default_factory=list)
    """Addresses that were learned and are not attacked, being neither loopback nor private."""
    bot: Bot | None = None
    seated_in: str = ""
    operator_key: str | None = None
    bindings: tuple[Binding, ...] = BINDINGS
    """The ways in which calls are written."""

    @property
    def open_rooms(self) -> list[Room]:
        """Rooms that are not over, the ones that play first."""
        rooms = [room for room in self.rooms if not room.is_over]
        return sorted(rooms, key=lambda room: room.status != "running")

    @property
    def tables(self) -> list[tuple[Agent, Room]]:
        """Tables that serve a room."""
        return [(room.table, room) for room in self.open_rooms if room.table is not None]

    @property
    def agents(self) -> list[Agent]:
        """Every agent of the target, one of each process."""
        tables = [table for table, _ in self.tables] + self.free_tables
        by_origin = {agent.origin: agent for agent in (*self.players, *tables, self.lobby)}
        return list(by_origin.values())

    def tokens(self, right: str, *names: str) -> list[Token]:
        """Return what a stranger may show where a right of a room's key is asked for.

        `right` is `table` or `events`, `names` are public words that somebody may have taken for a
        key.
        """
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
        agent: Agent,
        skill: str,
        data: Any,
        token: Token | None = None,
        binding: Binding = BINDINGS[0],
        fill: bytes = b"",
    ) -> Try:
        """Call an agent over one binding; an agent that asks for patience is asked again.

        `fill` is JSON that stands in the data where `FILL` does.
        """
        token = token or NO_TOKEN
        sent = dict(HEADERS)
        capability = ""
        if binding.name.startswith(CAPABILITY):
            capability = token.value or secrets.token_hex(32)
        elif token.value is not None:
            sent["authorization"] = f"Bearer {token.value}"
        body = filled(orjson.dumps(binding.body(skill, data)), fill)
        for attempt in range(_WAITS):
            try:
                answer = await self.traffic.send(
                    "POST", agent.url(binding.path, capability), headers=sent, content=body
                )
            except NoAnswer as none:
                reply = Reply(Depth.FAILED, str(none))
                break
            reply = read_a2a(answer)
            if reply.depth is not Depth.LIMITED or attempt == _WAITS - 1:
                break
            await asyncio.sleep(_RETRY_S)
        is_guess = capability and token.value is None
        return Try(agent, binding.name, "a guess" if is_guess else token.name, reply)

    async def call_over_all(
        self,
        agent: Agent,
        skill: str,
        data: Any,
        tokens: Sequence[Token],
        fill: bytes = b"",
    ) -> list[Try]:
        """Call an agent over every binding with the first token, over some with the others."""
        first, *others = tokens
        ways = [(first, binding) for binding in self.bindings]
        some = [binding for binding in self.bindings if binding.takes_every_token]
        ways += [(token, binding) for token in others for binding in some]
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
    ) -> Reply:
        """Send a request to the lobby's REST API."""
        sent = {"content-type": "application/json", **(headers or {})}
        if as_operator and self.operator_key:
            sent["authorization"] = f"Bearer {self.operator_key}"
        content = None if body is None else orjson.dumps(body)
        try:
            answer = await self.traffic.send(
                method, self.lobby.base + path, headers=sent, content=content
            )
        except NoAnswer as none:
            return Reply(Depth.FAILED, str(none))
        return read_rest(answer)

    async def leave(self, room_id: str, player_id: str) -> bool:
        """Have a player of the attacker's own leave, as the operator; tell whether it has left.

        A player leaves when the running hand is over: until then its table asks it, and everybody
        at the table would wait for one that is closed already. So this waits, at most a minute.
        """
        path = f"/v1/rooms/{room_id}"
        reply = await self.rest("DELETE", f"{path}/players/{player_id}", as_operator=True)
        if reply.depth is not Depth.ANSWERED:
            return False
        for _ in range(_LOOKS):
            reply = await self.rest("GET", path, as_operator=True)
            if reply.depth is Depth.FAILED:
                break
            room = reply.data if isinstance(reply.data, dict) else {}
            seats = (room.get("summary") or {}).get("players")
            if seats is not None and player_id not in {seat.get("playerId") for seat in seats}:
                return True
            await asyncio.sleep(_LOOK_S)
        return False

    async def is_alive(self) -> bool:
        """Tell whether the lobby still answers; one that is full for a moment is asked again."""
        for _ in range(_WAITS):
            try:
                answer = await self.traffic.send("GET", self.lobby.origin + "/healthz", timeout_s=5)
            except (NoAnswer, NotOurs):
                return False
            if answer.status != _FULL:
                return answer.status < _FAULT
            await asyncio.sleep(_RETRY_S)
        return False
