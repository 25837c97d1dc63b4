"""A league plays what is missing and nothing else; ranks and what is sure of them."""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from casino_contracts.match_results import League, MatchResult
from casino_match.domain.plan import Plan
from casino_match.errors import InvalidPlan, MatchSuspended
from casino_match.leagues.league_folder import LeagueFolder
from casino_match.leagues.league_rating import (
    PairResult,
    RatedPlayer,
    Rating,
    matrix,
    ranking,
    simultaneous_quantile,
)
from casino_match.leagues.round_robin import PlayedLeague, RoundRobin
from casino_match.match_directory import MatchDirectory, WrittenPlan
from support.matches.results import match_result

NOW = datetime(2026, 11, 23, 20, tzinfo=UTC)
STRENGTH = {"equity": 3, "tight": 2, "maniac": 1, "random": 0}
BOT = "def act(question):\n    return 'fold'\n"


class Games:
    """Plays matches without cards: the stronger player wins 20 bb/100 for each step."""

    def __init__(
        self, folder: Path, fails: str = "", stops_at: int = 99, unjudged: str = ""
    ) -> None:
        self.folder = folder
        self._unjudged = unjudged
        self.played: list[str] = []
        self._fails = fails
        self._stops_at = stops_at

    def play(self, plan: Plan, path: Path) -> MatchResult | None:
        if len(self.played) == self._stops_at:
            return None
        first, second = (entrant.name for entrant in plan.players)
        if self._fails in {first, second}:
            raise MatchSuspended(f"{self._fails} gives no answer")
        self.played.append(plan.name)
        directory = MatchDirectory(path)
        directory.begin(WrittenPlan(plan, self.folder))
        rate = 20.0 * (STRENGTH.get(first, 0) - STRENGTH.get(second, 0))
        result = match_result([first, second], rate, plan.deal.decks, name=plan.name)
        unjudged = (self._unjudged,) if self._unjudged in {first, second} else None
        result = result.model_copy(update={"plan_digest": plan.digest, "unjudged": unjudged})
        directory.write_result(result.wire())
        return result

    def league(
        self,
        over: dict[str, Any] | None = None,
        match_id: Callable[[MatchResult], str] | None = None,
    ) -> PlayedLeague:
        """Read the folder and play it."""
        folder = LeagueFolder(self.folder)
        order = folder.read(over or {}, lambda: "drawn")
        return RoundRobin(folder, order, now=lambda: NOW, match_id=match_id).play(self.play)


def write(folder: Path, players: str, rest: str = "") -> None:
    (folder / "league.toml").write_text(f"players = [{players}]\n{rest}")


def names(league: League) -> list[str]:
    """Return the players of a table, the best first."""
    return [entry.name for entry in league.players]


def test_every_two_players_play_a_match(tmp_path: Path) -> None:
    """The table is written, and has the ids of the matches."""
    write(tmp_path, '"tight", "maniac", "equity"', 'name = "styles"\nprovisional_below = 9000')
    games = Games(tmp_path)
    played = games.league(match_id=lambda result: f"id-{result.name}")
    assert games.played == ["equity-maniac", "equity-tight", "maniac-tight"]
    league = League.model_validate_json((tmp_path / "league.json").read_bytes())
    assert league == played.league
    assert (league.name, league.provisional_below) == ("styles", 9_000)
    assert names(league) == ["equity", "tight", "maniac"]
    assert [(entry.rank, entry.worst_rank) for entry in league.players] == [(1, 1), (2, 2), (3, 3)]
    assert {entry.is_provisional for entry in league.players} == {False}
    assert {pair.match for pair in league.matrix} == {
        "id-equity-maniac",
        "id-equity-tight",
        "id-maniac-tight",
    }
    assert league.updated_at == "2026-11-23T20:00:00Z"


def test_a_new_player_plays_only_its_own_pairs(tmp_path: Path) -> None:
    """Wherever it stands in the list; a league that is complete plays nothing."""
    write(tmp_path, '"tight", "maniac", "equity"')
    Games(tmp_path).league()
    again = Games(tmp_path)
    again.league()
    assert again.played == []
    write(tmp_path, '"random", "equity", "maniac", "tight"')
    again.league()
    assert again.played == ["equity-random", "maniac-random", "random-tight"]
    assert set(names(again.league().league)) == set(STRENGTH)


