"""Command `casino join`: seat a Python function at a table."""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from casino_agentkit import configure_logs
from casino_contracts.base import SECRET_FIELDS
from casino_lobby_client.errors import CallFailed
from casino_play.bot_file import split_spec
from casino_play.errors import BotFileFailed

from casino.commands.context import (
    LOBBY_URL,
    CliContext,
    LobbyUrl,
    context_of,
    one_line_for,
    operator_key,
    run_command,
    trusted,
    url,
)
from casino.errors import BotLogFailed, DialFailed
from casino.join.joined_player import BotAddress, BotLog, JoinedPlayer
from casino.join.joining import BotJoinOrder, JoinedRoom
from casino.join.own_casino import DEBUG_CLOCK_MS, OwnCasino
from casino.join.reloaded_bot import ReloadedBot, decide_here
from casino.lobby_api import LobbyApi
from casino.operator_key import LOBBY_KEY
from casino.output import Output

Decide = Callable[[dict[str, Any]], Awaitable[Any]]

_ROOM_OPTION = "--room R, or --up for a casino of your own"
_HANDS = 1000


def join(  # noqa: PLR0913, PLR0917  the options of a command
    context: typer.Context,
    bot: Annotated[
        str, typer.Argument(metavar="FILE.py[:FUNCTION]", help="The bot. Default function: act.")
    ],
    room: Annotated[str | None, typer.Option("--room", help="The room to sit down in.")] = None,
    up: Annotated[
        bool, typer.Option("--up", help="Start a casino with sample players for the bot.")
    ] = False,
    lobby: LobbyUrl = LOBBY_URL,
    name: Annotated[
        str | None, typer.Option("--name", help="The bot's name. Default: that of the file.")
    ] = None,
    seat: Annotated[
        int | None, typer.Option("--seat", min=0, help="The preferred seat. Default: any.")
    ] = None,
    through: Annotated[
        str | None,
        typer.Option(
            "--through",
            metavar="URL",
            help="Dial this gateway (wss://...), so that the bot needs no open port.",
        ),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Let breakpoint() work, with a clock that waits.")
    ] = False,
    any_game: Annotated[
        bool, typer.Option("--any-game", help="The bot takes the questions of any game.")
    ] = False,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="The log, JSON lines. Default: FILE.log beside the bot."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on, of this machine.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="The port; 0: a free one.")
    ] = 0,
    public_url: Annotated[
        str | None,
        typer.Option("--public-url", help="The URL at which lobby and tables reach the bot."),
    ] = None,
    hands: Annotated[
        int, typer.Option("--hands", min=1, help="With --up: the number of hands.")
    ] = _HANDS,
    seed: Annotated[
        str | None, typer.Option("--seed", help="With --up: makes the session reproducible.")
    ] = None,
    lobby_port: Annotated[
        int, typer.Option("--lobby-port", min=0, max=65_535, help="With --up: the lobby's port.")
    ] = 4000,
) -> None:
    """Seat a Python function `act(turn)` at a table; it is reloaded when the file changes.

    It stays until Ctrl-C, and prints each fault with its reason, and its net at the end.
    """
    _check(room, through, up=up)
    output = context_of(context).output()

    def say(text: str) -> None:
        output.line(text)

    path = split_spec(bot)[0]
    address = BotAddress(host, port, url(public_url) if public_url else None)
    order = BotJoinOrder(room or "", lobby, seat, address, through, debug)
    with one_line_for(context, BotFileFailed, BotLogFailed):
        loaded = ReloadedBot(bot, say)
        bot_log = BotLog(log or path.with_suffix(".log"))
    if context.find_object(CliContext) is None:  # a process, not a test
        configure_logs("join", level="WARNING", secret_keys=SECRET_FIELDS)
    say(f"log      {bot_log.path}")
    stay = _Stay(context, order, output, bot_log, name or path.stem)

    async def work(decide: Decide) -> int:
        if room is None:
            return await stay.at_own_casino(
                decide, hands=hands, seed=seed, port=lobby_port, any_game=any_game
            )
        return await stay.at_a_room(decide, any_game=any_game)

    try:
        with one_line_for(context, DialFailed, CallFailed):
            if debug:
                code = decide_here(loaded.decide, work, stay.stop)
            else:
                code = run_command(context, lambda: work(loaded.decide))
    finally:
        bot_log.close()
    if code:
        raise typer.Exit(code)


def _check(room: str | None, through: str | None, *, up: bool) -> None:
    """Check options that exclude each other; raises BadParameter."""
    if (room is None) == (not up):
        raise typer.BadParameter(f"give {_ROOM_OPTION}", param_hint="--room")
    if up and through is not None:
        raise typer.BadParameter("a casino of your own needs no gateway", param_hint="--through")


class _Stay:
    """One run of the command; `stop` ends it in order."""

    def __init__(
        self, context: typer.Context, order: BotJoinOrder, output: Output, log: BotLog, name: str
    ) -> None:
        self._context = context
        self._order = order
        self._output = output
        self._log = log
        self._name = name
        self._running: JoinedRoom | OwnCasino | None = None

    def stop(self) -> None:
        """Leave; a second time, end at once."""
        if self._running is not None:
            self._running.stop()

    async def at_own_casino(
        self, decide: Decide, *, hands: int, seed: str | None, port: int, any_game: bool
    ) -> int:
        self._running = own = OwnCasino(
            self._order,
            self._player(decide, None, any_game=any_game),
            self._log,
            self._output.line,
            hands=hands,
            seed=seed,
            port=port,
            key=operator_key(self._context, LOBBY_KEY),
        )
        return await own.run()

    async def at_a_room(self, decide: Decide, *, any_game: bool) -> int:
        transport, trust = context_of(self._context).transport, trusted(self._context)
        api = LobbyApi(self._order.lobby, transport, operator_key(self._context), trust)
        player = self._player(decide, self._order.room_id, any_game=any_game)
        self._running = joined = JoinedRoom(
            self._order, api, player, self._log, self._output.line, trust
        )
        self._take_signals()
        try:
            await joined.run()
        finally:
            await api.close()
        return 0

    def _player(self, decide: Decide, room_id: str | None, *, any_game: bool) -> JoinedPlayer:
        return JoinedPlayer(
            self._name,
            decide,
            self._log,
            self._output.line,
            room_id=room_id,
            plays_any_game=any_game,
            clock_ms=DEBUG_CLOCK_MS if self._order.is_debugging else None,
        )

    def _take_signals(self) -> None:
        """Leave on Ctrl-C and SIGTERM; with --debug the main thread does so."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.stop)
