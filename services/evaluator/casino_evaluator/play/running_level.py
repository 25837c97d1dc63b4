"""One attempt at a level, while it is played."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any

from casino_lobby_client.errors import CallFailed, UnknownRoom
from casino_lobby_client.lobby_client import OVER
from casino_seats.errors import ActionRefused
from casino_seats.offered_action import checked

from casino_evaluator.errors import LevelLost
from casino_evaluator.play.level_room import LevelRoom, LevelRooms
from casino_evaluator.play.level_seats import CandidateSeat, OpponentSeat
from casino_evaluator.play.recorder import HandPlayed, LevelProgress, Recorder

Json = dict[str, Any]

NOTICE_S = 5.0
"""How long the notice of a deal or of a hand's end may be late."""
SILENCE_S = 10.0
"""How long a table may be silent while the candidate waits; an opponent's clock is shorter."""
_LOOK_S = 1.0
"""How often the room is read while nothing comes."""
_LOST_STATES = {*OVER, "table-away", "closing"}


class LevelRun:
    """One attempt, the same for the same seed and actions. Raises LevelLost and is closed then."""

    def __init__(self, rooms: LevelRooms, room: LevelRoom, recorder: Recorder) -> None:
        self._rooms = rooms
        self._room = room
        self._recorder = recorder
        self._changed = asyncio.Event()
        self._replayed: deque[Json] = deque()
        self._changed_at = _now()
        self._is_closed = False
        self.ids: dict[str, str] = {}
        self.epoch: int | None = None
        self.candidate = CandidateSeat(recorder, self.ids, self.note)
        self.opponent: OpponentSeat | None = None

    @property
    def newest(self) -> LevelProgress:
        return self._recorder.now

    @property
    def hands(self) -> Sequence[HandPlayed]:
        return tuple(self._recorder.played)

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    async def act(self, action: Json, within_s: float) -> LevelProgress:
        """Take the candidate's action, which is one of the newest moment's offers.

        Returns at the next decision of the candidate or the end of the level, at the latest after
        `within_s`. Raises ValueError if it is not the candidate's turn, or it is not offered.
        """
        self._raise_lost()
        try:
            self._answer(action)
        except ActionRefused as refusal:
            raise ValueError(refusal.message) from refusal
        return await self.wait(within_s)

    async def wait(self, within_s: float) -> LevelProgress:
        try:
            async with asyncio.timeout(within_s):
                while not self._is_settled:
                    self._raise_lost()
                    await self._next_change()
        except TimeoutError:
            pass
        self._raise_lost()
        return self._recorder.take()

    async def close(self) -> None:
        """Close the room; may be called at any time, and twice."""
        if not self._is_closed:
            self._is_closed = True
            self._rooms.give_back(self._room, self._end_seats)
            self._recorder.lose("the attempt is closed")
            self._changed.set()

    def replay(self, actions: Sequence[Json]) -> None:
        """Give the candidate's next decisions in advance."""
        self._replayed.extend(actions)
        self.note()

    def note(self) -> None:
        """Go on with a replay after a change, and wake who waits."""
        recorder = self._recorder
        self._changed_at = _now()
        while self._replayed and recorder.open is not None and recorder.fault is None:
            try:
                self._answer(self._replayed.popleft())
            except ActionRefused as refusal:
                recorder.lose(f"the replay differs: {refusal.message:.200}")
        if self._replayed and recorder.end is not None:
            recorder.lose("the replay differs: the level is over before its last action")
        self._changed.set()

    def _answer(self, action: Json) -> None:
        recorder = self._recorder
        request_id, newest = recorder.open, recorder.newest
        if request_id is None or newest is None:
            raise ValueError("it is not the candidate's turn")
        taken = checked(action, newest.offers)
        recorder.answered()
        self._changed_at = _now()
        self.candidate.answer(request_id, taken)

    @property
    def _is_settled(self) -> bool:
        return self._recorder.is_settled and not self._replayed

    def _raise_lost(self) -> None:
        if self._recorder.fault is not None and not (self._recorder.end and not self._replayed):
            why = self._recorder.fault
            if not self._is_closed:
                self._is_closed = True
                self._rooms.give_back(self._room, self._end_seats)
            raise LevelLost(why)

    async def _next_change(self) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(_LOOK_S):
                await self._changed.wait()
        except TimeoutError:
            await self._look()

    async def _look(self) -> None:
        """Note that the level is lost, if it is: by a notice that is missing, or by its room."""
        is_idle = False
        try:
            room = await self._rooms.lobby.room(self._room.room_id)
        except UnknownRoom:
            self._recorder.lose("the lobby does not know the room any more")
            return
        except CallFailed:
            pass  # a lobby that is away: the table plays on
        else:
            status = room.summary.status if room.summary else "waiting"
            is_idle = status == "idle"
            if room.state in _LOST_STATES or status == "error":
                self._recorder.lose(f"the room is {room.state or status}")
            elif self.epoch is not None and room.epoch != self.epoch:
                self._recorder.lose("the room has got another table")
        silent_s = _now() - self._changed_at
        if silent_s > NOTICE_S and (is_idle or self._recorder.is_blocked):
            self._recorder.lose("a notice of the table did not come")
        elif silent_s > SILENCE_S:
            self._recorder.lose("the table is silent")

    def _end_seats(self) -> None:
        self.candidate.end()
        if self.opponent is not None:
            self.opponent.end()


def _now() -> float:
    return asyncio.get_running_loop().time()