def test_a_changed_version_replays_its_pairs(tmp_path: Path) -> None:
    """The table has the new one, and the matches of the old one stay on disk."""
    (tmp_path / "bot.py").write_text(BOT)
    write(tmp_path, '"tight", "bot.py", "equity"')
    first = Games(tmp_path).league().league
    (tmp_path / "bot.py").write_text(BOT.replace("fold", "call"))
    again = Games(tmp_path)
    second = again.league().league
    assert again.played == ["bot-equity", "bot-tight"]
    versions = [
        {entry.name: entry.version for entry in league.players} for league in (first, second)
    ]
    assert versions[0]["bot"] != versions[1]["bot"]
    assert versions[0]["tight"] == versions[1]["tight"]
    assert len(list((tmp_path / "matches").iterdir())) == 5


def test_other_rules_are_other_matches(tmp_path: Path) -> None:
    write(tmp_path, '"tight", "equity"')
    Games(tmp_path).league({"deal": {"decks": 40}})
    again = Games(tmp_path)
    (result,) = again.league({"deal": {"decks": 50}}).results
    assert (again.played, result.decks) == (["equity-tight"], 50)


def test_a_match_that_fails_leaves_the_others(tmp_path: Path) -> None:
    write(tmp_path, '"tight", "maniac", "equity"', "provisional_below = 1")
    played = Games(tmp_path, fails="maniac").league()
    assert [plan.name for plan, _ in played.failures] == ["equity-maniac", "maniac-tight"]
    assert {entry.is_provisional for entry in played.league.players} == {True}
    again = Games(tmp_path)
    assert not again.league().failures
    assert again.played == ["equity-maniac", "maniac-tight"]


def test_a_match_without_a_verdict_is_not_in_the_table(tmp_path: Path) -> None:
    """Nobody is ranked by playing against defaults."""
    write(tmp_path, '"tight", "maniac", "equity"')
    played = Games(tmp_path, unjudged="maniac").league()
    assert len(played.results) == 3
    assert [{pair.first, pair.second} for pair in played.league.matrix] == [{"equity", "tight"}]
    (maniac,) = (entry for entry in played.league.players if entry.name == "maniac")
    assert (maniac.hands, maniac.is_provisional) == (0, True)


def test_an_interrupted_league_goes_on(tmp_path: Path) -> None:
    write(tmp_path, '"tight", "maniac", "equity"')
    stopped = Games(tmp_path, stops_at=1).league()
    assert stopped.is_interrupted
    table = League.model_validate_json((tmp_path / "league.json").read_bytes())
    assert [(pair.first, pair.second) for pair in table.matrix] == [("equity", "maniac")]
    again = Games(tmp_path)
    assert not again.league().is_interrupted
    assert again.played == ["equity-tight", "maniac-tight"]


def test_a_folder_of_plans_is_a_league(tmp_path: Path) -> None:
    """Each plan is a match; without a seed of its own it gets another one than the others."""
    for file, players in (("one", '"equity", "tight"'), ("two", '"maniac", "tight"')):
        (tmp_path / f"{file}.toml").write_text(f"players = [{players}]\n[deal]\ndecks = 60\n")
    games = Games(tmp_path)
    played = games.league()
    assert games.played == ["one", "two"]
    assert played.league.name == tmp_path.name
    assert names(played.league)[0] == "equity"
    seeds = {plan.deal.seed for plan in LeagueFolder(tmp_path).read({}, lambda: "another").plans}
    assert len(seeds) == 2
    assert Games(tmp_path).league().results == played.results


