"""Command `casino join`: seat a Python function or a language model at a table."""

import asyncio
import logging
import re
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from casino_agentkit import configure_logs
from casino_contracts import PlayerProfile, SignupResponse
from casino_contracts.base import SECRET_FIELDS
from casino_lobby_client.errors import CallFailed
from casino_play.bot_file import split_spec
from casino_play.errors import BotFileFailed
from pydantic import ValidationError

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
    wrong_option,
)
from casino.errors import BotLogFailed, DialFailed, NoModel
from casino.join.joined_player import BotAddress, BotLog, JoinedPlayer
from casino.join.joining import BotJoinOrder, JoinedRoom
from casino.join.model_bot import SAID_BY_THE_COMMAND, ModelBot
from casino.join.own_casino import OwnCasino
from casino.join.reloaded_bot import ReloadedBot, decide_here
from casino.lobby_api import LobbyApi
from casino.operator_key import LOBBY_KEY
from casino.output import Output

Decide = Callable[[dict[str, Any]], Awaitable[Any]]

_ROOM_OPTION = "--room R, or --up for a casino of your own"
_HANDS = 1000
_DEBUG_CLOCK_MS = 600_000
"""The clock of a room in which a debugger may wait."""
_NO_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class _Bot:
    """Who decides, and as what it signs up."""

    decide: Decide
    signup: SignupResponse
    asked: ModelBot | None = None
    """The model that is asked one question before a seat is taken; None for a function."""

    @asynccontextmanager
    async def ready(self, say: Callable[[str], None]) -> AsyncIterator[None]:
        """Ask the model at first, and close it at the end. Raises NoModel."""
        if self.asked is None:
            yield
            return
        try:
            await self.asked.ready()
            say(f"model    {self.asked.model} answers")
            yield
        finally:
            await self.asked.close()

    @property
    def log(self) -> Path:
        """Where the log of a model is if no option says otherwise."""
        return Path(_NO_FILE_NAME.sub("-", self.signup.display_name) + ".log")


def join(  # noqa: PLR0913, PLR0917  the options of a command
    context: typer.Context,
    bot: Annotated[
        str | None,
        typer.Argument(metavar="FILE.py[:FUNCTION]", help="The bot. Default function: act."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="PROVIDER:NAME",
            help="A language model instead of a file, such as anthropic:NAME or openai:NAME.",
        ),
    ] = None,
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
        int | None,
        typer.Option(
            "--lobby-port", min=0, max=65_535, help="With --up: the lobby's port. Default: 4000."
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="With --model: another address than its own.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="With --model. Default: the model's.")
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option("--reasoning-effort", help="With --model: how long it thinks, none to max."),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="With --model: of one answer, with thoughts.")
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option("--prompt", help="With --model: a file that every prompt has.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option("--budget-tokens", help="With --model: all that it may spend.")
    ] = None,
    budget_usd: Annotated[
        float | None, typer.Option("--budget-usd", help="With --model: the same in US dollars.")
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option("--transcript", help="With --model: a file for all prompts and answers."),
    ] = None,
    headers: Annotated[
        str | None, typer.Option("--headers", help="With --model: further headers, as JSON.")
    ] = None,
    body: Annotated[
        str | None, typer.Option("--body", help="With --model: further fields of calls, as JSON.")
    ] = None,
    publish_reasoning: Annotated[
        bool | None,
        typer.Option(
            "--publish-reasoning/--no-publish-reasoning",
            help="With --model: publish its thoughts, which name its cards, when a hand is over.",
        ),
    ] = None,
) -> None:
    """Seat a function `act(turn)` of a file, reloaded when it changes, or a language model.

    It stays until Ctrl-C, and prints each fault with its reason, and its net at the end.
    """
    output = context_of(context).output()

    def say(text: str) -> None:
        output.line(text)

    given = {
        "name": name,
        "llm_model": model,
        "llm_base_url": base_url,
        "llm_temperature": temperature,
        "llm_effort": effort,
        "llm_max_tokens": max_tokens,
        "llm_prompt_file": prompt,
        "llm_token_budget": budget_tokens,
        "llm_usd_budget": budget_usd,
        "llm_transcript": transcript,
        "llm_headers": headers,
        "llm_body": body,
        "llm_publish_reasoning": publish_reasoning,
    }
    _check(room, bot, model, up=up)
    with one_line_for(context, BotFileFailed, BotLogFailed, NoModel):
        if bot is not None:
            clock_ms = _DEBUG_CLOCK_MS if debug else None
            signup = _signup(
                name or split_spec(bot)[0].stem, any_game=any_game or None, clock_ms=clock_ms
            )
            loaded = _Bot(ReloadedBot(bot, say).decide, signup)
            log = log or split_spec(bot)[0].with_suffix(".log")
        else:
            at = lobby if room else None  # a casino of its own plays Hold'em, whose rules it knows
            asked = ModelBot(given, context_of(context).environment, at, trusted(context))
            signup = _signup(
                asked.name, any_game=True, clock_ms=asked.clock_ms, profile=asked.profile
            )
            loaded = _Bot(asked.decide, signup, asked)
        bot_log = BotLog(log or loaded.log)
    if context.find_object(CliContext) is None:  # a process, not a test
        configure_logs("join", level="WARNING", secret_keys=SECRET_FIELDS)
        for logger in SAID_BY_THE_COMMAND:
            logging.getLogger(logger).setLevel("ERROR")
    say(f"log      {bot_log.path}")
    address = BotAddress(host, port, url(public_url) if public_url else None)
    order = BotJoinOrder(room or "", lobby, seat, address, through, debug, loaded.signup.clock_ms)
    stay = _Stay(context, order, output, bot_log, loaded)

    async def work(decide: Decide) -> int:
        async with loaded.ready(say):
            if room is None:
                return await stay.at_own_casino(decide, hands=hands, seed=seed, port=lobby_port)
            return await stay.at_a_room(decide)

    try:
        with one_line_for(context, DialFailed, CallFailed, NoModel):
            if debug:
                code = decide_here(loaded.decide, work, stay.stop)
            else:
                code = run_command(context, lambda: work(loaded.decide))
    finally:
        bot_log.close()
    if code:
        raise typer.Exit(code)


