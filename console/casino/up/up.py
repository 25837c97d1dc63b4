"""Run a whole casino on this machine: start its processes, open a room, report hands."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from casino_agentkit import Child, ChildFailed, PortTaken
from casino_agentkit.server.server import bind
from casino_contracts import (
    HOLDEM,
    CreateRoomInput,
    PlayerCount,
    RegisterPlayerInput,
    RoomSnapshot,
    TableConfig,
)

from casino.lobby_api import LobbyApi, LobbyError
from casino.operator_key import OperatorKey
from casino.rules import room_config
from casino.up.report import Report
from casino.up.score import Score

LOBBY_MODULE, PLAYER_MODULE = "casino_lobby", "casino_player_example"
LOBBY_PORT, FIRST_PLAYER_PORT = 4000, 4101
DEFAULT_STYLES = ("tight", "equity", "caller", "maniac", "random", "caller")
ROOM = "main"

_WITHHELD_PREFIXES = {
    LOBBY_MODULE: ("CASINO_OPERATOR_", "CASINO_DEALER_"),
    PLAYER_MODULE: ("CASINO_OPERATOR_", "CASINO_DEALER_", "CASINO_LOBBY_", "CASINO_TABLE_"),
}
"""Prefixes of the settings, including keys, that are not passed to each module's processes."""

_HOST = "127.0.0.1"
_LOBBY_GRACE = timedelta(seconds=60)
_PLAYER_GRACE = timedelta(seconds=5)
_POLL_S = 0.2
_MIN_SEATS = 2
_DEFAULT_PLAYERS = 3
"""Number of players by default, in games other than Hold'em that allow so many."""


@dataclass(frozen=True)
class Plan:
    """What to play: number of hands, players, seed, lobby port and game."""

    hands: int
    styles: tuple[str, ...]
    seats: tuple[str, ...]
    """Agent card URLs of the caller's bots, which replace the last example players."""
    seed: str | None
    exits: bool
    lobby_port: int = LOBBY_PORT
    game_type: str = HOLDEM

    @property
    def example_styles(self) -> tuple[str, ...]:
        """Styles of the example players that keep their seats."""
        return self.styles[: max(0, len(self.styles) - len(self.seats))]

    def config(self) -> TableConfig:
        """Return the room's rules."""
        seats = max(_MIN_SEATS, len(self.example_styles) + len(self.seats))
        return room_config(hands=self.hands, seats=seats, seed=self.seed)

    def for_player_count(self, players: PlayerCount) -> "Plan":
        """Return the plan with enough `generic` players for the game if no styles were chosen."""
        if self.styles or players.min <= len(self.seats):
            return self
        number = min(max(players.min, _DEFAULT_PLAYERS), players.max)
        return replace(self, styles=("generic",) * number)