def test_a_folder_of_bots_is_a_league(tmp_path: Path) -> None:
    """Every two of its files play, by the common rules; a plan in the folder takes their place."""
    for bot in ("ann", "bob", "cy"):
        (tmp_path / f"{bot}.py").write_text('def act(turn):\n    return {"action": "fold"}\n')
    (tmp_path / "notes.txt").write_text("no bot")
    order = LeagueFolder(tmp_path).read({"deal": {"decks": 40}}, lambda: "seed")
    assert [plan.name for plan in order.plans] == ["ann-bob", "ann-cy", "bob-cy"]
    assert {plan.deal.decks for plan in order.plans} == {40}
    (tmp_path / "one.toml").write_text('players = ["equity", "tight"]')
    assert [plan.name for plan in LeagueFolder(tmp_path).read({}, lambda: "seed").plans] == ["one"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (None, "has no plan and no bots: write league.toml"),
        ("players = ['tight']", "from 2 to 64 players"),
        ("players = ['tight', 'tigt']", "'tigt' is no player"),
        ("players = ['a=tight', 'a=equity']", "two players have the name a"),
        ("players = ['tight', 'equity']\nstop = 1", "stop: is unknown"),
        ("players = ['tight', 'equity']\nname = ''", "name: must be a text"),
        ("players = ['tight', 'equity']\nprovisional_below = -1", "provisional_below: must be a"),
        ("players = [", "not valid TOML"),
    ],
)
def test_what_is_no_league_is_refused_with_the_fix(
    tmp_path: Path, text: str | None, fault: str
) -> None:
    if text is not None:
        (tmp_path / "league.toml").write_text(text)
    check_refused(tmp_path, fault)


def check_refused(folder: Path, fault: str) -> None:
    games = Games(folder)
    with pytest.raises(InvalidPlan) as refused:
        games.league()
    assert fault in str(refused.value)
    assert games.played == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("players = ['tight', 'equity', 'maniac']", "b.toml: players: a league is made"),
        ("players = ['equity', 'tight']", "b.toml: players: a.toml is the match of the same two"),
        ("players = ['tight', 'maniac']\n[stop]\nrule = 'sprt'", "b.toml: stop: a league plays"),
        ("players = ['tight', 'maniac']\n[rules]\nstack = 100", "b.toml: rules: are not those of"),
        ("players = ['tight', 'maniac']\n[deal]\nseed = 's'", "b.toml: deal.seed: is that of a"),
        ("players = ['tight=maniac', 'random']", "b.toml: players: tight is another player than"),
    ],
)
def test_plans_that_make_no_league_are_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "a.toml").write_text("players = ['tight', 'equity']\n[deal]\nseed = 's'")
    (tmp_path / "b.toml").write_text(text)
    check_refused(tmp_path, fault)


NAMES = ["a", "b", "c"]


def results(
    a_b: float, a_c: float, b_c: float, error: float | None = 1.0, hands: int = 4_000
) -> list[PairResult]:
    """Return the results of three players."""
    rates = (a_b, a_c, b_c)
    pairs = combinations(NAMES, 2)
    return [
        PairResult(first, second, rate, error, hands)
        for (first, second), rate in zip(pairs, rates, strict=True)
    ]


def bands(played: list[PairResult], names: list[str] = NAMES) -> dict[str, tuple[int, int]]:
    rating = Rating(names, played)
    return {name: rating.band(name) for name in names}


def test_players_that_are_far_apart_have_a_rank_each() -> None:
    assert bands(results(30, 60, 30)) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}


def test_players_that_luck_cannot_tell_apart_share_a_band() -> None:
    """Who is surely worse than both has a rank alone."""
    assert bands(results(0.5, 60, 60)) == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    assert bands(results(0, 0, 0, error=0)) == dict.fromkeys(NAMES, (1, 3))


def test_who_beats_whom_in_a_circle_is_no_rank() -> None:
    """Each is better than one and worse than one; the means are equal."""
    circle = results(30, -30, 30)
    assert bands(circle) == dict.fromkeys(NAMES, (1, 3))
    assert [pair.verdict for pair in matrix(NAMES, circle)] == ["better", "worse", "better"]


def test_the_difference_of_two_counts_their_own_match_twice() -> None:
    """Its variance is that of all matches of the two, by hand: 2² + 1 + 1 of 1, each over 2²."""
    critical = simultaneous_quantile(3) * sqrt(4 + 1 + 1) / 2
    for excess, expected in ((1.001, True), (0.999, False)):
        # a against b: (rate(a, c) + 2 rate(a, b) - rate(b, c)) / 2
        rating = Rating(NAMES, results(critical * excess, 0, 0))
        assert rating.is_better("a", "b") is expected
        assert not rating.is_better("b", "a")


