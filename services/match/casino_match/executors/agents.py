"""Play blocks with agents: in this process, which calls them, several hands at the same time."""

from collections.abc import Iterable
from pathlib import Path

from casino_match.domain.block_json import block_to_json
from casino_match.domain.plan import Plan
from casino_match.executors.executor import Job, Played
from casino_match.play.remote_session import BlocksWithAgents
from casino_match.players.remote_patience import OnPause


class WithAgents:
    """Plays the blocks of a plan that has agents; they are signed up first."""

    def __init__(self, plan: Plan, folder: Path, on_pause: OnPause) -> None:
        self._plan = plan
        self._folder = folder
        self._on_pause = on_pause

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield each block; see `Executor`. Raises MatchSuspended too."""
        del job
        with BlocksWithAgents(self._plan, folder=self._folder, on_pause=self._on_pause) as match:
            for number in numbers:
                yield number, block_to_json(match.play(number))
