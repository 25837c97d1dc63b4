"""A bot that dialled in: its address, and the calls that go down its connection."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from casino_agentkit import CommandRefused
from casino_agentkit.bounds import shown
from casino_seats.seat_agent import digest_of

from casino_gateway.bots.codes import BotReason
from casino_gateway.bots.frames import Answer, FrameId, request_frame
from casino_gateway.bots.limits import BotLimits

Send = Callable[[str], Awaitable[None]]

_ID_LETTERS = 32
_GRACE_S = 5.0
"""What a call may take beyond the clock of its question: the caller's clock decides."""
_SECOND_ATTEMPT_S = 1.0


def bot_id_of(token: str) -> str:
    """Return the id in the address of a bot, from its token: the same at every connection.

    So the address outlives the gateway's process, and nothing is stored.
    """
    return digest_of(token).hex()[:_ID_LETTERS]


@dataclass
class Line:
    """One connection of a bot: how to send, and the calls that wait for their answer."""

    send: Send
    close: Callable[[], None]
    """Ends the connection, because a newer one replaced it."""
    pending: dict[FrameId, "asyncio.Future[Any]"] = field(default_factory=dict)
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def answered(self, answer: Answer) -> None:
        """Take an answer; one to no open call, for example a late one, is dropped."""
        waiting = self.pending.get(answer.id)
        if waiting is None or waiting.done():
            return
        if answer.reason is not None:
            waiting.set_exception(CommandRefused(answer.reason, answer.message))
        else:
            waiting.set_result(answer.data)

    def lost(self) -> None:
        """Fail every open call, because the connection is gone."""
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
        """Whether it can be called."""
        return self.line is not None

    async def call(self, skill: str, data: Mapping[str, Any]) -> Any:
        """Call the bot and return its answer.

        Raises CommandRefused: BOT_AWAY, BOT_BUSY, BOT_SILENT, or the bot's own reason.
        """
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
