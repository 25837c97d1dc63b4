"""A person's session: shows the table, asks for actions, sends them, until the match is over."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from casino_agentkit.process.background_tasks import Backoff
from casino_contracts import Reason
from casino_lobby_client.errors import CallFailed, LobbyAway

from casino.errors import NotUnderstood
from casino.gateway_api import GatewayApi, MatchState, Push
from casino.output import Output, sanitize
from casino.typed_choices import (
    TypedChoice,
    TypedLines,
    choice_lines,
    choices_of,
    chosen,
    result_lines,
    table_lines,
)

BACKOFF = Backoff(first_s=0.5, slowest_s=5.0)
SEAT_CLOSED = "seat_closed"


async def follow(
    api: GatewayApi, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncGenerator[Push | LobbyAway | None, None]:
    """Yield each push until the seat closes, None once connected. Raises CallFailed."""
    last: int | None = None
    failures = 0
    while True:
        away = LobbyAway("the stream ended")
        try:
            async with aclosing(api.pushes(last)) as pushes:
                async for push in pushes:
                    failures = 0
                    if push is not None:
                        last = push.message_response.data.sequence or last
                    yield push
                    if push is not None and push.message_response.data.event == SEAT_CLOSED:
                        return
        except LobbyAway as error:
            away = error
        failures += 1
        yield away
        await sleep(BACKOFF.pause_s(failures))


ItemT = TypeVar("ItemT")
Sleep = Callable[[float], Awaitable[None]]

HELP = (
    "Type the number or the name of an action, and its amount; `state` shows the table, `quit`"
    " leaves."
)
_REMINDERS_S = (10, 5)
_REPAIRABLE = {"ILLEGAL_ACTION", Reason.INVALID_AMOUNT.value}
"""Codes after which the same decision is still open."""


@dataclass
class _Decision:
    """An open decision; `ends_at` is in seconds of the session's clock."""

    turn: int
    choices: list[TypedChoice]
    ends_at: float
    reminders: list[int]

    def wait_s(self, now: float) -> float | None:
        """Return the seconds until the next reminder, None if there is none left."""
        return max(0.0, self.ends_at - self.reminders[0] - now) if self.reminders else None


