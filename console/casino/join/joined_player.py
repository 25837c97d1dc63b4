"""The agent of a joined bot: what it answers lobby and table, and its log."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, TextIO

from casino_agentkit import (
    AddressKeyRule,
    Agent,
    CommandRefused,
    Contributor,
    IdempotencyCache,
    KitReason,
    PortTaken,
    Scheme,
    Service,
    UnfairDeal,
    caller,
    new_key,
)
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_agentkit.server.serving import TlsServer, bind, server_config, url_of
from casino_agentkit.violations import violations_text
from casino_contracts import (
    HOLDEM,
    ActionRequest,
    ActionResponse,
    GameActionResponse,
    SignupResponse,
)
from casino_lobby_client.errors import CallFailed
from casino_play.errors import FunctionFailed
from casino_play.turn import outcome_of
from pydantic import ValidationError

from casino.errors import BotLogFailed


@unique
class JoinReason(StrEnum):
    """Why a call of the bot was refused."""

    BOT_FAILED = "BOT_FAILED"
    """The function raised an error, or its answer is no JSON."""
    NOT_JOINING = "NOT_JOINING"
    """The bot is not joining that room now."""
    PLAYS_HOLDEM = "PLAYS_HOLDEM"
    """The room plays another game than the bot."""
    TOO_LARGE = "TOO_LARGE"
    """The answer is too large for a frame."""
    UNKNOWN_SKILL = "UNKNOWN_SKILL"
    """The bot has no such skill."""


def _now() -> datetime:
    return datetime.now(UTC)


class BotLog:
    """Appends to a file, which only its owner can read: it has the bot's own cards.

    A file of `most_bytes` becomes `….1`, in place of an earlier one, so a bot that plays for weeks
    fills no disk.
    """

    def __init__(
        self, path: Path, now: Callable[[], datetime] = _now, most_bytes: int = 8 << 20
    ) -> None:
        self.path = path
        self._now = now
        self._most_bytes = most_bytes
        self._file = self._opened()

    def _opened(self) -> TextIO:
        path = self.path
        try:
            path.touch(mode=0o600)
            return path.open("a", encoding="utf-8")
        except OSError as error:
            raise BotLogFailed(f"--log {path}: it cannot be written ({error.strerror})") from error

    def joined(self, room_id: str, player_id: str, name: str) -> None:
        self._line("joined", {"roomId": room_id, "playerId": player_id, "displayName": name})

    def question(self, turn: Mapping[str, Any]) -> None:
        """Write a question as it came, before the bot sees it."""
        self._line("question", {"requestId": turn.get("requestId"), "turn": turn})

    def answer(self, turn: Mapping[str, Any], answer: Any, latency_ms: float) -> None:
        fields = {"requestId": turn.get("requestId"), "answer": answer}
        self._line("answer", {**fields, "latencyMs": round(latency_ms, 3)})

    def failed(self, turn: Mapping[str, Any], reason: str, latency_ms: float) -> None:
        fields = {"requestId": turn.get("requestId"), "error": reason}
        self._line("failed", {**fields, "latencyMs": round(latency_ms, 3)})

    def dealt(self, turn: ActionRequest) -> None:
        """Write the bot's own cards with their proof, for `casino verify --log`."""
        if (proof := turn.proof) is not None:
            fields = {
                "handNumber": turn.hand_number,
                "block": proof.block,
                "playerId": turn.player_id,
                "cards": [card.text for card in turn.hole_cards],
                "proof": proof.model_dump(mode="json"),
            }
            self._line("dealt", fields)

    def rejected(self, turn: Mapping[str, Any], reason: str) -> None:
        self._line("rejected", {"requestId": turn.get("requestId"), "reason": reason})

    def fault(self, fields: Mapping[str, Any]) -> None:
        self._line("fault", fields)

    def close(self) -> None:
        self._file.close()

    def _line(self, event: str, fields: Mapping[str, Any]) -> None:
        at = self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._file.write(json.dumps({"at": at, "event": event, **fields}) + "\n")
        self._file.flush()
        if self._file.tell() >= self._most_bytes:
            self._file.close()
            self.path.replace(f"{self.path}.1")
            self._file = self._opened()


Decide = Callable[[dict[str, Any]], Awaitable[Any]]
OnNotice = Callable[[dict[str, Any]], None]

