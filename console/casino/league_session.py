"""One `casino league`: play what is missing, and write the table."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from casino_contracts.match_results import (
    HeadToHead,
    Interval,
    League,
    LeagueEntry,
    MatchPair,
    MatchResult,
)
from casino_match.domain.plan import Plan
from casino_match.executors.agent_session import version_of_agent
from casino_match.leagues.league_folder import LeagueFolder
from casino_match.leagues.round_robin import PlayedLeague, RoundRobin
from casino_match.run.match_start import draw_seed
from rich.console import Console

from casino.match_session import MatchOrder, MatchSession
from casino.match_text import sure_rate
from casino.output import NOTHING, Output, counted

_MOST_IN_MATRIX = 8
"""Players of a league whose matrix is a table; more are listed by pairs."""


def pair_line(pair: MatchPair) -> str:
    (estimate,) = (entry for entry in pair.estimates if entry.estimator == pair.headline)
    interval = pair.simultaneous or estimate.bootstrap or estimate.normal
    rate = f"{estimate.bb_per_100:+.1f} bb/100 ({_interval(interval)}), " if interval else ""
    return f"{pair.first} against {pair.second}: {rate}{pair.verdict}"


def write_league(output: Output, league: League) -> None:
    output.line("")
    columns = ("rank", "player", "bb/100 ", "95 %", "hands ", "state")
    output.table(columns, map(_entry, league.players))
    names = [entry.name for entry in league.players]
    if not league.matrix:
        return
    output.line("")
    if len(names) > _MOST_IN_MATRIX:
        output.table(("players", "bb/100 ", "verdict"), map(_pair, league.matrix))
        return
    rates = {(pair.first, pair.second): pair for pair in league.matrix}
    output.line("bb/100 of the row against the column; * is sure")
    output.table(
        ("", *(f"{name} " for name in names)),
        [(name, *(_cell(rates, name, other) for other in names)) for name in names],
    )


def _entry(entry: LeagueEntry) -> tuple[str, ...]:
    is_sure = entry.rank == entry.worst_rank
    return (
        str(entry.rank) if is_sure else f"{entry.rank}-{entry.worst_rank}",
        entry.name,
        sure_rate(entry.bb_per_100, entry.interval),
        _interval(entry.interval),
        str(entry.hands),
        "provisional" if entry.is_provisional else "rated",
    )


def _pair(pair: HeadToHead) -> tuple[str, ...]:
    return (
        f"{pair.first} against {pair.second}",
        sure_rate(pair.bb_per_100, pair.interval),
        pair.verdict,
    )


def _cell(rates: dict[tuple[str, str], HeadToHead], name: str, other: str) -> str:
    pair, sign = rates.get((name, other)), 1
    if pair is None:
        pair, sign = rates.get((other, name)), -1
    if pair is None:
        return "" if name == other else NOTHING
    mark = "" if pair.verdict == "undecided" else "*"
    return sure_rate(sign * pair.bb_per_100, pair.interval) + mark


def _interval(interval: Interval | None) -> str:
    return NOTHING if interval is None else f"{interval.low:+.1f} to {interval.high:+.1f}"


@dataclass
class LeagueSession:
    """Plays a league for a command; `progress` is the terminal of the bar.

    `match_id` names a match at the lobby where it is going to be published.
    """

    output: Output
    progress: Console
    is_json: bool = False
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    match_id: Callable[[MatchResult], str] | None = None
    exit_code: int = 0
    """What the command ends with if a match was interrupted."""

    def run(
        self, path: Path, over: Mapping[str, Any], jobs: int | None, on: str | None
    ) -> PlayedLeague:
        """Play the matches that are missing, and write the table; raises MatchError."""
        folder = LeagueFolder(path)
        order = folder.read(over, draw_seed, version_of_agent)
        self._note(
            f"league {order.name}: {counted(len(order.players), 'player')},"
            f" {counted(len(order.plans), 'pair')}",
            {"event": "league", "name": order.name, "matches": len(order.plans)},
        )
        robin = RoundRobin(folder, order, now=self.now, on_pair=self._pair, match_id=self.match_id)
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
            silent = MatchSession(Output(Console(file=nowhere)), self.progress)

            def play(plan: Plan, match: Path) -> MatchResult | None:
                values = plan.model_dump()
                order_of_match = MatchOrder(values, path, out=match, jobs=jobs, on=on)
                self.exit_code, result = silent.run(order_of_match)
                return result

            played = robin.play(play)
        self._finish(folder, played)
        return played

    def _pair(self, plan: Plan, result: MatchResult | None) -> None:
        if result is None:
            first, second = (entrant.name for entrant in plan.players)
            document = {"event": "match", "first": first, "second": second}
            self._note(f"{first} against {second} …", document)
            return
        (pair,) = result.pairs
        outcome = pair.model_dump(mode="json", exclude={"series"})
        text = pair.sentence if result.unjudged else pair_line(pair)
        self._note(text, {"event": "pair", "pair": outcome})

    def _finish(self, folder: LeagueFolder, played: PlayedLeague) -> None:
        for plan, error in played.failures:
            document = {"event": "failure", "match": plan.name, "reason": str(error)}
            self._note(f"{plan.name} was not played: {error}", document)
        if self.is_json:
            league = played.league.model_dump(mode="json")
            self.output.json({"event": "table", "league": league})
            return
        write_league(self.output, played.league)
        self.output.line(f"table  {folder.table}")
        if played.is_interrupted:
            self.output.line("interrupted; the same command goes on")

    def _note(self, text: str, document: Mapping[str, Any]) -> None:
        if self.is_json:
            self.output.json(document)
        else:
            self.output.line(text)
