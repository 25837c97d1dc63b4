"""Deliver notices to the players whose cards declare the skill `notify`, beside play.

Each player gets its notices one after the other, so a hand's end never overtakes its deal. A player
that is slow, or away, misses the oldest ones that wait; nobody else notices. What still waits when
the table's lease ends is dropped: another table may have the room by then.
"""

from collections import deque
from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

import structlog
from casino_agentkit import AgentError, TimedOut, Unreachable
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import HandNotice, HandNoticeOutput
from casino_play.turn import Clock, PlayerDirectory

from casino_table.domain.lease import Lease
from casino_table.domain.seat import Seat

SKILL = "notify"
MOST_WAITING = 8
"""Maximum number of notices that wait for one player: those of four hands."""
MOST_PLAYERS = 20
"""Maximum number of players with waiting notices, those included that have just left."""
_TIMEOUT = timedelta(seconds=2)
_PAUSE_S = 0.2
_BRIEF = "A hand was dealt to you, or is over. Nothing is asked of you: answer with ok."

logger = structlog.get_logger(__name__)


class _Waiting(NamedTuple):
    """One notice to one player, and where it goes."""

    card_url: str
    token: str | None
    content: bytes
    lease: Lease


_Address = tuple[str, str]
"""Player id and card URL."""


class NoticeSender:
    """Sends the notices of one table agent; `players` resolves their cards."""

    def __init__(self, players: PlayerDirectory, clock: Clock) -> None:
        self._players = players
        self._clock = clock
        self._waiting: dict[_Address, deque[_Waiting]] = {}
        self._looked_up: set[str] = set()
        """Cards of seated players that were read once for a notice, or are being read."""
        self._tasks = BackgroundTasks()

    def wanting(self, seats: Iterable[Seat]) -> list[Seat]:
        """Return the seats whose cards declare `notify`, or were not read yet.

        A card is read for a notice once, for all that wait meanwhile; later it is the card that
        questions needed.
        """
        wanting, cards = [], set()
        for seat in seats:
            cards.add(seat.card_url)
            player = self._players.cached(seat.card_url)
            if SKILL in player.skills if player is not None else self._may_want(seat):
                wanting.append(seat)
        self._looked_up = cards
        return wanting

    def _may_want(self, seat: Seat) -> bool:
        """Return whether to read a seat's card for a notice, or it is being read for one."""
        is_waiting = (seat.player_id, seat.card_url) in self._waiting
        return not seat.sits_out and (is_waiting or seat.card_url not in self._looked_up)

    def send(self, seat: Seat, notice: HandNotice, lease: Lease) -> None:
        """Send a notice after the earlier ones to its player, if the lease still runs then.

        Returns at once.
        """
        address = (seat.player_id, seat.card_url)
        waiting = self._waiting.get(address)
        item = _Waiting(seat.card_url, seat.token, notice.wire(), lease)
        if waiting is not None:
            waiting.append(item)
        elif len(self._waiting) < MOST_PLAYERS:
            self._waiting[address] = deque([item], maxlen=MOST_WAITING)
            self._tasks.begin(self._deliver(address))

    async def wait(self) -> None:
        """Wait until nothing waits."""
        await self._tasks.wait()

    async def end(self) -> None:
        """Drop all that waits."""
        await self._tasks.end()

    async def _deliver(self, address: _Address) -> None:
        waiting = self._waiting[address]
        try:
            while waiting:
                if not await self._has_delivered(waiting.popleft(), address[0]):
                    waiting.clear()
        finally:
            del self._waiting[address]

    async def _has_delivered(self, notice: _Waiting, player_id: str) -> bool:
        """Call the player, and once more if it cannot be reached or is late.

        Returns False if its card cannot be read: its agent is away, as decisions tell.
        """
        try:
            try:
                await self._call(notice)
            except (Unreachable, TimedOut):
                await self._clock.sleep(_PAUSE_S)
                await self._call(notice)
        except AgentError as error:
            if self._players.cached(notice.card_url) is None:
                return False
            logger.info("notice_failed", player=player_id, error=str(error))
        return True

    async def _call(self, notice: _Waiting) -> None:
        player = await self._players.joined(notice.card_url, _TIMEOUT)
        if SKILL in player.skills and notice.lease.is_valid(self._clock.now()):
            await player.call(
                SKILL,
                notice.content,
                HandNoticeOutput,
                timeout=_TIMEOUT,
                brief=_BRIEF,
                token=notice.token,
            )
