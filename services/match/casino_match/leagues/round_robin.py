"""Play the matches of a league that are not played, and keep its table."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from casino_contracts.match_results import League, MatchResult

from casino_match.domain.plan import Plan
from casino_match.errors import MatchError
from casino_match.leagues.league_folder import LeagueFolder
from casino_match.leagues.league_order import LeagueOrder
from casino_match.leagues.league_rating import PairResult, matrix, ranking
from casino_match.match_directory import MatchDirectory
from casino_match.run.stored_match import StoredMatch

PlayMatch = Callable[[Plan, Path], MatchResult | None]
"""Plays a match into a directory; None if it was interrupted. Raises MatchError."""
OnPair = Callable[[Plan, MatchResult | None], None]
"""Called before a match is played, with None, and with each result."""


@dataclass
class PlayedLeague:
    """A league as far as it is played."""

    league: League
    results: list[MatchResult]
    failures: list[tuple[Plan, MatchError]] = field(default_factory=list)
    """Matches that could not be played."""
    is_interrupted: bool = False


class RoundRobin:
    """Plays a league; `now` is the wall clock, `match_id` names a match at a lobby."""

    def __init__(
        self,
        folder: LeagueFolder,
        order: LeagueOrder,
        *,
        now: Callable[[], datetime],
        on_pair: OnPair = lambda _plan, _result: None,
        match_id: Callable[[MatchResult], str] | None = None,
    ) -> None:
        self._folder = folder
        self._order = order
        self._now = now
        self._on_pair = on_pair
        self._match_id = match_id

    def play(self, play: PlayMatch) -> PlayedLeague:
        """Play what is missing, writing the table after each match; raises StoreFailed."""
        played = PlayedLeague(self._league([]), [])
        for plan in self._order.plans:
            try:
                result = self._stored(plan)
                if result is None:
                    self._on_pair(plan, None)
                    result = play(plan, self._folder.match(plan))
            except MatchError as error:
                played.failures.append((plan, error))
                continue
            if result is None:
                played.is_interrupted = True
                break
            played.results.append(result)
            played.league = self._league(played.results)
            self._folder.write(played.league)
            self._on_pair(plan, result)
        self._folder.write(played.league)
        return played

    def _stored(self, plan: Plan) -> MatchResult | None:
        path = self._folder.match(plan)
        if MatchDirectory(path).read_plan() is None:
            return None
        result = StoredMatch(path).written_result()
        return result if result is not None and result.is_complete else None

    def _league(self, results: list[MatchResult]) -> League:
        of_pairs = [
            PairResult.of(result, None if self._match_id is None else self._match_id(result))
            for result in results
            if not result.unjudged
        ]
        players, below = self._order.players, self._order.provisional_below
        table = ranking(players, of_pairs, below)
        now = self._now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return League(
            name=self._order.name,
            provisional_below=below,
            players=table,
            matrix=matrix([entry.name for entry in table], of_pairs),
            updated_at=now,
        )