class Up:
    """Starts the processes, plays and stops them; `key` is the lobby's operator key, if any."""

    def __init__(self, plan: Plan, report: Report, key: OperatorKey | None = None) -> None:
        self._plan = plan
        self._report = report
        self._key = key
        self._lobby: Child | None = None
        self._players: list[Child] = []
        self._started: list[Child] = []
        self._stopping = asyncio.Event()
        self._watchers: list[asyncio.Task[None]] = []
        self._lost_lobby = False
        self._epoch = 1
        self._sequence = 0  # of the last event read in this epoch

    async def run(self) -> int:
        """Run until Ctrl-C, or until the hands are played; returns the exit code."""
        loop = asyncio.get_running_loop()
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signal_number, self._stopping.set)
        starting = asyncio.ensure_future(self._play())
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                starting.cancel()
                await asyncio.wait([starting])
                return 1 if self._lost_lobby else 0
            return starting.result()
        except ChildFailed as failed:
            self._report.trouble(str(failed), failed.log)
        except LobbyError as error:
            self._report.trouble(str(error))
        finally:
            stopping.cancel()
            await self._stop()
        return 1

    async def _play(self) -> int:
        lobby = await self._start_lobby()
        api = LobbyApi(lobby.url, key=self._key)
        try:
            await self._check_game(api)
            await self._start_players(lobby.url)
            await self._open_room(api)
            score = Score()
            is_successful = await self._follow(api, score)
            if self._plan.exits:
                return 0 if is_successful else 1
            self._report.say(f"the casino stays open at {lobby.url}; Ctrl-C closes it")
            while True:
                await self._follow(api, score)
        finally:
            await api.close()

    # Processes.

    async def _start_lobby(self) -> Child:
        lobby = await self._start("lobby", LOBBY_MODULE, [], _port(self._plan.lobby_port))
        self._lobby = lobby
        self._report.say(f"lobby    {lobby.url}", url=lobby.url, pid=lobby.pid)
        return lobby

    async def _check_game(self, api: LobbyApi) -> None:
        """Adapt the plan to the game's number of players; raises LobbyError for an unknown game."""
        wanted = self._plan.game_type
        if wanted == HOLDEM:
            return
        games = {game.game_type: game for game in (await api.games()).games}
        if wanted not in games:
            raise LobbyError(f"nobody here plays {wanted}; there are {', '.join(games)}")
        self._plan = self._plan.for_player_count(games[wanted].players)

    async def _start_players(self, lobby_url: str) -> None:
        names = _names(self._plan.example_styles)
        starting = [
            self._start(
                name,
                PLAYER_MODULE,
                [style, "--name", name],
                _port(port),
                CASINO_PLAYER_LOBBY_URL=lobby_url,
            )
            for port, (style, name) in enumerate(
                zip(self._plan.example_styles, names, strict=True), start=FIRST_PLAYER_PORT
            )
        ]
        results = await asyncio.gather(*starting, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        self._players = [result for result in results if isinstance(result, Child)]
        for player in self._players:
            self._report.say(
                f"player   {player.url}   {player.name}", url=player.url, pid=player.pid
            )

    async def _start(
        self, name: str, module: str, arguments: Sequence[str], port: int, **settings: str
    ) -> Child:
        # Nothing is stored on disk, unless the environment sets a database.
        defaults = {"CASINO_LOBBY_DATABASE": "memory", **os.environ}
        environment = {**environment_of(module, defaults), **settings}
        try:
            child = await Child.start(
                name, module, [*arguments, "--port", str(port)], environment=environment
            )
        except ChildFailed as failed:
            if port and failed.reason == PortTaken.reason:  # taken after `_port`
                return await self._start(name, module, arguments, 0, **settings)
            raise
        self._started.append(child)
        self._watchers.append(asyncio.ensure_future(self._watch(child)))
        return child

    async def _watch(self, child: Child) -> None:
        """Report a process that exits unexpectedly; stop everything if it is the lobby."""
        code = await child.wait()
        if self._stopping.is_set():
            return
        self._report.trouble(f"{child.name} ended with code {code}; end of its log:", (*child.log,))
        if child is self._lobby:
            self._lost_lobby = True
            self._stopping.set()

    async def _stop(self) -> None:
        """Stop all processes, the lobby first so that the running hand can be finished."""
        self._stopping.set()
        if self._lobby:
            await self._lobby.stop(_LOBBY_GRACE)
        await asyncio.gather(*(child.stop(_PLAYER_GRACE) for child in self._started))
        for task in self._watchers:
            task.cancel()

    # The room.

    async def _open_room(self, api: LobbyApi) -> None:
        plan = self._plan
        room = await api.create_room(
            CreateRoomInput(room_id=ROOM, config=plan.config(), game_type=plan.game_type)
        )
        self._report.say(f"table    {room.table_base_url}", url=room.table_base_url)
        cards = [*plan.seats, *(player.cards[0] for player in self._players)]
        for number, card in enumerate(cards):
            player = RegisterPlayerInput(room_id=ROOM, agent_card_url=card, preferred_seat=number)
            seat = await api.register(player)
            self._report.say(
                f"seat {seat.seat_number}   {seat.display_name} with {seat.stack}",
                seat=seat.seat_number,
                playerId=seat.player_id,
                name=seat.display_name,
            )

    async def _follow(self, api: LobbyApi, score: Score) -> bool:
        """Report each hand until the session finishes; return whether it was complete and correct.

        Raises LobbyError if the room fails.
        """
        while True:
            page = await api.events(ROOM, self._sequence, self._epoch)
            for event in page.events:
                hand = score.add(event)
                if hand:
                    self._report.hand(hand)
            self._sequence = page.last_sequence
            if page.events:
                kinds = [(event.payload or {}).get("kind") for event in page.events]
                if "finished" in kinds:
                    return await self._conclude(api, score)
            room = await api.room(ROOM)
            if room.epoch and room.epoch > self._epoch and not page.events:
                self._epoch, self._sequence = self._epoch + 1, 0  # the table was replaced
            if room.state == "failed" or (room.summary and room.summary.status == "error"):
                raise LobbyError(_failure_of(room))
            await asyncio.sleep(_POLL_S)

    async def _conclude(self, api: LobbyApi, score: Score) -> bool:
        room = await api.room(ROOM)
        is_holdem = self._plan.game_type == HOLDEM
        is_conserved = self._report.results(score, room.config.big_blind if is_holdem else None)
        return is_conserved and score.hands >= self._plan.hands


def environment_of(module: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a process, without the settings and keys of other components."""
    withheld = _WITHHELD_PREFIXES[module]
    return {name: value for name, value in environment.items() if not name.startswith(withheld)}


def _failure_of(room: RoomSnapshot) -> str:
    message = room.summary.message if room.summary else None
    return f"room {room.room_id} cannot play on: {message}"


def _port(preferred: int) -> int:
    """Return the preferred port, or 0 (any free port) if it is taken."""
    try:
        bind(_HOST, preferred).close()
    except PortTaken:
        return 0
    return preferred


def _names(styles: Sequence[str]) -> list[str]:
    """Return a unique name per player: Caller, then Caller 2."""
    counts: Counter[str] = Counter()
    names = []
    for style in styles:
        counts[style] += 1
        names.append(style.capitalize() + (f" {counts[style]}" if counts[style] > 1 else ""))
    return names
