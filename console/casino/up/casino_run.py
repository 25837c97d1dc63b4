"""Run a whole casino on this machine: start its processes, open a room, report hands."""

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine, Mapping
from typing import Any

from casino_agentkit import Child, ChildFailed, PortTaken, new_key
from casino_agentkit.process.secret_keys import FILE_SUFFIX
from casino_lobby_client.errors import CallFailed, LobbyAway

from casino.errors import RunNotSaved
from casino.lobby_api import LobbyApi
from casino.operator_key import FAULTS_KEY, OperatorKey
from casino.publishing import room_link
from casino.up.casino_plan import LIVE, ROOM, CasinoPlan
from casino.up.casino_ports import HOST, KeptPorts
from casino.up.further_rooms import FurtherRooms
from casino.up.run_report import Report
from casino.up.service_processes import (
    FLEET_KEY,
    LOBBY_MODULE,
    ServiceProcesses,
    SideServices,
    processes_of_tables,
    start_tables,
)
from casino.up.up_players import (
    PLAYER_KEY,
    SAMPLE_CARDS,
    SAMPLE_KEY,
    cards_by_room,
    sample_cards,
    sample_processes,
    start_players,
)
from casino.up.up_room import FaultReports, MainRoom, SavedRun, open_room

_ROOMS, _COMMANDS = "CASINO_LOBBY_ROOMS", "CASINO_LOBBY_COMMANDS_PER_MINUTE"
"""Limits of the lobby that grow with the number of rooms."""
_TABLE_PORTS = "CASINO_LOBBY_TABLE_PORTS"


