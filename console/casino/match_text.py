"""A match as text: its progress, its result, and a plan to begin with."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

from casino_contracts import Outcome
from casino_contracts.match_results import Estimate, Interval, MatchPair, MatchPlayer, MatchResult
from casino_contracts.play_statistics import Tally
from casino_match.results.running_result import not_own
from casino_match.run.match_run import RunProgress
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from casino.output import NOTHING, Output, cost_cells, cost_columns, counted, cut, signed

_WRONG: tuple[Outcome, ...] = ("illegal", "malformed")
_SEE = "See the first wrong answer: the same command with --fresh --wrong-answer stop"
_MODELS_WIDTH = 32
_RATES = ("player", "estimate", "bb/100 ", "95 % normal ", "95 % bootstrap ", "saves ")
_STYLES = ("player", "VPIP ", "PFR ", "3-bet ", "AF ", "c-bet ", "WTSD ", "W$SD ")
_PAIRS = ("player", "against", "verdict", "bb/100 more ", "95 %, all pairs together ")
_DECISIONS = ("player", "net ", "decisions ", "p50 ", "p95 ", "faults")


def write_result(output: Output, result: MatchResult) -> None:
    state = "" if result.is_complete else ", so far"
    players = counted(len(result.players), "player")
    decks = "deck" if result.decks == 1 else "decks"
    output.line(
        f"{result.name}: {result.hands:,} hands, {result.decks:,} {decks}, {players}{state}"
    )
    output.line("")
    output.table(_RATES, [row for player in result.players for row in _rates(player)])
    output.line("")
    output.table(_STYLES, [_style(player) for player in result.players])
    output.line("")
    output.table(_DECISIONS, [_decisions(player) for player in result.players])
    if any(player.outcomes.get(outcome) for player in result.players for outcome in _WRONG):
        output.line(_SEE)
    for line in (line for player in result.players for line in _details(player)):
        output.line(line)
    if any(player.models or player.costs for player in result.players):
        output.line("")
        output.table(cost_columns("bb"), [_costs(player) for player in result.players])
    output.line("")
    _write_pairs(output, result.pairs)
    test = result.sequential_test
    if test is not None:
        output.line(
            f"sequential test: {test.accepted}, log-likelihood ratio"
            f" {test.log_likelihood_ratio:.2f} between {test.lower:.2f} and {test.upper:.2f}"
        )
    output.line("")
    output.line(f"plan   {result.plan_digest}")
    output.line(f"result {result.digest}")


def _write_pairs(output: Output, pairs: Sequence[MatchPair]) -> None:
    """Write a sentence for each pair; of many players a table, and the first sentence."""
    output.line(pairs[0].sentence)
    if len(pairs) > 1:
        output.line("")
        output.table(_PAIRS, [_pair(pair) for pair in pairs])


def _pair(pair: MatchPair) -> Sequence[str]:
    estimate = next(each for each in pair.estimates if each.estimator == pair.headline)
    return (
        cut(pair.first),
        cut(pair.second),
        pair.verdict,
        sure_rate(estimate.bb_per_100, pair.simultaneous),
        _interval(pair.simultaneous),
    )


def rate(value: float) -> str:
    """Return a win rate or a bound of it.

    >>> rate(12.345), rate(-0.04), rate(0)
    ('+12.3', '0.0', '0.0')
    """
    rounded = round(value, 1) or 0.0
    return f"{rounded:+.1f}" if rounded else "0.0"


def sure_rate(value: float, interval: Interval | None) -> str:
    """Return a win rate, unless too few decks were played to say anything of it."""
    return NOTHING if interval is None else rate(value)


def _rates(player: MatchPlayer) -> list[Sequence[str]]:
    return [
        (
            cut(player.name) if number == 0 else "",
            estimate.estimator,
            sure_rate(estimate.bb_per_100, estimate.normal),
            _interval(estimate.normal),
            _interval(estimate.bootstrap),
            _saves(estimate),
        )
        for number, estimate in enumerate(player.estimates)
    ]


def _interval(interval: Interval | None) -> str:
    return "too few" if interval is None else f"{rate(interval.low)} to {rate(interval.high)}"


def _saves(estimate: Estimate) -> str:
    ratio = estimate.variance_ratio
    return NOTHING if ratio is None else f"{ratio:.1f} x"


def _style(player: MatchPlayer) -> Sequence[str]:
    play = player.statistics
    if play is None:
        return (cut(player.name), *[NOTHING] * (len(_STYLES) - 1))
    factor = f"{play.aggression.count / play.aggression.of:.1f}" if play.aggression.of else NOTHING
    return (
        cut(player.name),
        *map(_share, (play.vpip, play.pfr, play.three_bet)),
        factor,
        *map(_share, (play.c_bet, play.went_to_showdown, play.won_at_showdown)),
    )


def _share(tally: Tally) -> str:
    return f"{100 * tally.count / tally.of:.0f} %" if tally.of else NOTHING


def _decisions(player: MatchPlayer) -> Sequence[str]:
    counts = not_own(player.outcomes, player.defaulted or ())
    faults = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    times = (NOTHING, NOTHING)
    if player.latency is not None:
        times = (f"{player.latency.p50} ms", f"{player.latency.p95} ms")
    return (cut(player.name), signed(player.net), str(player.decisions), *times, faults or "none")


def _details(player: MatchPlayer) -> Iterator[str]:
    for each in player.defaulted or ():
        if each.detail:
            yield f"{cut(player.name)}, {each.reason}: {each.detail}"


def _costs(player: MatchPlayer) -> Sequence[str]:
    models = cut(", ".join(player.models or ()), _MODELS_WIDTH) or NOTHING
    if player.costs is None:
        return (cut(player.name), models, *[NOTHING] * 4)
    name, _, *cells = cost_cells(cut(player.name), player.costs)
    return (name, models, *cells)


_SECONDS_BETWEEN_LINES = 1.0
_LEAST_SECONDS = 0.5
"""A rate of hands is shown once so much time has passed."""
_BAR_NAME_WIDTH = 8


class Display:
    """Shows how far a match is; this one nothing, since a pipe gets the result alone."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: RunProgress) -> None:
        """Show the progress."""


