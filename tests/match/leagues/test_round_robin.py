"""A league plays what is missing, and nothing else."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from casino_contracts.matches.leagues import League
from casino_contracts.matches.results import MatchResult
from casino_match.domain.plan import Plan
from casino_match.errors import InvalidPlan, MatchSuspended
from casino_match.leagues.folder import LeagueFolder
from casino_match.leagues.round_robin import PlayedLeague, RoundRobin
from casino_match.store.match_directory import MatchDirectory
from casino_match.store.written_plan import WrittenPlan
from support.matches.results import match_result

NOW = datetime(2026, 11, 23, 20, tzinfo=UTC)
STRENGTH = {"equity": 3, "tight": 2, "maniac": 1, "random": 0}
BOT = "def act(question):\n    return 'fold'\n"


class Games:
    """Plays matches without cards: the stronger player wins 20 bb/100 for each step."""

    def __init__(self, folder: Path, fails: str = "", stops_at: int = 99) -> None:
        self.folder = folder
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
        result = result.model_copy(update={"plan_digest": plan.digest})
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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (None, "has no plan: write league.toml"),
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
    """Check that nothing is played."""
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
        ("players = ['tight=maniac', 'equity']", "b.toml: players: tight is another player than"),
    ],
)
def test_plans_that_make_no_league_are_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "a.toml").write_text("players = ['tight', 'equity']\n[deal]\nseed = 's'")
    (tmp_path / "b.toml").write_text(text)
    check_refused(tmp_path, fault)