_INVITATIONS = 8


@dataclass(frozen=True)
class Invitation:
    """What a lobby sends with `signup`."""

    table_id: str
    player_id: str
    seat_token: str = field(repr=False)


class JoinedPlayer:
    """Signs up, and passes questions to the bot.

    With `room_id` it takes a seat in that room only, and only while it `is_joining`.
    """

    def __init__(
        self,
        signup: SignupResponse,
        decide: Decide,
        log: BotLog,
        say: Callable[[str], None],
        *,
        room_id: str | None = None,
        notice: OnNotice | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.name = signup.display_name
        self.is_joining = False
        self.invitations: list[Invitation] = []
        self.signed_up = asyncio.Event()
        self._failed = ""
        self._decide = decide
        self._log = log
        self._say = say
        self._room_id = room_id
        self._signup = signup
        self.notice = notice
        """Learns from hands that are dealt and over; None if the bot wants no notices."""
        self._now = now
        self._contributor = Contributor()
        self._has_part = False

    def signup(self, invitation: Mapping[str, Any]) -> dict[str, Any]:
        """Accept the casino's invitation. Raises CommandRefused."""
        if self._room_id is not None and (
            not self.is_joining
            or invitation.get("roomId") != self._room_id
            or len(self.invitations) >= _INVITATIONS
        ):
            raise CommandRefused(JoinReason.NOT_JOINING, f"{self.name} takes no seat here now.")
        game = invitation.get("gameType") or HOLDEM
        if game != HOLDEM and not self._signup.plays_any_game:
            raise CommandRefused(
                JoinReason.PLAYS_HOLDEM,
                f"{self.name} plays Hold'em, and this room plays {game}:"
                " `casino join --any-game` sends it the questions of any game.",
            )
        self.invitations.append(
            Invitation(
                str(invitation.get("tableId", "")),
                str(invitation.get("playerId") or ""),
                str(invitation.get("seatToken") or ""),
            )
        )
        self.signed_up.set()
        return self._signup.model_dump(mode="json", exclude_defaults=True)

    def contribute(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Take part in the deal of a block. Raises UnfairDeal."""
        self._has_part = True
        try:
            return self._contributor.answer(request)
        except UnfairDeal as unfair:
            self._say(unfair.message)
            raise

    def _check_deal(self, turn: Mapping[str, Any]) -> None:
        """Raise UnfairDeal if the bot's cards are not those that the table committed to."""
        if not self._has_part or "holeCards" not in turn:
            return
        try:
            asked = ActionRequest.model_validate(turn)
        except ValidationError as error:
            why = violations_text(error, "question", at_most=3)
            raise UnfairDeal(
                KitReason.UNFAIR_DEAL, f"The deal is not fair: the question cannot be read: {why}."
            ) from error
        self._log.dealt(asked)
        proof = asked.proof
        self._contributor.check(
            asked.table_id,
            asked.player_id or "",
            asked.hand_number or 0,
            None if proof is None else proof.model_dump(mode="json"),
            [card.number for card in asked.hole_cards],
            leaf=asked.own_leaf,
            asker=caller().token,
        )

    async def act(self, turn: dict[str, Any]) -> Any:
        """Decide one turn.

        Raises CommandRefused with the bot's error, which the table records, and UnfairDeal, for
        which the bot is not asked.
        """
        rejection = turn.get("rejected")
        if isinstance(rejection, dict):
            reason = str(rejection.get("message", "no reason was sent"))
            self._log.rejected(turn, reason)
            if reason != self._failed:  # its own error, which was shown
                self._say(f"{_place(turn)}not accepted: {reason}; asked once more")
        self._log.question(turn)
        began = self._now()
        try:
            self._check_deal(turn)
            answer = await self._decide(turn)
        except UnfairDeal as unfair:
            self._log.failed(turn, unfair.message, 1000 * (self._now() - began))
            self._failed = unfair.message
            self._say(f"{_place(turn)}{unfair.message}")
            raise
        except FunctionFailed as failed:
            self._log.failed(turn, str(failed), 1000 * (self._now() - began))
            self._failed = str(failed)
            raise CommandRefused(JoinReason.BOT_FAILED, self._failed) from failed
        self._log.answer(turn, answer, 1000 * (self._now() - began))
        self._say_default(turn, answer)
        return answer

    def _say_default(self, turn: Mapping[str, Any], answer: Any) -> None:
        message = GameActionResponse if self._signup.plays_any_game else ActionResponse
        try:
            reply = message.model_validate(answer)
        except ValidationError:  # the table says what is wrong with it
            return
        _, defaulted = outcome_of(reply, is_second=False)
        if defaulted is not None:
            who = "model" if self._signup.profile else "bot"
            self._say(f"{_place(turn)}not decided by the {who}: {defaulted.text}")

    async def answer(self, skill: str, data: dict[str, Any]) -> Any:
        match skill:
            case "signup":
                return self.signup(data)
            case "act":
                return await self.act(data)
            case "contribute":
                return self.contribute(data)
            case "notify" if self.notice is not None:
                self.notice(data)
                return {"ok": True}
        known = ", ".join(self.skills)
        raise CommandRefused(JoinReason.UNKNOWN_SKILL, f"A joined bot has {known}.")

    @property
    def skills(self) -> list[str]:
        """The skills that it answers, as its agent and a dialled gateway name them."""
        return ["signup", "act", "contribute", *(["notify"] if self.notice else [])]

    def invited(self, player_id: str) -> Invitation | None:
        """Return the invitation of a player id, else the newest."""
        newest = self.invitations[-1] if self.invitations else None
        same = (held for held in reversed(self.invitations) if held.player_id == player_id)
        return next(same, newest)


def _place(turn: Mapping[str, Any]) -> str:
    """Return `hand 17: ` of a question whose id says so, such as main/17:9:1."""
    _, _, rest = str(turn.get("requestId", "")).rpartition("/")
    hand = rest.partition(":")[0]
    return f"hand {hand}: " if hand.isdigit() else ""


_PLAYER = Scheme("playerKey", "the key in the address that the command printed")
_REPLIES = 256


@dataclass(frozen=True)
class BotAddress:
    """Where the agent listens, and the URL at which lobby and tables reach it."""

    host: str = "127.0.0.1"
    port: int = 0
    url: str | None = None


class _BotServer(TlsServer):
    """A server that leaves the signals to the command.

    Its socket listens before it starts, so nobody waits for the start: the first calls queue.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def player_agent(player: JoinedPlayer, key: str) -> Agent:
    """Return a player's agent for callers with its key; a repeated question has one answer."""
    agent = Agent(player.name, "A bot of `casino join`.", tags=("casino", "player"))
    rule = AddressKeyRule(_PLAYER, key)

    async def signup(invitation: dict[str, Any]) -> dict[str, Any]:
        """Accept the casino's invitation."""
        return player.signup(invitation)

    async def act(turn: dict[str, Any]) -> Any:
        """Decide one turn."""
        return await player.act(turn)

    async def contribute(request: dict[str, Any]) -> dict[str, Any]:
        """Take part in the deal of a block of hands."""
        return player.contribute(request)

    async def notify(notice: dict[str, Any]) -> Any:
        """Learn from a hand that was dealt, or is over."""
        return await player.answer("notify", notice)

    memory = IdempotencyCache(ignoring=("deadlineMs",), size=_REPLIES)
    agent.entrypoint("signup", who=rule)(signup)
    agent.entrypoint("act", who=rule, memory=memory)(act)
    agent.entrypoint("contribute", who=rule)(contribute)
    if player.notice is not None:
        agent.entrypoint("notify", who=rule)(notify)
    return agent


@asynccontextmanager
async def served(player: JoinedPlayer, address: BotAddress) -> AsyncIterator[str]:
    """Serve the player within the block; gives its card's URL with the key. Raises CallFailed."""
    try:
        listener = bind(address.host, address.port)
    except PortTaken as error:
        raise CallFailed(f"{error}; choose another --port, or none for a free one") from error
    url = (address.url or url_of(address.host, listener.getsockname()[1])).rstrip("/")
    key = new_key()
    service = Service({"": player_agent(player, key)}, public_url=url, capability=key)
    limits = DEFAULT_LIMITS
    config = server_config(service.asgi(), limits, service.registry)
    config.loop = "none"  # it runs in the loop of the command
    config.timeout_graceful_shutdown = 1
    server = _BotServer(config, None)
    async with service.running():
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            (card_url,) = service.card_urls(url, with_capability=True)
            yield card_url
        finally:
            server.should_exit = True
            await serving
