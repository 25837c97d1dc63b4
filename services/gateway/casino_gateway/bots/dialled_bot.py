"""A bot that dialled in: its limits and address, and the agent whose calls go down its line."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from casino_agentkit import ANYONE, Agent, CommandRefused, IdempotencyCache
from casino_agentkit.accepted_json import shown
from casino_contracts import Defaulted
from casino_gamespec import default_action
from casino_seats.seat_agent import digest_of

from casino_gateway import __version__
from casino_gateway.bots.bot_frames import AnswerFrame, BotReason, FrameId, request_frame

Send = Callable[[str], Awaitable[None]]
_ID_LETTERS = 32
_GRACE_S = 5.0
"""What a call may take beyond the clock of its question: the caller's clock decides."""
_SECOND_ATTEMPT_S = 1.0
_ANSWERS = 32


@dataclass(frozen=True, slots=True)
class BotLimits:
    """Limits of one gateway. Times in seconds."""

    connections: int = 500
    """Connections of bots at a time."""
    per_address: int = 20
    """Of these, those of one network address; 0: any."""
    pending: int = 8
    """Calls of one bot that wait for an answer."""
    own_requests: int = 4
    """Requests of one bot that the gateway works on."""
    frames_per_second: float = 500.0
    """Frames of one bot, on average; a burst may have twice as many."""
    connections_per_minute: float = 60.0
    """New connections of one address, on average and at once."""
    hello: float = 10.0
    """How long a connection may take to send its first frame."""
    call: float = 30.0
    """How long a call may take that names no clock."""
    longest_call: float = 900.0
    """How long a call may take at most, whatever clock it names."""
    kept: float = 600.0
    """How long the address of a bot that is gone answers that it is gone."""
    kept_bots: int = 1_000
    """How many of these addresses are kept."""
    levels: int = 32
    """Levels of objects and lists in a frame."""


def bot_id_of(token: str) -> str:
    """Return the id in a bot's address; as it follows from the token, nothing is stored."""
    return digest_of(token).hex()[:_ID_LETTERS]


@dataclass
class Line:
    """One connection of a bot: how to send, and the calls that wait for their answer."""

    send: Send
    close: Callable[[], None]
    """Ends the connection, because a newer one replaced it."""
    pending: dict[FrameId, "asyncio.Future[Any]"] = field(default_factory=dict)
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def answered(self, answer: AnswerFrame) -> None:
        """Take an answer; one to no open call, for example a late one, is dropped."""
        waiting = self.pending.get(answer.id)
        if waiting is None or waiting.done():
            return
        if answer.reason is not None:
            waiting.set_exception(CommandRefused(answer.reason, answer.message))
        else:
            waiting.set_result(answer.data)

    def lost(self) -> None:
        for waiting in self.pending.values():
            if not waiting.done():
                waiting.set_exception(_away("its connection broke before it answered"))


class DialledBot:
    """A bot at one address; `line` is None while it is not connected."""

    def __init__(self, bot_id: str, name: str, limits: BotLimits) -> None:
        self.bot_id = bot_id
        self.name = shown(name) or "Bot"
        self.players: dict[tuple[str, str], str] = {}
        """Player ids by room and request id of the `join`."""
        self.line: Line | None = None
        self.gone_at: float | None = None
        self._limits = limits

    @property
    def is_connected(self) -> bool:
        return self.line is not None

    async def call(self, skill: str, data: Mapping[str, Any]) -> Any:
        """Raise CommandRefused: BOT_AWAY, BOT_BUSY, BOT_SILENT, or the bot's own reason."""
        line = self.line
        if line is None:
            raise _away("it is not connected to the gateway")
        if len(line.pending) >= self._limits.pending:
            raise CommandRefused(
                BotReason.BOT_BUSY,
                f"The bot has {len(line.pending)} unanswered calls; answer those first.",
            )
        number = next(line.numbers)
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        line.pending[number] = waiting
        limit_s = self._limit_s(data)
        try:
            async with asyncio.timeout(limit_s):
                await line.send(request_frame(number, skill, data))
                return await waiting
        except TimeoutError as error:
            raise CommandRefused(
                BotReason.BOT_SILENT,
                f"The bot did not answer the frame {number} within {limit_s:.0f} s.",
            ) from error
        finally:
            del line.pending[number]
            waiting.cancel()

    def _limit_s(self, data: Mapping[str, Any]) -> float:
        clock, bank = data.get("deadlineMs"), data.get("timeBankMs")
        if isinstance(clock, bool) or not isinstance(clock, int | float):
            return self._limits.call
        more = bank if isinstance(bank, int | float) else 0
        clock_s = max(clock + more, 1000 * _SECOND_ATTEMPT_S) / 1000
        return min(clock_s + _GRACE_S, self._limits.longest_call)


def _away(what: str) -> CommandRefused:
    return CommandRefused(
        BotReason.BOT_AWAY, f"The bot is away: {what}. It keeps its seat and may return."
    )


def _default_of(request: Mapping[str, Any]) -> Any:
    """Return the default action of a question, None for one that offers nothing."""
    legal = request.get("legalActions")
    try:
        if isinstance(legal, list):
            return default_action([{"action_type": kind} for kind in legal])["action_type"]
        return default_action(request.get("availableActions") or ())
    except (AttributeError, TypeError, ValueError):
        return None  # the bot would have read the question; its table is told that it is away


def bot_agent(bot: DialledBot, skills: Sequence[str]) -> Agent:
    """Return the agent, which whoever knows its address may call: only the bot's token yields it.

    Answers are kept for the token of their caller, so one table never gets those to another.
    """
    agent = Agent(
        bot.name,
        "A bot that is connected to the gateway from its side.",
        version=__version__,
        tags=("casino", "player"),
    )

    async def signup(invitation: dict[str, Any]) -> Any:
        """Accept the casino's invitation."""
        return await bot.call("signup", invitation)

    async def act(request: dict[str, Any]) -> Any:
        """Decide one turn."""
        try:
            return await bot.call("act", request)
        except CommandRefused as refusal:
            if refusal.reason != BotReason.BOT_AWAY:
                raise
            default = _default_of(request)
            if default is None:
                raise
            why = Defaulted(reason="disconnected", detail=refusal.message)
            return {"action": default, "defaulted": why.model_dump(mode="json")}

    async def notify(notice: dict[str, Any]) -> Any:
        """Take the cards at the deal, and the result of a hand."""
        return await bot.call("notify", notice)

    async def contribute(request: dict[str, Any]) -> Any:
        """Take part in the deal of a block of hands."""
        return await bot.call("contribute", request)

    # A question that the table repeats, because the answer was lost, is not asked twice.
    memory = IdempotencyCache(ignoring=("deadlineMs",), size=_ANSWERS)
    agent.entrypoint("signup", who=ANYONE)(signup)
    agent.entrypoint("act", who=ANYONE, memory=memory)(act)
    if "notify" in skills:
        agent.entrypoint("notify", who=ANYONE)(notify)
    if "contribute" in skills:
        agent.entrypoint("contribute", who=ANYONE)(contribute)
    return agent
