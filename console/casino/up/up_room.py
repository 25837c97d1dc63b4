"""The room of `casino up`: opened, its players seated, its sessions followed and reported."""

import asyncio
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from casino_agentkit.process.private_file import make_private
from casino_contracts import (
    HOLDEM,
    CreateRoomInput,
    PlayerFault,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomSnapshot,
    TableConfig,
    TableEvent,
)
from casino_lobby_client.errors import CallFailed

from casino.errors import RunNotSaved
from casino.lobby_api import LobbyApi
from casino.operator_key import OperatorKey
from casino.up.casino_plan import ROOM, CasinoPlan
from casino.up.run_report import Report, results_document
from casino.up.session_score import CountedHand, PlayerScore, Score

_DISTRIBUTION = "a2a-casino"


class SavedRun:
    """Writes a run into a directory that is new or empty."""

    def __init__(self, directory: Path, run: Mapping[str, Any]) -> None:
        """Begin a run; `run` is how it is played. Raises RunNotSaved."""
        self._directory = directory
        self._run = {
            **run,
            "versions": {
                _DISTRIBUTION: version(_DISTRIBUTION),
                "python": platform.python_version(),
                "system": platform.platform(),
            },
        }
        try:
            make_private(directory)
            is_used = any(directory.iterdir())
        except OSError as error:
            raise RunNotSaved(f"--save: {directory}: {error.strerror}") from error
        if is_used:
            raise RunNotSaved(f"--save: {directory} is not empty: name a new directory")
        self._write("run.json", self._run)
        self.add_events(())

    def played_by(self, players: Sequence[Mapping[str, Any]], config: Mapping[str, Any]) -> None:
        self._run |= {"config": {**config}, "players": [*players]}
        self._write("run.json", self._run)

    def add_events(self, events: Iterable[TableEvent]) -> None:
        try:
            with (self._directory / "events.jsonl").open("ab") as file:
                file.writelines(event.wire() + b"\n" for event in events)
        except OSError as error:
            raise self._failed(error) from error

    def write_results(self, results: Mapping[str, Any]) -> None:
        """Write the results so far, in place of earlier ones; raises RunNotSaved."""
        self._write("results.json", results)

    def _write(self, name: str, document: Mapping[str, Any]) -> None:
        """Replace a file as a whole, so that it can be read at any time."""
        path = self._directory / name
        partial = path.with_suffix(".partial")
        try:
            partial.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> RunNotSaved:
        return RunNotSaved(f"the run cannot be saved in {self._directory}: {error.strerror}")


class FaultReports:
    """Reads the faults of a room's players, and reports the first of each outcome.

    `key` is used where the client has no operator key.
    """

    def __init__(self, api: LobbyApi, room_id: str, key: OperatorKey, report: Report) -> None:
        self._api = api
        self._room_id = room_id
        self._key = key
        self._report = report
        self._read: dict[str, int] = {}
        """Number of failed answers of which a player's faults were read."""
        self._reported: set[tuple[str, str]] = set()
        """Player id, and outcome or reason of a default."""

    async def after_hands(self, score: Score, hands: Sequence[CountedHand]) -> None:
        """Report the faults up to the last of these completed hands; raises CallFailed."""
        if not hands:
            return
        number = hands[-1].number
        for player in score.players.values():
            if player.failed_answers > self._read.get(player.player_id, 0):
                await self._report_of(player, number)

    async def _report_of(self, player: PlayerScore, number: int) -> None:
        reply = await self._api.faults(self._room_id, player.player_id, self._key)
        answers = [fault for fault in reply.faults or () if fault.outcome != "sitting_out"]
        completed = [fault for fault in answers if (fault.hand_number or 0) <= number]
        if completed:
            player.last_fault = completed[0]
        if len(completed) == len(answers):  # otherwise the reasons of a running hand are missing
            self._read[player.player_id] = player.failed_answers
        for fault in reversed(completed):
            self._report_new(player, fault)

    def _report_new(self, player: PlayerScore, fault: PlayerFault) -> None:
        kind = (player.player_id, fault.defaulted or fault.outcome)
        if kind not in self._reported:
            self._reported.add(kind)
            self._report.fault(player, fault)


async def open_room(
    api: LobbyApi,
    room_id: str,
    config: TableConfig,
    game_type: str,
    cards: Sequence[str],
    table: str | None = None,
) -> tuple[RoomSnapshot, list[RegisteredPlayer]]:
    """Open a room, without a `table` at one of the lobby's, seat these agents, and start it.

    Raises CallFailed.
    """
    room = await api.create_room(
        CreateRoomInput(
            room_id=room_id, config=config, game_type=game_type, table_agent_card_url=table
        )
    )
    seats = []
    for number, card in enumerate(cards):
        player = RegisterPlayerInput(room_id=room_id, agent_card_url=card, preferred_seat=number)
        seats.append(await api.register(player))
    if len(cards) < config.max_seats:  # else the lobby starts it
        await api.start_if_possible(room_id)
    return room, seats