def _check(room: str | None, bot: str | None, model: str | None, *, up: bool) -> None:
    """Check that there is one room, and one who decides; raises BadParameter."""
    if (room is None) == (not up):
        raise typer.BadParameter(f"give {_ROOM_OPTION}", param_hint="--room")
    if (bot is None) != (model is not None):
        raise typer.BadParameter("give a file, or --model PROVIDER:NAME", param_hint="FILE.py")


def _signup(
    name: str,
    *,
    any_game: bool | None,
    clock_ms: int | None,
    profile: PlayerProfile | None = None,
) -> SignupResponse:
    """Return what the bot answers to invitations; raises BadParameter for its name."""
    try:
        return SignupResponse(
            display_name=name, plays_any_game=any_game, clock_ms=clock_ms, profile=profile
        )
    except ValidationError as error:
        raise wrong_option(error, {"display_name": "--name"}) from error


class _Stay:
    """One run of the command; `stop` ends it in order."""

    def __init__(
        self, context: typer.Context, order: BotJoinOrder, output: Output, log: BotLog, bot: _Bot
    ) -> None:
        self._context = context
        self._order = order
        self._output = output
        self._log = log
        self._bot = bot
        self._running: JoinedRoom | OwnCasino | None = None

    def stop(self) -> None:
        """Leave; a second time, end at once."""
        if self._running is not None:
            self._running.stop()

    async def at_own_casino(
        self, decide: Decide, *, hands: int, seed: str | None, port: int | None
    ) -> int:
        self._running = own = OwnCasino(
            self._order,
            self._player(decide, None),
            self._log,
            self._output.line,
            hands=hands,
            seed=seed,
            port=port,
            key=operator_key(self._context, LOBBY_KEY),
        )
        return await own.run()

    async def at_a_room(self, decide: Decide) -> int:
        transport, trust = context_of(self._context).transport, trusted(self._context)
        api = LobbyApi(self._order.lobby, transport, operator_key(self._context), trust)
        player = self._player(decide, self._order.room_id)
        self._running = joined = JoinedRoom(
            self._order, api, player, self._log, self._output.line, trust
        )
        self._take_signals()
        try:
            await joined.run()
        finally:
            await api.close()
        return 0

    def _player(self, decide: Decide, room_id: str | None) -> JoinedPlayer:
        return JoinedPlayer(
            self._bot.signup,
            decide,
            self._log,
            self._output.line,
            room_id=room_id,
            notice=self._bot.asked.notice if self._bot.asked else None,
        )

    def _take_signals(self) -> None:
        """Leave on Ctrl-C and SIGTERM; with --debug the main thread does so."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.stop)