class Up:
    """Starts the processes, plays and stops them.

    `key` is the lobby's operator key, if any; `faults_key` one that it gets to read faults. `saved`
    keeps what is played.
    """

    def __init__(
        self,
        plan: CasinoPlan,
        report: Report,
        key: OperatorKey,
        faults_key: OperatorKey,
        saved: SavedRun | None = None,
    ) -> None:
        self._plan = plan
        self._report = report
        self._key = key
        self._faults_key = faults_key
        self._stopping = asyncio.Event()
        self._processes = ServiceProcesses(report, self._stopping, plan.ready_within)
        self._samples = sample_processes(plan)
        self._players: list[Child] = []
        self._saved = saved
        is_keyed = {PLAYER_KEY, PLAYER_KEY + FILE_SUFFIX} & os.environ.keys()
        self._keys = {} if is_keyed else {"llm": new_key()}
        """Keys of players by style; those of the environment are not repeated here."""
        has_fleet_key = {FLEET_KEY, FLEET_KEY + FILE_SUFFIX} & os.environ.keys()
        self._fleet = {FLEET_KEY: new_key()} if key.value and not has_fleet_key else {}
        """The key of the tables, which a lobby with an operator's key needs to tell them by."""
        self._ports = KeptPorts(plan.ports)
        self._beside = SideServices(plan, self._processes, report, key, self._fleet, self._ports)
        self.opened = asyncio.Event()
        """Set when the players are seated, and all processes run that others may call."""

    @property
    def lobby_url(self) -> str:
        """The lobby's URL, "" until it has started."""
        return self._processes.lobby.url if self._processes.lobby else ""

    @property
    def gateway_url(self) -> str:
        """The gateway's URL, "" without one, or until it has started."""
        return self._beside.gateway_url

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
                if not self._processes.has_lost_needed:
                    self._report.say("closing; a running hand is played to its end")
                starting.cancel()
                await asyncio.wait([starting])
                if not starting.cancelled():
                    return starting.result()
                return 1 if self._processes.has_lost_needed else 0
            return starting.result()
        except ChildFailed as failed:
            self._report.trouble(str(failed), failed.log)
        except (CallFailed, PortTaken, RunNotSaved) as error:
            is_away = isinstance(error, LobbyAway)
            if not (is_away and await self._processes.has_lost_needed_soon()):
                self._report.trouble(str(error))
        finally:
            stopping.cancel()
            self._ports.close()
            await self._processes.stop()
            self._beside.remove_data()
        return 1

    async def _play(self) -> int:
        if self._plan.seats:
            # Imported lazily: most casinos have sample players only, and call no agent themselves.
            from casino.check.seat_check import unusable_seats  # noqa: PLC0415

            for fault in (faults := await unusable_seats(self._plan.seats)):
                self._report.trouble(fault)
            if faults:
                return 1
        self._report.say(f"seed     {self._plan.seed}", seed=self._plan.seed)
        self._keep_ports()
        numbers = self._ports.numbers("players")
        lobby = await self._start_lobby(sample_cards(self._samples, numbers, self._keys))
        api = LobbyApi(lobby.url, key=self._key)
        try:
            _, tables, _ = await asyncio.gather(
                self._start_players(lobby.url),
                self._start_tables(),
                self._beside.start_gateway(lobby.url),
            )
            return await self._play_rooms(api, lobby, tables)
        finally:
            await api.close()

    async def _play_rooms(self, api: LobbyApi, lobby: Child, tables: Mapping[str, str]) -> int:
        """Play the hands, then stay open unless the plan ends; report the results in any case."""
        faults = FaultReports(api, ROOM, self._faults_key, self._report)
        page = room_link(lobby.url, ROOM)
        room = MainRoom(api, self._plan, self._report, faults, self._saved, page)
        further = FurtherRooms(api, self._plan, self._report, self._faults_key)
        players = cards_by_room(self._plan, self._samples, [child.cards for child in self._players])
        try:
            await room.open([*self._plan.seats, *players[ROOM]], tables.get(ROOM))
            await further.open(players, tables)
            if self._plan.seats and self._plan.tables > 1:
                self._report.say("the bots of --seat sit in main only")
            self._report.say(f"watch    {page if self._plan.tables == 1 else lobby.url}")
            if self._plan.has_gateway and not self._plan.exits:
                self._report.say(f"sit down: {page}")
            await self._beside.start_evaluator(lobby.url)  # its tables are not for these rooms
            self.opened.set()
            is_successful = all(await _together(room.follow_session(), further.follow()))
            is_successful &= await further.report(has_bank=room.has_bank)
            if self._plan.exits:
                return 0 if is_successful else 1
            if self._plan.goes_on:
                rules, cast = self._plan.config(LIVE), players[ROOM]
                await open_room(api, LIVE, rules, self._plan.game_type, cast)
                self._report.say(f"live     {room_link(lobby.url, LIVE)}")
            self._report.say(f"the casino stays open at {lobby.url}; Ctrl-C closes it")
            await _together(room.keep_open(), further.keep_open())
        except (asyncio.CancelledError, CallFailed):
            await room.stop()
            await further.stop(has_bank=room.has_bank)
            raise
        return 0

    # Processes.

    def _keep_ports(self) -> None:
        """Keep all ports, and say which usual ones others have; raises PortTaken."""
        self._ports.keep("lobby", 1)
        self._ports.keep("gateway", int(self._plan.has_gateway))
        self._ports.keep("evaluator", 2 * self._plan.has_evaluator)
        self._ports.keep("players", len(self._samples))
        self._ports.keep("tables", processes_of_tables(self._plan))
        if taken := self._ports.taken:
            numbers = ", ".join(map(str, taken))
            self._report.say(f"taken    {numbers}: free ports take their place", taken=taken)

    async def _start_lobby(self, cards: str) -> Child:
        """Start the lobby, which offers the sample players at these cards for free seats."""
        settings = {FAULTS_KEY: self._faults_key.value or "", **self._fleet}
        if self._plan.has_gateway:
            (gateway,) = self._ports.numbers("gateway")
            settings["CASINO_LOBBY_GATEWAY_URL"] = f"http://{HOST}:{gateway}"
        if SAMPLE_CARDS not in os.environ:
            settings[SAMPLE_CARDS] = cards
            for suffix in ("", FILE_SUFFIX):
                if key := os.environ.get(PLAYER_KEY + suffix):
                    settings[SAMPLE_KEY + suffix] = key
        if self._plan.tables > 1:
            limits = {_ROOMS: 200 + self._plan.tables, _COMMANDS: 600 + 60 * self._plan.tables}
            settings |= {name: str(most) for name, most in limits.items() if name not in os.environ}
        if self._plan.ports.option("tables") or _TABLE_PORTS not in os.environ:
            settings[_TABLE_PORTS] = self._plan.ports.launched
        (port,) = self._ports.release("lobby")
        lobby = await self._processes.start("lobby", LOBBY_MODULE, [], port, **settings)
        self._report.say(f"lobby    {lobby.url}", url=lobby.url, pid=lobby.pid)
        return lobby

    async def _start_players(self, lobby_url: str) -> None:
        ports = self._ports.release("players")
        self._players = await start_players(
            self._processes, self._samples, lobby_url, ports, self._keys
        )
        for sample, player in zip(self._samples, self._players, strict=True):
            self._report.say(f"player   {player.url}   {sample}", url=player.url, pid=player.pid)

    async def _start_tables(self) -> dict[str, str]:
        """Start several rooms' tables, return cards by room; the lobby launches a single one."""
        if self._plan.tables == 1:
            return {}
        ports = self._ports.release("tables")
        return await start_tables(self._processes, self._plan, self._report, ports)


async def _together(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    """Return the results of all; the first failure, or a cancellation, ends them."""
    tasks = [asyncio.create_task(part) for part in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