_POLL_S = 0.2
_LAST_READ_S = 2.0
"""How long a stop waits for the lobby's last events."""


class MainRoom:
    """Plays the room of a plan; `saved` keeps what is played, if anything does.

    `url` is that of the room's page.
    """

    def __init__(
        self,
        api: LobbyApi,
        plan: CasinoPlan,
        report: Report,
        faults: FaultReports,
        saved: SavedRun | None = None,
        url: str = "",
    ) -> None:
        self._api = api
        self._url = url
        self._plan = plan
        self._report = report
        self._faults = faults
        self._saved = saved
        self._own: set[str] = set()
        """Player ids of the players that this command seated."""
        self._is_open = False
        """Whether the hands are played, and sessions are for those who sit down."""
        self._config = plan.config()
        self._score = Score(self._config.big_blind if plan.game_type == HOLDEM else None)
        self._hands_in_results = 0
        self._epoch = 1
        self._sequence = 0  # of the last event read in this epoch

    @property
    def has_bank(self) -> bool:
        return self._score.has_bank

    async def open(self, cards: Sequence[str], table: str | None = None) -> None:
        """Open the room as `open_room` does, and say where everybody sits."""
        room, seats = await open_room(
            self._api, ROOM, self._config, self._plan.game_type, cards, table
        )
        self._report.say(f"table    {room.table_base_url}", url=room.table_base_url)
        players = []
        for seat, card in zip(seats, cards, strict=True):
            self._own.add(seat.player_id)
            facts = {"seat": seat.seat_number, "playerId": seat.player_id}
            players.append({**facts, "name": seat.display_name, "card": card})
            self._report.say(
                f"seat {seat.seat_number}   {seat.display_name} with {seat.stack}",
                **facts,
                name=seat.display_name,
            )
        if self._saved:
            self._saved.played_by(players, self._config.model_dump(mode="json"))

    async def follow_session(self) -> bool:
        """Report a session's hands; return whether it was complete. Raises CallFailed."""
        sessions_before = self._score.sessions
        while True:
            room = await self._api.room(ROOM)  # before the events: they have the end of an idle one
            is_news = await self._read()
            if self._score.sessions > sessions_before:
                return self._write_results(self._link()) and self._score.hands >= self._plan.hands
            if room.epoch and room.epoch > self._epoch and not is_news:
                self._epoch, self._sequence = self._epoch + 1, 0  # the table was replaced
            if room.state == "failed" or (room.summary and room.summary.status == "error"):
                raise CallFailed(_failure_of(room))
            if self._is_open and self._has_guest(room):
                await self._api.start_if_possible(ROOM)
            await asyncio.sleep(_POLL_S)

    async def keep_open(self) -> NoReturn:
        """Follow further sessions until cancelled, and start one when somebody has sat down."""
        self._is_open = True
        while True:
            await self.follow_session()

    async def stop(self) -> None:
        """Report the results of the hands so far, unless they are reported; raises RunNotSaved."""
        try:
            async with asyncio.timeout(_LAST_READ_S):
                await self._read()
        except (CallFailed, TimeoutError):
            pass  # the lobby is gone: the events that were read have to do
        finally:  # also if the stop is cancelled because the lobby's end is noticed meanwhile
            if self._score.hands > self._hands_in_results:
                self._write_results()

    async def _read(self) -> bool:
        """Report what happened since the last time, and return whether there was anything."""
        page = await self._api.events(ROOM, self._sequence, self._epoch)
        self._sequence = page.last_sequence
        hands: list[CountedHand] = []
        for event in page.events:
            if hand := self._score.add(event):
                hands.append(hand)
                self._report.hand(hand)
        if self._saved:
            self._saved.add_events(page.events)
        await self._faults.after_hands(self._score, hands)
        return bool(page.events)

    def _has_guest(self, room: RoomSnapshot) -> bool:
        summary = room.summary
        if summary is None or summary.status != "idle":
            return False
        return any(seat.player_id not in self._own for seat in summary.players)

    def _link(self) -> str:
        """Return the room's URL while its page is there to be opened, "" otherwise."""
        return "" if self._plan.exits else self._url

    def _write_results(self, url: str = "") -> bool:
        self._hands_in_results = self._score.hands
        if self._saved:
            self._saved.write_results(results_document(self._score))
        return self._report.results(self._score, url)


def _failure_of(room: RoomSnapshot) -> str:
    message = room.summary.message if room.summary else None
    return f"room {room.room_id} cannot play on: {message}"
