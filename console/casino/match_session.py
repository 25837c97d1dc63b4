"""One `casino match`: begin or resume, play what is missing, write the result."""

import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

from casino_agentkit.process.child import usable_cores
from casino_contracts.match_results import MatchResult
from casino_match.domain.plan import Plan, seatings_of
from casino_match.domain.plan_file import entrants_of, is_remote, merged
from casino_match.errors import InvalidPlan, MatchSuspended, PlayerFailed, PlayerWrong
from casino_match.executors.agent_session import WithAgents, version_of_agent
from casino_match.executors.executor import Executor, LocalExecutor
from casino_match.executors.ray_cluster import RayCluster
from casino_match.executors.worker_processes import WorkerProcesses
from casino_match.players.remote_calls import Pause
from casino_match.run.match_run import play_match, share_of
from casino_match.run.match_start import MatchStarter, StartedMatch, draw_seed, read_values
from rich.console import Console

from casino.match_text import Bar, Display, Lines, write_result
from casino.output import Output, counted


@dataclass(frozen=True)
class MatchOrder:
    """A match to play: the values of its plan, or the directory in which it was begun."""

    values: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    """Where relative paths of players start."""
    resumed: Path | None = None
    """The directory of a match that goes on, in place of the values."""
    out: Path | None = None
    is_fresh: bool = False
    jobs: int | None = None
    on: str | None = None
    share: str | None = None


_CTRL_C, _TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a match as Ctrl-C does."""


@dataclass(frozen=True)
class MatchSession:
    """Runs matches for a command; `progress` is the terminal of the bar."""

    output: Output
    progress: Console
    is_json: bool = False
    now: Callable[[], float] = time.monotonic
    today: Callable[[], datetime] = lambda: datetime.now(UTC)

    def run(self, order: MatchOrder) -> tuple[int, MatchResult | None]:
        """Play a match, and write its result; returns the exit code. Raises MatchError."""
        starter = MatchStarter(draw_seed, version_of_agent)
        share = share_of(order.share) if order.share else (1, 1)
        if order.resumed is not None:
            started = starter.resume(order.resumed)
        else:
            _check_share(order)
            started = starter.begin(order.values, order.folder, order.out, is_fresh=order.is_fresh)
        plan = started.written.plan
        self._announce(started)
        try:
            with self._display(plan) as display, _terminated():
                result = play_match(
                    started,
                    self._executor(order, started),
                    now=self.today,
                    on_progress=display.show,
                    share=share,
                )
        except KeyboardInterrupt as stop:
            self._stopped(started, order, "interrupted")
            return (_TERMINATED if isinstance(stop, _Terminated) else _CTRL_C), None
        except MatchSuspended:
            self._stopped(started, order, "suspended")
            raise
        except (PlayerFailed, PlayerWrong):
            if _lacking(started) < plan.blocks:
                self._stopped(started, order, "suspended")
            raise
        self._finish(started, result)
        return 0, result

    def _finish(self, started: StartedMatch, result: MatchResult | None) -> None:
        if result is None:
            plan, lacking = started.written.plan, _lacking(started)
            self._note(
                "lacking",
                f"{lacking} of {counted(plan.blocks, 'block')} are missing. When all shares are"
                f" played, this computes the result: {_command(started)}",
                blocks=lacking,
            )
        elif self.is_json:
            self.output.json({"event": "result", "result": result.model_dump(mode="json")})
        else:
            self.output.line("")
            write_result(self.output, result)
            self.output.line(f"files  {started.directory.path}")

    def _announce(self, started: StartedMatch) -> None:
        plan = started.written.plan
        verb = "goes on" if started.is_resumed else "begins"
        self._note(
            "plan",
            f"match  {started.directory.path} {verb}: up to {counted(plan.deal.decks, 'deck')},"
            f" seed {plan.deal.seed}",
            directory=str(started.directory.path),
            digest=plan.digest,
            seed=plan.deal.seed,
            resumed=started.is_resumed,
        )

    def _stopped(self, started: StartedMatch, order: MatchOrder, event: str) -> None:
        command = _command(started)
        options = [("--jobs", order.jobs), ("--on", order.on), ("--block", order.share)]
        for option, value in options:
            if value is not None:
                command += f" {option} {shlex.quote(str(value))}"
        text = f"{event}; the blocks that are played stay. Go on: {command}"
        self._note(event, text, command=command)

    def _lost(self, number: int, reason: str) -> None:
        text = f"block {number} was lost ({reason}) and is played again"
        self._note("lost", text, block=number, reason=reason)

    def _note(self, event: str, text: str, **fields: Any) -> None:
        if self.is_json:
            self.output.json({"event": event, **fields})
        else:
            self.output.line(text)

    def _display(self, plan: Plan) -> Display:
        if self.is_json:
            return Lines(self.output, self.now)
        if not self.progress.is_terminal:
            return Display()
        names = tuple(entrant.name for entrant in plan.players)
        hands = len(seatings_of(len(names), plan.deal.seatings))
        return Bar(self.progress, names, hands, self.now)

    def _paused(self, pause: Pause) -> None:
        if pause.is_over:
            text = f"{pause.name} answers again, after {pause.since_s:.1f} s"
            self._note("resumed", text, player=pause.name, seconds=pause.since_s)
            return
        self._note(
            "pause",
            f"{pause.name} gives no answer ({pause.why}): asked again in {pause.wait_s:.1f} s",
            player=pause.name,
            reason=pause.why,
            seconds=pause.wait_s,
        )

    def _executor(self, order: MatchOrder, started: StartedMatch) -> Executor:
        plan = started.written.plan
        agents = [entrant.name for entrant in plan.players if is_remote(entrant.player)]
        if order.on is not None:
            if agents:
                raise InvalidPlan(
                    f"--on {order.on}: {agents[0]} is an agent, which this process has to call:"
                    " leave out --on"
                )
            return RayCluster(order.on, order.jobs, self._lost)
        jobs = min(order.jobs or usable_cores(), plan.blocks)
        if agents:
            return WithAgents(plan, started.written.folder, self._paused)
        return LocalExecutor() if jobs == 1 else WorkerProcesses(jobs, self._lost)


def _check_share(order: MatchOrder) -> None:
    deal = order.values.get("deal", {})
    if order.share and order.out is None and "seed" not in deal:
        raise InvalidPlan(
            f"--block {order.share}: all jobs must play the same decks: choose --seed or --out"
        )


def _lacking(started: StartedMatch) -> int:
    plan = started.written.plan
    blocks = started.directory.blocks(plan)
    return sum(not blocks.has(number) for number in range(plan.blocks))


def _command(started: StartedMatch) -> str:
    return f"casino match {shlex.quote(str(started.directory.path))}"


@contextmanager
def _terminated() -> Iterator[None]:
    """End on SIGTERM as on Ctrl-C."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_PLAN = ".toml"