class Bar(Display):
    """A bar with decks, hands per second, the remaining time, and the interval as it narrows.

    The interval is that of how much more the first player wins than the second.
    """

    def __init__(
        self, console: Console, names: tuple[str, ...], hands_per_deck: int,
        now: Callable[[], float],
    ) -> None:  # fmt: skip
        self._hands_per_deck = hands_per_deck
        self._now = now
        self._began = now()
        self._first = cut(names[0], _BAR_NAME_WIDTH)
        self._bar = Progress(
            BarColumn(bar_width=8),
            MofNCompleteColumn(),
            TextColumn("decks {task.fields[speed]}", markup=False),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[estimate]}", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("match", total=None, speed="", estimate="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, progress: RunProgress) -> None:
        seconds = self._now() - self._began
        hands = progress.played * self._hands_per_deck
        speed = f"{hands / seconds:,.0f} hands/s" if hands and seconds > _LEAST_SECONDS else ""
        self._bar.update(
            self._task,
            completed=progress.decks,
            total=progress.of,
            speed=speed,
            estimate=self._estimate(progress),
        )

    def _estimate(self, progress: RunProgress) -> str:
        seen = progress.seen
        if seen is None or seen.half_width is None:
            return ""
        return f"{self._first} {rate(seen.bb_per_100)} ± {seen.half_width:.1f} bb/100"


class Lines(Display):
    """One JSON object about once a second, and the last."""

    def __init__(self, output: Output, now: Callable[[], float]) -> None:
        self._output = output
        self._now = now
        self._next = now()

    def show(self, progress: RunProgress) -> None:
        """Write the progress, unless a line was written shortly before."""
        if self._now() < self._next and progress.decks < progress.of:
            return
        self._next = self._now() + _SECONDS_BETWEEN_LINES
        line: dict[str, Any] = {"event": "progress", "decks": progress.decks, "of": progress.of}
        if progress.seen is not None:
            line["bbPer100"] = progress.seen.bb_per_100
            line["halfInterval95"] = progress.seen.half_width
        self._output.json(line)


TEMPLATE = """\
# The plan of a match: casino match match.toml
# Two or more players play the same decks in every seat, with the same stack before each hand.

# name = "tight-or-equity"         # the name of the directory; by default the players' names

[[players]]
player = "style:tight"            # a style: caller, equity, maniac, random, tight

[[players]]
player = "style:equity"
# name = "challenger"             # by default that of the style, the file or the host

# [[players]]
# player = "bots/mine.py:act"     # a Python function; paths start at the folder of this file
# arguments = { bluff = 0.1 }     # passed to the function as keywords

# [[players]]
# player = "http://127.0.0.1:9000/"  # an agent over A2A
# games_at_once = 4               # maximum number of hands that it plays at the same time

[rules]
stack = 200                       # chips before every hand
small_blind = 1
big_blind = 2
ante = 0
clock = "10s"                     # the time for a decision

[deal]
decks = 5000                      # at most so many
seatings = "rotations"            # "all": every order of the players
# seed = "any text"               # by default 128 random bits; who has it can compute the decks

[stop]
rule = "decks"                    # "sprt": stop as soon as one of two hypotheses is accepted
low = 0.0                         # the first player wins at most so many bb/100 more ...
high = 5.0                        # ... or at least so many
alpha = 0.05                      # probability to accept high although low is true
beta = 0.05                       # probability to accept low although high is true

[faults]
wrong_answer = "default"          # after a second wrong answer: check or fold; or "stop"
no_answer = "pause"               # late, gone, or only a default: wait for it; or "default"
patience = "60s"                  # how long a pause waits before the match is suspended
"""