def test_without_an_interval_nothing_is_sure() -> None:
    played = results(300, 600, 300, error=None)
    assert bands(played) == dict.fromkeys(NAMES, (1, 3))
    assert {pair.verdict for pair in matrix(NAMES, played)} == {"undecided"}
    (entry, *_) = ranking([RatedPlayer(name, "style:x") for name in NAMES], played, 0)
    assert entry.interval is None


def test_matches_of_few_decks_decide_nothing() -> None:
    """Neither a rank nor a pair; their rates and intervals are there."""

    def played(decks: int) -> list[PairResult]:
        pairs = combinations(NAMES, 2)
        return [PairResult.of(match_result(pair, rate=900, decks=decks)) for pair in pairs]

    of_few = played(299)
    assert all(result.error is not None for result in of_few)
    assert bands(of_few) == dict.fromkeys(NAMES, (1, 3))
    assert {pair.verdict for pair in matrix(NAMES, of_few)} == {"undecided"}
    enough = played(300)
    assert bands(enough) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}


def test_a_player_is_provisional_below_its_hands_or_before_all_matches() -> None:
    """Those who have not played the same opponents are not compared."""
    players = [RatedPlayer(name, f"style:{name}", "v") for name in NAMES]
    whole = ranking(players, results(30, 60, 30, hands=2_500), 5_000)
    assert [entry.is_provisional for entry in whole] == [False] * 3
    assert [entry.is_provisional for entry in ranking(players, results(30, 60, 30), 8_001)] == (
        [True] * 3
    )
    (first, second, _) = results(30, 60, 30, hands=9_000)
    part = {entry.name: entry for entry in ranking(players, [first, second], 5_000)}
    assert [part[name].is_provisional for name in NAMES] == [False, True, True]
    assert (part["a"].rank, part["a"].worst_rank) == (1, 3)
    assert (part["b"].rank, part["c"].rank) == (1, 2)  # both have played `a` alone
    assert part["a"].hands == 18_000
    nobody = ranking(players, [], 5_000)
    assert {(entry.rank, entry.worst_rank, entry.bb_per_100) for entry in nobody} == {(1, 3, 0.0)}


def test_the_table_has_the_means_and_their_intervals() -> None:
    table = ranking([RatedPlayer(name, "x") for name in NAMES], results(10, 20, 0), 0)
    assert [(entry.name, entry.bb_per_100) for entry in table] == [
        ("a", 15.0),
        ("b", -5.0),
        ("c", -10.0),
    ]
    assert table[0].interval is not None
    half = 1.959964 * sqrt(2) / 2
    assert table[0].interval.high - 15 == pytest.approx(half)


def test_a_match_says_what_its_deciding_estimate_says() -> None:
    result = match_result(["a", "b"], rate=12, decks=2_500)
    pair = PairResult.of(result, "m")
    estimate = result.pairs[0].estimates[-1]
    assert estimate.bootstrap is not None
    assert (pair.first, pair.second, pair.rate, pair.hands) == ("a", "b", 12, 5_000)
    width = estimate.bootstrap.high - estimate.bootstrap.low
    assert pair.error == pytest.approx(width / 2 / 1.959964, rel=1e-6)
    assert PairResult.of(match_result(["a", "b"], decks=29)).error is None
    with pytest.raises(ValueError, match="two players"):
        PairResult.of(match_result(NAMES))


def test_the_bands_hold_the_true_ranks_in_95_percent_of_leagues() -> None:
    """Of 400 leagues of five, two of whom are equal; and they are narrower than no band at all."""
    chance = random.Random(18)
    truth = {"a": 6.0, "b": 2.0, "c": 2.0, "d": -2.0, "e": -8.0}
    names = list(truth)
    held, width, leagues = 0, 0, 400
    for _ in range(leagues):
        played = [
            PairResult(one, other, chance.gauss(truth[one] - truth[other], 2.0), 2.0, 1_000)
            for one, other in combinations(names, 2)
        ]
        found = bands(played, names)
        width += sum(worst - best for best, worst in found.values())
        held += all(
            best <= 1 + sum(other > own for other in truth.values())
            and worst >= len(names) - sum(other < own for other in truth.values())
            for (best, worst), own in zip(found.values(), truth.values(), strict=True)
        )
    assert held >= 0.95 * leagues
    assert width < leagues * 5 * 2