def order_of(
    players: Sequence[str], options: Mapping[str, Any], games_at_once: int | None, **run: Any
) -> MatchOrder:
    """Return the match; `options` replace a plan's values, `run` fills it. Raises InvalidPlan."""
    first = Path(players[0])
    if len(players) == 1 and first.suffix == _PLAN:
        values, folder = merged(read_values(first), options), first.parent
    elif len(players) == 1 and first.is_dir():
        run_options = {"out": run["out"], "fresh": run["is_fresh"], "games-at-once": games_at_once}
        for option, value in {**options, **run_options}.items():
            if value:
                raise InvalidPlan(
                    f"{first} is a match that has begun: its plan cannot change, leave out the"
                    f" option of {option}"
                )
        return MatchOrder(resumed=first, jobs=run["jobs"], on=run["on"], share=run["share"])
    else:
        values, folder = {**options, "players": list(players)}, Path()
    stop = values.get("stop")
    if options.get("stop") and isinstance(stop, dict) and stop.get("rule") != "sprt":
        raise InvalidPlan("--alpha or --beta has no effect without --stop-better LOW:HIGH")
    if games_at_once is not None and isinstance(values.get("players"), list):
        entrants = entrants_of(values["players"])
        remote = [entrant for entrant in entrants if is_remote(entrant["player"])]
        if not remote:
            raise InvalidPlan("--games-at-once has no effect without a player that is a URL")
        values["players"] = [
            {**entrant, "games_at_once": games_at_once} if entrant in remote else entrant
            for entrant in entrants
        ]
    return MatchOrder(values, folder, **run)
