"""Opens attempts at levels: a room of the lobby, the candidate's seat and the opponent's."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from casino_agentkit import HostedAgents, Waits
from casino_contracts import Reason, RegisteredPlayer, RegisterPlayerInput, WaitReason
from casino_contracts.player_messages import LONGEST_CLOCK_MS
from casino_lobby_client.errors import CallFailed, CallRefused, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient
from casino_seats.seat_agent import Seated

from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.errors import ErrorName, LevelLost, RequestRefused, SeatsTaken
from casino_evaluator.opponents import Decide
from casino_evaluator.play.agent_run import AgentTally, play_out
from casino_evaluator.play.level_room import (
    LevelRoom,
    LevelRooms,
    Place,
    has_opponent,
    least_stack,
    room_order,
)
from casino_evaluator.play.level_seats import OpponentSeat
from casino_evaluator.play.recorder import CANDIDATE, OPPONENT, AgentLevel, LevelProgress, Recorder
from casino_evaluator.play.running_level import LevelRun

Json = dict[str, Any]

_TRIES = 3
"""A room is opened again if somebody else took a seat of it."""
_OPPONENT_CLOCK_MS = 3_000
_LONGEST = timedelta(milliseconds=LONGEST_CLOCK_MS)
_UNAVAILABLE = 503
_FREE_TABLE_S = 5.5
"""A table says every 5 s that it is free, by default."""
_LATER = {
    Reason.NO_TABLE.value: WaitReason.NO_TABLE,
    Reason.TOO_MANY_REQUESTS.value: WaitReason.SERVICE_FULL,
}
"""Refusals that end by themselves: a table becomes free, another command ends."""
_LOOK_S = 0.25


class LevelRuns:
    """Opens rooms for attempts. `opponents` are those of the evaluator, by name.

    `waits` have what attempts wait for.
    """

    def __init__(
        self,
        lobby: LobbyClient,
        hosted: HostedAgents,
        url: str,
        opponents: Mapping[str, Decide],
        waits: Waits,
        opponent_pause: timedelta = timedelta(),
    ) -> None:
        self._rooms = LevelRooms(lobby, hosted, url)
        self._lobby = lobby
        self._opponents = opponents
        self.waits = waits
        self._pause = opponent_pause
        self._running: set[LevelRun] = set()

    async def start_up(self, instance: str) -> None:
        """Close the rooms that an earlier process of this evaluator left.

        `instance` is kept in the database, and secret.
        """
        await self._rooms.adopt_left(instance)

    async def close(self) -> None:
        """Close all rooms, as far as the lobby answers at once."""
        for run in list(self._running):
            await run.close()
        await self._rooms.end()

    async def start(
        self,
        game: ExaminedGame,
        level: int,
        seed: str,
        actions: Sequence[Json] = (),
        *,
        name: str = "Candidate",
        waiting: str = "",
        within_s: float,
    ) -> tuple[LevelRun, LevelProgress]:
        """Open a room, seat both, start, replay the candidate's earlier actions.

        `seed` is the level's: it decides all cards and the opponent's dice. `waiting` is the key
        of what waits meanwhile, by default the room. Raises LevelLost if the
        replay differs, RequestRefused (503) if the lobby or a table is not there. A replay that
        takes longer than `within_s` goes on in `wait`.
        """
        for _ in range(_TRIES):
            room = self._rooms.new(waiting)
            recorder = Recorder(
                game, level, least=least_stack(game), has_opponent=has_opponent(game)
            )
            run = LevelRun(self._rooms, room, recorder)
            self._forget_closed()
            self._running.add(run)
            try:
                await self._seat_both(run, room, recorder, game, level, seed, name)
                run.replay(actions)
                return run, await run.wait(within_s)
            except SeatsTaken:
                await run.close()
            except CallFailed as error:
                await run.close()
                raise _refused(error) from error
            except BaseException:
                await run.close()
                raise
        raise RequestRefused(
            ErrorName.SERVER_ERROR,
            "Others took the seats of the level's room. Retry; give the lobby an operator's key"
            " that the evaluator has too.",
            _UNAVAILABLE,
        )

    async def play_agent(
        self,
        game: ExaminedGame,
        level: int,
        seed: str,
        card_url: str,
        *,
        name: str = "Candidate",
        action_timeout_ms: int = 5_000,
    ) -> AgentLevel:
        """Play a level with an A2A agent in the candidate's seat, seated by its card URL.

        Raises RequestRefused if it cannot be seated, LevelLost; a cancelled call closes the room.
        """
        for _ in range(_TRIES):
            room = self._rooms.new()
            ids: dict[str, str] = {}
            opponent = self._opponent(game, level, seed, ids, recorder=None, changed=lambda: None)
            try:
                order = room_order(
                    game, level, seed, room.room_id, action_timeout_ms=action_timeout_ms
                )
                await self._open(room, order)
                agent = await self._lobby.register(
                    RegisterPlayerInput(
                        room_id=room.room_id, agent_card_url=card_url, preferred_seat=0
                    ),
                    key=room.names[0],
                )
                await self._complete(room, agent, ids, opponent)
                tally = AgentTally(ids, game.starting_stack)
                await play_out(self._lobby, room.room_id, tally, self.waits)
                played = tally.level(game.levels[level - 1].target)
                defaults = opponent.defaults if opponent else 0
                return replace(played, opponent_defaults=defaults)
            except SeatsTaken:
                continue
            except CallFailed as error:
                raise _refused(error, name) from error
            finally:
                self._rooms.give_back(room, opponent.end if opponent else None)
        raise LevelLost("others took the seats of the level's room")

    # Within.

    async def _seat_both(
        self,
        run: LevelRun,
        room: LevelRoom,
        recorder: Recorder,
        game: ExaminedGame,
        level: int,
        seed: str,
        name: str,
    ) -> None:
        run.opponent = self._opponent(
            game, level, seed, run.ids, recorder=recorder, changed=run.note
        )
        order = room_order(game, level, seed, room.room_id, action_timeout_ms=_OPPONENT_CLOCK_MS)
        await self._open(room, order)
        place = self._rooms.serve(room, 0, name)
        place.clock = _LONGEST
        registered = await self._register(place)
        # Both seats are taken only once both ids are known: `SeatPlace` waits for that.
        run.epoch = await self._complete(
            room, registered, run.ids, run.opponent, taken=lambda: _take(place, run.candidate)
        )

    async def _open(self, room: LevelRoom, order: Json) -> None:
        """Open a room, once a table is free: tables of rooms that just ended soon are."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _FREE_TABLE_S
        try:
            while not room.is_sure:
                try:
                    await self._lobby.create_room(order)
                except CallRefused as refusal:
                    why = _LATER.get(refusal.reason)
                    if why is None or loop.time() > until:
                        raise
                    self.waits.begin(why, room.waiting, str(refusal))
                    await asyncio.sleep(_LOOK_S)
                else:
                    room.is_sure = True
        finally:
            for why in _LATER.values():
                self.waits.end(why, room.waiting)

    async def _complete(
        self,
        room: LevelRoom,
        candidate: RegisteredPlayer,
        ids: dict[str, str],
        opponent: OpponentSeat | None,
        taken: Callable[[], None] = lambda: None,
    ) -> int | None:
        """Seat the opponent, start, return the epoch; `taken` gets the ids. Raises SeatsTaken."""
        ids[candidate.player_id] = CANDIDATE
        if candidate.seat_number != 0:
            raise SeatsTaken
        if opponent is None:
            taken()
            await self._lobby.start(room.room_id)
        else:
            place = self._rooms.serve(room, 1, "Opponent")
            registered = await self._register(place)
            ids[registered.player_id] = OPPONENT
            taken()
            _take(place, opponent)
        seated = await self._lobby.room(room.room_id)
        players = seated.summary.players if seated.summary else ()
        if {player.player_id for player in players} - set(ids):
            raise SeatsTaken
        return seated.epoch

    async def _register(self, place: Place) -> RegisteredPlayer:
        try:
            return await self._rooms.register(place)
        except CallRefused as refusal:
            if refusal.reason == Reason.ROOM_FULL:
                raise SeatsTaken from refusal
            raise

    def _opponent(
        self,
        game: ExaminedGame,
        level: int,
        seed: str,
        ids: Mapping[str, str],
        *,
        recorder: Recorder | None,
        changed: Callable[[], None],
    ) -> OpponentSeat | None:
        if not has_opponent(game):
            return None
        decide = self._opponents[game.levels[level - 1].opponent]
        return OpponentSeat(decide, seed, self._pause, recorder=recorder, ids=ids, changed=changed)

    def _forget_closed(self) -> None:
        self._running = {run for run in self._running if not run.is_closed}


def _take(place: Place, seat: Seated) -> None:
    place.seat = seat
    place.is_seated.set()


def _refused(error: CallFailed, name: str = "") -> RequestRefused:
    whose = f"{name}: " if name else ""
    if isinstance(error, LobbyAway):
        message = f"{whose}The lobby is not there: {error}. Retry later."
    elif isinstance(error, UnknownRoom):
        message = f"{whose}The level's room was closed while it was opened. Retry."
    else:
        message = f"{whose}The lobby opens no room for the level. {error}"
    return RequestRefused(ErrorName.SERVER_ERROR, message, _UNAVAILABLE)
