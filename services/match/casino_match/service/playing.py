"""Play a match as far as it can be played now: styles in processes, agents in this process."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from casino_match.domain.plan import Plan
from casino_match.domain.plan_file_entrants import is_function, is_remote
from casino_match.errors import InvalidPlan, MatchInterrupted
from casino_match.executors.agents import WithAgents
from casino_match.executors.executor import Executor
from casino_match.executors.processes import Processes
from casino_match.metrics import MatchMetrics
from casino_match.play.remote_session import NewClient
from casino_match.players.remote_patience import Pause
from casino_match.run.begin import Begun
from casino_match.run.match import play_match
from casino_match.run.match_run import RunProgress
from casino_match.run.versions import changes
from casino_match.service.live_match import LiveMatch

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Playing:
    """Plays matches in threads; `client` makes what calls agents, with the policy of addresses."""

    client: NewClient
    processes: int
    now: Callable[[], datetime]
    metrics: MatchMetrics

    def play(self, match: LiveMatch) -> None:
        """Play what a match lacks, and write its result; raises MatchError."""
        plan, folder = match.written.plan, match.written.folder
        for entrant in plan.players:
            if is_function(entrant.player):
                raise InvalidPlan(f"{entrant.name} is a function of a file: casino match plays it")
        for change in changes(plan, folder, lambda entrant: entrant.version or ""):
            raise InvalidPlan(
                f"{change}. A match is played by one version of each player: restore it and call"
                " again, or plan another match, with another seed"
            )
        counted = 0

        def follow(progress: RunProgress) -> None:
            nonlocal counted
            self.metrics.played(progress.played - counted)
            counted = progress.played
            match.progress = progress

        begun = Begun(match.directory, match.written, is_resumed=True)
        result = play_match(begun, self._executor(match), now=self.now, on_progress=follow)
        if result is None:
            raise MatchInterrupted("blocks of the match were deleted while it was played")

    def _executor(self, match: LiveMatch) -> Executor:
        plan = match.written.plan

        def lost(number: int, reason: str) -> None:
            logger.warning("block_lost", match=match.match_id, block=number, reason=reason)

        def paused(pause: Pause) -> None:
            logger.info(
                "agent_awaited",
                match=match.match_id,
                player=pause.name,
                reason=pause.why,
                wait_s=round(pause.wait_s, 3),
            )

        if _has_agents(plan):
            return WithAgents(
                plan, match.written.folder, paused, client=self.client, stop=match.stop
            )
        return Processes(min(self.processes, plan.blocks), lost, match.stop)


def _has_agents(plan: Plan) -> bool:
    return any(is_remote(entrant.player) for entrant in plan.players)
