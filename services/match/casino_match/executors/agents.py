"""Play blocks with agents: in this process, which calls them, several hands at the same time."""

from asyncio import CancelledError
from collections.abc import Iterable
from pathlib import Path

from casino_match.domain.block_json import block_to_json
from casino_match.domain.plan import Plan
from casino_match.errors import MatchInterrupted
from casino_match.executors.executor import Job, Played
from casino_match.executors.stop import Stop
from casino_match.play.remote_session import BlocksWithAgents, NewClient, over_http
from casino_match.players.remote_patience import OnPause


class WithAgents:
    """Plays the blocks of a plan that has agents; they are signed up first.

    `client` makes what calls them, with its policy of addresses.
    """

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        on_pause: OnPause,
        *,
        client: NewClient = over_http,
        stop: Stop | None = None,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._on_pause = on_pause
        self._client = client
        self._stop = stop or Stop()

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield each block; see `Executor`.

        Raises MatchSuspended too, and MatchInterrupted if it is stopped.
        """
        del job
        blocks = BlocksWithAgents(
            self._plan, folder=self._folder, on_pause=self._on_pause, client=self._client
        )
        with self._stop.calling(blocks.interrupt):
            try:
                with blocks as match:
                    for number in numbers:
                        yield number, block_to_json(match.play(number))
            except CancelledError:
                if self._stop.is_set:
                    raise MatchInterrupted("the run was stopped") from None
                raise