class PlaySession:
    """One seat, from the first state to its end. `now` returns seconds."""

    def __init__(
        self,
        api: GatewayApi,
        output: Output,
        typed: TypedLines,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._api = api
        self._output = output
        self._typed = typed
        self._now = now
        self._sleep = sleep
        self._decision: _Decision | None = None
        self._is_over = False

    async def run(self) -> None:
        """Play until the match or the input ends, or `quit`; raises CallFailed."""
        lines = aiter(self._typed.lines)
        async with aclosing(follow(self._api, sleep=self._sleep)) as pushes:
            pushed: asyncio.Future[Push | LobbyAway | None] = _next(pushes)
            typed: asyncio.Future[str] | None = None
            try:
                while not self._is_over:
                    # A pipe's lines wait for the decisions that they answer.
                    if typed is None and (self._decision or self._typed.is_terminal):
                        typed = _next(lines)
                    pending = {pushed, *((typed,) if typed else ())}
                    timeout = self._decision.wait_s(self._now()) if self._decision else None
                    done, _ = await asyncio.wait(
                        pending, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
                    )
                    if not done:
                        self._remind()
                    if pushed in done:
                        await self._take(pushed.result())
                        pushed = _next(pushes)
                    if typed is not None and typed in done:
                        await self._read(typed.result())
                        typed = None
            except StopAsyncIteration:  # no more pushes, or no more lines
                return
            finally:
                await _end(pushed, typed)

    async def _take(self, push: Push | LobbyAway | None) -> None:
        if isinstance(push, LobbyAway):
            self._output.line(f"{push}; trying again", "yellow")
            return
        if push is None:  # connected, for the first time or again
            await self._refresh(shows=True)
            return
        pushed = push.message_response
        if pushed.data.event == SEAT_CLOSED:
            self._is_over = True
        if pushed.data.event != "action_requested":
            self._output.line(pushed.message)
        is_own = pushed.data.payload.get("playerId") == self._api.seat.agent_id
        is_status = pushed.data.event in {"table_status", "table_error"}
        if pushed.data.event == "action_requested" or is_own or is_status:
            await self._refresh()

    async def _read(self, line: str) -> None:
        match line.strip().casefold():
            case "":
                pass
            case "quit" | "leave" | "exit":
                self._is_over = True
            case "help" | "?":
                self._output.line(HELP)
            case "state":
                self._show(await self._state())
            case _ if self._decision is None:
                self._output.line("It is not your turn; `quit` leaves the table.")
            case _:
                await self._act(line, self._decision)

    async def _act(self, line: str, decision: _Decision) -> None:
        try:
            choice, amount = chosen(line, decision.choices)
        except NotUnderstood as error:
            self._output.line(f"{error}.")
            return
        try:
            reply = await self._api.perform(
                choice.kind, {**choice.data(amount), "turn": decision.turn}
            )
        except LobbyAway as away:
            self._output.line(f"{away}", "yellow")
            await self._refresh()
            return
        if reply.status == "success":
            self._decision = None
            return
        self._output.line(reply.message, "yellow")
        if reply.data.get("code") not in _REPAIRABLE:
            await self._refresh()

    async def _refresh(self, *, shows: bool = False) -> None:
        """Read the match; show a decision that is new, or with `shows` the table in any case."""
        match = await self._state()
        if match.is_over:
            self._decision = None
            self._is_over = True
            self._output.lines(result_lines(match))
            self._output.line(f"The match is over: {match.status}.")
            return
        if match.stage != "act":
            self._decision = None
        if shows or (match.stage == "act" and self._is_new(match.turn)):
            self._show(match)

    def _is_new(self, turn: int) -> bool:
        return self._decision is None or self._decision.turn != turn

    def _show(self, match: MatchState) -> None:
        data, seat = match.state.data, self._api.seat
        self._output.lines(result_lines(match))
        self._output.lines(table_lines(match, seat.agent_id, seat.game))
        if match.stage != "act":
            return
        choices = choices_of(data.available_actions)
        left_s = (data.deadline_ms or 0) / 1000
        reminders = [seconds for seconds in _REMINDERS_S if seconds < left_s - 1]
        self._decision = _Decision(match.turn, choices, self._now() + left_s, reminders)
        self._output.lines(choice_lines(choices))
        self._output.line(f"Your action ({left_s:.0f} s):", "bold")

    def _remind(self) -> None:
        if self._decision is not None and self._decision.reminders:
            self._output.line(f"{self._decision.reminders.pop(0)} s left", "yellow")

    async def _state(self) -> MatchState:
        """Read the match, again and again while the gateway is away."""
        failures = 0
        while True:
            try:
                return await self._api.state()
            except LobbyAway as away:
                if not failures:
                    self._output.line(f"{sanitize(str(away))}; trying again", "yellow")
                failures += 1
                await self._sleep(BACKOFF.pause_s(failures))


def _next(items: AsyncIterator[ItemT]) -> "asyncio.Future[ItemT]":
    return asyncio.ensure_future(anext(items))


async def _end(*tasks: "asyncio.Future[Any] | None") -> None:
    """Cancel tasks and wait for them, whatever became of them."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def play(
    api: GatewayApi,
    output: Output,
    typed: TypedLines,
    match_id: str | None,
    *,
    name: str,
    buy_in: float | None,
) -> None:
    """Take a seat in a match, by default one with players, play, leave. Raises CallFailed."""
    seat = await api.join(match_id or await _some_match(api), name, buy_in)
    output.line(f"You sit at {seat.match_id} as {seat.agent_id}. {HELP}")
    try:
        await PlaySession(api, output, typed).run()
    finally:
        await _leave(api, output)


async def _some_match(api: GatewayApi) -> str:
    """Return a match to join; raises CallFailed if there is none."""
    open_matches = [match for match in await api.matches() if match.status != "ended"]
    if not open_matches:
        raise CallFailed("the gateway knows no match with players; name a room to sit down in")
    return open_matches[0].match_id


async def _leave(api: GatewayApi, output: Output) -> None:
    try:
        await asyncio.shield(api.leave())
        output.line("You left the table.")
    except CallFailed as error:
        output.line(f"The seat could not be given back: {error}", "yellow")


Style = Literal["generic", "llm"]

_MODULE = "casino_player_example"
_PREFIX = "CASINO_PLAYER_"


async def play_as_agent(
    url: str,
    environment: Mapping[str, str],
    *,
    style: Style = "generic",
    token: str | None = None,
    room: str | None = None,
    name: str | None = None,
) -> int:
    """Play at an A2G server until the seat is gone; returns the process's exit code."""
    values = {"STYLE": style, "A2G_URL": url, "A2G_TOKEN": token, "A2G_ROOM": room, "NAME": name}
    settings = {_PREFIX + key: value for key, value in values.items() if value is not None}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", _MODULE, env={**environment, **settings}
    )
    try:
        return await process.wait()
    except asyncio.CancelledError:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        raise
