"""The bots of this gateway by their address, and the limits on their number."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil

from casino_agentkit import CommandRefused, HostedAgents
from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.network import network_of
from casino_agentkit.protocol import CARD_PATH

from casino_gateway.bots.bot_frames import BotReason, Hello
from casino_gateway.bots.dialled_bot import BotLimits, DialledBot, Line, bot_agent, bot_id_of
from casino_gateway.seats.registration import SEATS

_MINUTE_S = 60.0


class BotIndex:
    """Bots, connected and gone. `now` returns seconds."""

    def __init__(
        self, hosted: HostedAgents, url: str, limits: BotLimits, now: Callable[[], float]
    ) -> None:
        self._hosted = hosted
        self._url = url
        self._limits = limits
        self._now = now
        self._bots: dict[str, DialledBot] = {}
        self._connections: Counter[str] = Counter()
        rate = limits.connections_per_minute
        self._attempts = RateLimit(rate / _MINUTE_S, rate, now)

    def __len__(self) -> int:
        return sum(bot.is_connected for bot in self._bots.values())

    @contextmanager
    def connection(self, address: str) -> Iterator[None]:
        network = network_of(address)
        if not self._attempts.take(network):
            wait_s = ceil(self._attempts.wait_s(network))
            raise CommandRefused(
                BotReason.RATE_LIMITED,
                f"Too many connections of bots from here; retry in {wait_s} s.",
            )
        if self._connections.total() >= self._limits.connections:
            raise CommandRefused(
                BotReason.TOO_MANY_BOTS, "The gateway has no room for a further bot."
            )
        most = self._limits.per_address
        if most and self._connections[network] >= most:
            raise CommandRefused(
                BotReason.TOO_MANY_BOTS, f"One address may connect {most} bots; close one of yours."
            )
        self._connections[network] += 1
        try:
            yield
        finally:
            self._connections[network] -= 1
            if not self._connections[network]:
                del self._connections[network]

    def connect(self, hello: Hello, token: str, line: Line) -> DialledBot:
        """Serve the bot of a token from now on, by this line; a line that it had before ends."""
        self.forget_old()
        bot_id = bot_id_of(token)
        bot = self._bots.get(bot_id)
        if bot is None:
            bot = self._bots[bot_id] = DialledBot(bot_id, hello.name, self._limits)
            self._hosted.add(bot_id, bot_agent(bot, hello.skills), _is_connected(bot))
        if bot.line is not None:
            bot.line.lost()
            bot.line.close()
        bot.line, bot.gone_at = line, None
        return bot

    def disconnect(self, bot: DialledBot, line: Line) -> None:
        """Take note that a line has ended; its open calls fail."""
        line.lost()
        if bot.line is line:
            bot.line, bot.gone_at = None, self._now()

    def card_of(self, bot: DialledBot) -> str:
        return f"{self._url}{SEATS}/{bot.bot_id}{CARD_PATH}"

    def forget_old(self) -> None:
        """Forget bots gone for long, and of too many the first; addresses follow from tokens."""
        before = self._now() - self._limits.kept
        gone = sorted(
            (bot.gone_at, bot_id) for bot_id, bot in self._bots.items() if bot.gone_at is not None
        )
        surplus = len(gone) - self._limits.kept_bots
        for place, (gone_at, bot_id) in enumerate(gone):
            if gone_at < before or place < surplus:
                del self._bots[bot_id]
                self._hosted.remove(bot_id)


def _is_connected(bot: DialledBot) -> Callable[[], bool]:
    return lambda: bot.is_connected
