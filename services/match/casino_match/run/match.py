"""Play a match that has begun, and write its result."""

from collections.abc import Callable
from datetime import datetime

from casino_contracts.match_results import MatchResult

from casino_match.executors.block_job import BlockJob
from casino_match.executors.executor import Executor
from casino_match.run.begin import Begun
from casino_match.run.match_run import MatchRun, OnProgress
from casino_match.run.notable_hands import describe_of
from casino_match.run.stored_match import StoredMatch


def play_match(
    begun: Begun,
    executor: Executor,
    *,
    now: Callable[[], datetime],
    on_progress: OnProgress = lambda _: None,
    share: tuple[int, int] = (1, 1),
) -> MatchResult | None:
    """Play what a match lacks, and return its result, which is written; None if blocks lack.

    Blocks lack only where `share` left them to other runs. Raises MatchError.
    """
    plan = begun.written.plan
    run = MatchRun(plan, begun.directory.blocks(plan), on_progress, share)
    run.play(executor, BlockJob(plan, begun.written.folder))
    result = run.result(describe=describe_of(plan), finished_at=now())
    if result is None or not result.is_complete:
        return None
    written = StoredMatch(begun.directory.path).written_result()
    if written is not None and written.digest == result.digest:
        return written
    begun.directory.write_result(result.wire())
    return result
