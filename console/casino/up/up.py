"""Run a whole casino on this machine: start its processes, open a room, report hands."""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import Sequence

from casino_agentkit import Child, ChildFailed
from casino_contracts import (
    HOLDEM,
    CreateRoomInput,
    Reason,
    RegisterPlayerInput,
    RoomSnapshot,
)

from casino.errors import CallFailed
from casino.lobby_api import LobbyApi
from casino.operator_key import FAULTS_KEY, OperatorKey
from casino.up.faults import FaultReports
from casino.up.plan import FIRST_PLAYER_PORT, Plan
from casino.up.processes import LOBBY_MODULE, PLAYER_MODULE, Processes, port_of
from casino.up.report import Report
from casino.up.score import Score
from casino.up.side_services import SideServices

ROOM = "main"

_POLL_S = 0.2
_NOT_NOW = {Reason.ALREADY_RUNNING, Reason.NOT_ENOUGH_PLAYERS}


class Up:
    """Starts the processes, plays and stops them.

    `key` is the lobby's operator key, if any; `faults_key` one that it gets to read faults.
    """

    def __init__(
        self, plan: Plan, report: Report, key: OperatorKey, faults_key: OperatorKey
    ) -> None:
        self._plan = plan
        self._report = report
        self._key = key
        self._faults_key = faults_key
        self._stopping = asyncio.Event()
        self._processes = Processes(report, self._stopping)
        self._players: list[Child] = []
        self._own: set[str] = set()
        """Player ids of the players that this command seated."""
        self._is_open = False
        """Whether the hands are played, and sessions are for those who sit down."""
        self._beside = SideServices(plan, self._processes, report, key)
        self._epoch = 1
        self._sequence = 0  # of the last event read in this epoch

    @property
    def lobby_url(self) -> str:
        """The lobby's URL, "" before it has started."""
        return self._processes.lobby.url if self._processes.lobby else ""

    def stop(self) -> None:
        """Stop after the running hand, as Ctrl-C does."""
        self._stopping.set()

    async def run(self) -> int:
        """Run until Ctrl-C, or until the hands are played; returns the exit code."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for signal_number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(signal_number, self._stopping.set)
        starting = asyncio.create_task(self._play())
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                starting.cancel()
                await asyncio.wait([starting])
                return 1 if self._processes.has_lost_lobby else 0
            return starting.result()
        except ChildFailed as failed:
            self._report.trouble(str(failed), failed.log)
        except CallFailed as error:
            self._report.trouble(str(error))
        finally:
            stopping.cancel()
            await self._processes.stop()
            self._beside.remove_data()
        return 1

    async def _play(self) -> int:
        lobby = await self._start_lobby()
        api = LobbyApi(lobby.url, key=self._key)
        try:
            await self._check_game(api)
            await asyncio.gather(
                self._start_players(lobby.url),
                self._beside.start_gateway(lobby.url),
            )
            await self._open_room(api)  # before the evaluator's tables announce themselves
            await self._beside.start_evaluator(lobby.url)
            score = Score()
            faults = FaultReports(api, ROOM, self._faults_key, self._report)
            is_successful = await self._follow(api, score, faults)
            if self._plan.exits:
                return 0 if is_successful else 1
            if self._plan.has_gateway:
                self._report.say(f"sit down: {lobby.url}/#/rooms/{ROOM}")
            self._report.say(f"the casino stays open at {lobby.url}; Ctrl-C closes it")
            self._is_open = True
            while True:
                await self._follow(api, score, faults)
        finally:
            await api.close()

    # Processes.

    async def _start_lobby(self) -> Child:
        settings = {FAULTS_KEY: self._faults_key.value or ""}
        if self._plan.has_gateway:
            settings["CASINO_LOBBY_GATEWAY_URL"] = f"http://127.0.0.1:{self._beside.gateway_port}"
        port = port_of(self._plan.lobby_port)
        lobby = await self._processes.start("lobby", LOBBY_MODULE, [], port, **settings)
        self._report.say(f"lobby    {lobby.url}", url=lobby.url, pid=lobby.pid)
        return lobby

    async def _check_game(self, api: LobbyApi) -> None:
        """Adapt the plan to the game's number of players; raises CallFailed for an unknown game."""
        wanted = self._plan.game_type
        if wanted == HOLDEM:
            return
        games = {game.game_type: game for game in (await api.games()).games}
        if wanted not in games:
            raise CallFailed(f"nobody here plays {wanted}; there are {', '.join(games)}")
        self._plan = self._plan.for_player_count(games[wanted].players)

    async def _start_players(self, lobby_url: str) -> None:
        names = _names(self._plan.example_styles)
        starting = [
            self._processes.start(
                name,
                PLAYER_MODULE,
                [style, "--name", name],
                port_of(port),
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
            self._own.add(seat.player_id)
            self._report.say(
                f"seat {seat.seat_number}   {seat.display_name} with {seat.stack}",
                seat=seat.seat_number,
                playerId=seat.player_id,
                name=seat.display_name,
            )
        if len(cards) < room.config.max_seats:  # else the lobby starts it
            await self._start_session(api)

    async def _start_session(self, api: LobbyApi) -> None:
        try:
            await api.start(ROOM)
        except CallFailed as error:
            if error.reason not in _NOT_NOW:
                raise

    async def _follow(self, api: LobbyApi, score: Score, faults: FaultReports) -> bool:
        """Report each hand until a session finishes; return whether it was complete and correct.

        Raises CallFailed if the room fails.
        """
        sessions_before = score.sessions
        while True:
            page = await api.events(ROOM, self._sequence, self._epoch)
            hands = [hand for event in page.events if (hand := score.add(event))]
            for hand in hands:
                self._report.hand(hand)
            await faults.after_hands(score, hands)
            self._sequence = page.last_sequence
            if score.sessions > sessions_before:
                return await self._conclude(api, score)
            room = await api.room(ROOM)
            if room.epoch and room.epoch > self._epoch and not page.events:
                self._epoch, self._sequence = self._epoch + 1, 0  # the table was replaced
            if room.state == "failed" or (room.summary and room.summary.status == "error"):
                raise CallFailed(_failure_of(room))
            if self._is_open and self._has_guest(room):
                await self._start_session(api)
            await asyncio.sleep(_POLL_S)

    def _has_guest(self, room: RoomSnapshot) -> bool:
        """Return whether somebody else has sat down in a room that does not play."""
        summary = room.summary
        if summary is None or summary.status != "idle":
            return False
        return any(seat.player_id not in self._own for seat in summary.players)

    async def _conclude(self, api: LobbyApi, score: Score) -> bool:
        room = await api.room(ROOM)
        is_holdem = self._plan.game_type == HOLDEM
        is_conserved = self._report.results(score, room.config.big_blind if is_holdem else None)
        return is_conserved and score.hands >= self._plan.hands


def _failure_of(room: RoomSnapshot) -> str:
    message = room.summary.message if room.summary else None
    return f"room {room.room_id} cannot play on: {message}"


def _names(styles: Sequence[str]) -> list[str]:
    """Return a unique name per player: Caller, then Caller 2."""
    counts: Counter[str] = Counter()
    names = []
    for style in styles:
        counts[style] += 1
        names.append(style.capitalize() + (f" {counts[style]}" if counts[style] > 1 else ""))
    return names
