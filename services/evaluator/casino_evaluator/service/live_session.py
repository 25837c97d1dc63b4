"""A session in memory: its lock, and the room of its level while that is open."""

import asyncio

from casino_evaluator.domain.moment import Moment
from casino_evaluator.domain.session import Session
from casino_evaluator.play.level_run import LevelRun, Progress

Opening = asyncio.Task[tuple[LevelRun, Progress]]


class LiveSession:
    """A session, and the attempt at its level if it has a room."""

    def __init__(self, session: Session, used_at: float) -> None:
        self.session = session
        self.lock = asyncio.Lock()
        """Held by the command that is being taken."""
        self.commands = 0
        """Commands that hold the lock or wait for it."""
        self.used_at = used_at
        """Monotonic seconds of the last command's end."""
        self.opening: Opening | None = None
        self.run: LevelRun | None = None
        self.begun: Progress | None = None
        """The first moments of the level, as long as nothing was played since."""
        self.owner = ""
        """Whose share of rooms it uses."""
        self.last: Moment | None = None
        """The last moment that was answered."""

    @property
    def has_room(self) -> bool:
        """Whether a room is open, or being opened."""
        return self.run is not None or self.opening is not None

    @property
    def is_busy(self) -> bool:
        """Whether a command is being taken."""
        return self.commands > 0

    async def leave_room(self) -> None:
        """Close the room; the level can be played again from the stored actions."""
        run, self.run, self.begun = self.run, None, None
        opening, self.opening = self.opening, None
        if opening is not None:
            opening.cancel()
            await asyncio.wait({opening})
            if not opening.cancelled() and opening.exception() is None:
                run, _ = opening.result()
        if run is not None:
            await run.close()
