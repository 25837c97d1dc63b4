"""The same command goes on with its match; another plan or player is refused."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from casino_match.errors import InvalidPlan, StoreFailed
from casino_match.executors.here import Here
from casino_match.run.begin import Beginnings, Begun
from casino_match.run.match import play_match
from support.match.plans import today

Values = dict[str, Any]
CALL = "def act(turn):\n    return {'action': 'fold'}\n"


def values(**deal: Any) -> Values:
    """Return a match of a function against a style."""
    return {"players": ["caller", "mine.py"], "deal": {"decks": 4, "decks_per_block": 2, **deal}}


@pytest.fixture
def beginnings(tmp_path: Path) -> Beginnings:
    """Draw the seeds 0, 1, 2, … and keep matches in a folder."""
    (tmp_path / "mine.py").write_text(CALL)
    seeds = count()
    return Beginnings(lambda: str(next(seeds)), matches=tmp_path / "matches")


def play(begun: Begun) -> None:
    assert play_match(begun, Here(), now=today) is not None


def test_the_plan_is_written_before_the_first_card(beginnings: Beginnings, tmp_path: Path) -> None:
    begun = beginnings.begin(values(), tmp_path)
    assert not begun.is_resumed
    digest = begun.written.plan.digest.removeprefix("sha256:")
    assert begun.directory.path == tmp_path / "matches" / f"caller-mine-{digest[:8]}"
    assert [path.name for path in begun.directory.path.iterdir()] == ["plan.json"]
    written = begun.directory.read_plan()
    assert written is not None
    assert (written.plan, written.folder) == (begun.written.plan, tmp_path.resolve())


def test_without_a_seed_the_same_match_goes_on(beginnings: Beginnings, tmp_path: Path) -> None:
    first = beginnings.begin(values(), tmp_path)
    again = beginnings.begin(values(), tmp_path)
    assert (again.directory.path, again.is_resumed) == (first.directory.path, True)
    assert beginnings.begin(values(decks=6), tmp_path).directory.path != first.directory.path
    fresh = beginnings.begin(values(), tmp_path, is_fresh=True)
    assert fresh.written.plan.deal.seed not in {first.written.plan.deal.seed, ""}
    assert not fresh.is_resumed


def test_a_damaged_plan_of_another_match_is_in_nobodys_way(
    beginnings: Beginnings, tmp_path: Path
) -> None:
    first = beginnings.begin(values(), tmp_path)
    damaged = tmp_path / "matches/damaged"
    damaged.mkdir()
    (damaged / "plan.json").write_text("{")
    assert beginnings.begin(values(), tmp_path).directory.path == first.directory.path
    with pytest.raises(StoreFailed, match=r"damaged.plan\.json is damaged"):
        beginnings.begin(values(), tmp_path, damaged)


def test_a_seed_names_its_match(beginnings: Beginnings, tmp_path: Path) -> None:
    """The same seed the same, another seed another."""
    paths = [
        beginnings.begin(values(seed=seed), tmp_path).directory.path for seed in ("a", "b", "a")
    ]
    assert paths[0] == paths[2] != paths[1]


def test_a_changed_function_is_refused_until_the_match_is_complete(
    beginnings: Beginnings, tmp_path: Path
) -> None:
    """After that the same command begins a new match: the author has a new version."""
    begun = beginnings.begin(values(), tmp_path)
    play_match(begun, Here(), now=today, share=(1, 2))
    (tmp_path / "mine.py").write_text(CALL + "# better\n")
    with pytest.raises(InvalidPlan, match=r"mine\.py:act \(mine\) has changed.*--fresh"):
        beginnings.begin(values(), tmp_path)
    with pytest.raises(InvalidPlan, match="has changed"):
        beginnings.resume(begun.directory.path)
    (tmp_path / "mine.py").write_text(CALL)
    play(begun)
    (tmp_path / "mine.py").write_text(CALL + "# better\n")
    other = beginnings.begin(values(), tmp_path)
    assert other.directory.path != begun.directory.path
    assert beginnings.resume(begun.directory.path).is_resumed, "nothing is played any more"


def test_a_function_may_change_before_the_first_block(
    beginnings: Beginnings, tmp_path: Path
) -> None:
    """Nothing is lost by a new match, such as after a mistake that kept it from playing."""
    begun = beginnings.begin(values(), tmp_path)
    (tmp_path / "mine.py").write_text(CALL + "# mended\n")
    other = beginnings.begin(values(), tmp_path)
    assert (other.is_resumed, other.directory.path == begun.directory.path) == (False, False)


def test_a_directory_with_another_plan_is_refused(beginnings: Beginnings, tmp_path: Path) -> None:
    """The parts that differ are named; `--fresh` replaces its files, and no others."""
    out = tmp_path / "out"
    play(beginnings.begin(values(seed="a"), tmp_path, out))
    (out / "blocks" / "notes.txt").write_text("mine")
    other = {**values(seed="a", decks=6), "rules": {"stack": 30}}
    with pytest.raises(InvalidPlan, match=r"another plan \(other rules, deal\).*--out.*--fresh"):
        beginnings.begin(other, tmp_path, out)
    begun = beginnings.begin(other, tmp_path, out, is_fresh=True)
    assert begun.written.plan.rules.stack == 30
    assert {path.name for path in out.rglob("*")} == {"plan.json", "blocks", "notes.txt"}


def test_jobs_that_begin_at_once_play_the_same_match(
    beginnings: Beginnings, tmp_path: Path
) -> None:
    """The plan of whoever writes first holds for all."""
    out = tmp_path / "out"
    first, second = (beginnings.begin(values(), tmp_path, out) for _ in range(2))
    assert first.written.plan == second.written.plan
