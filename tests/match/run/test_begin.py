"""The same command goes on with its match; another plan or version of a player is refused."""

import json
from hashlib import sha256
from itertools import count
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from casino_match.domain.plan import MOST_RATE, StopRule
from casino_match.errors import InvalidPlan, PlayerFailed, StoreFailed
from casino_match.executors.executor import LocalExecutor
from casino_match.player_files import function_files, function_version, style_version, version_of
from casino_match.run.match_run import play_match
from casino_match.run.match_start import MatchStarter, StartedMatch, check_unchanged, with_versions
from casino_match.statistics.deck_values import Moments
from casino_match.statistics.sequential import sequential_test
from support.match.plans import small_plan, today

Values = dict[str, Any]
CALL = "def act(turn):\n    return {'action': 'fold'}\n"


def values(**deal: Any) -> Values:
    """Return a match of a function against a style."""
    return {"players": ["caller", "mine.py"], "deal": {"decks": 4, "decks_per_block": 2, **deal}}


@pytest.fixture
def beginnings(tmp_path: Path) -> MatchStarter:
    """Draw the seeds 0, 1, 2, … and keep matches in a folder."""
    (tmp_path / "mine.py").write_text(CALL)
    seeds = count()
    return MatchStarter(lambda: str(next(seeds)), matches=tmp_path / "matches")


def play(begun: StartedMatch) -> None:
    assert play_match(begun, LocalExecutor(), now=today) is not None


def test_the_plan_is_written_before_the_first_card(
    beginnings: MatchStarter, tmp_path: Path
) -> None:
    begun = beginnings.begin(values(), tmp_path)
    assert not begun.is_resumed
    digest = begun.written.plan.digest.removeprefix("sha256:")
    assert begun.directory.path == tmp_path / "matches" / f"caller-mine-{digest[:8]}"
    assert [path.name for path in begun.directory.path.iterdir()] == ["plan.json"]
    written = begun.directory.read_plan()
    assert written is not None
    assert (written.plan, written.folder) == (begun.written.plan, tmp_path.resolve())


def test_without_a_seed_the_same_match_goes_on(beginnings: MatchStarter, tmp_path: Path) -> None:
    first = beginnings.begin(values(), tmp_path)
    again = beginnings.begin(values(), tmp_path)
    assert (again.directory.path, again.is_resumed) == (first.directory.path, True)
    assert beginnings.begin(values(decks=6), tmp_path).directory.path != first.directory.path
    fresh = beginnings.begin(values(), tmp_path, is_fresh=True)
    assert fresh.written.plan.deal.seed not in {first.written.plan.deal.seed, ""}
    assert not fresh.is_resumed


def test_a_damaged_plan_of_another_match_is_in_nobodys_way(
    beginnings: MatchStarter, tmp_path: Path
) -> None:
    first = beginnings.begin(values(), tmp_path)
    damaged = tmp_path / "matches/damaged"
    damaged.mkdir()
    (damaged / "plan.json").write_text("{")
    assert beginnings.begin(values(), tmp_path).directory.path == first.directory.path
    with pytest.raises(StoreFailed, match=r"damaged.plan\.json is damaged"):
        beginnings.begin(values(), tmp_path, damaged)


SPRT = {"rule": "sprt", "low": 0.0, "high": 5.0}


@pytest.mark.parametrize("number", [inf, -inf, nan])
@pytest.mark.parametrize("field", ["low", "high", "alpha", "beta"])
def test_a_number_that_is_not_finite_is_refused_by_name(
    beginnings: MatchStarter, tmp_path: Path, field: str, number: float
) -> None:
    """Before the first card, and where a folder has such a plan already."""
    with pytest.raises(InvalidPlan, match=rf"stop\.{field}: must be a finite number"):
        beginnings.begin(values() | {"stop": SPRT | {field: number}}, tmp_path)
    begun = beginnings.begin(values() | {"stop": SPRT}, tmp_path)
    file = begun.directory.plan_file
    document = json.loads(file.read_text())
    document["plan"]["stop"][field] = number
    file.write_text(json.dumps(document))
    wrong = rf"plan\.json is damaged \(stop\.{field}: must be a finite number\)\. .* --fresh"
    with pytest.raises(StoreFailed, match=wrong):
        beginnings.resume(begun.directory.path)


@pytest.mark.parametrize(
    ("field", "number"), [("high", 1e300), ("low", -1e13), ("alpha", 1e-320), ("beta", 5e-324)]
)
def test_a_number_whose_test_would_not_be_finite_is_refused(
    beginnings: MatchStarter, tmp_path: Path, field: str, number: float
) -> None:
    with pytest.raises(InvalidPlan, match=rf"stop\.{field}: must be at "):
        beginnings.begin(values() | {"stop": SPRT | {field: number}}, tmp_path)


def test_the_widest_test_that_is_allowed_has_finite_numbers() -> None:
    stop = StopRule(rule="sprt", low=-MOST_RATE, high=MOST_RATE, alpha=1e-12, beta=1e-12)
    for decks in ([0.0] * 300, [MOST_RATE, -MOST_RATE] * 150):
        test = sequential_test(stop, Moments.of(np.array(decks)))
        assert all(map(isfinite, (test.log_likelihood_ratio, test.lower, test.upper)))


@pytest.mark.parametrize("clock", [inf, nan])
def test_a_clock_is_finite(beginnings: MatchStarter, tmp_path: Path, clock: float) -> None:
    with pytest.raises(InvalidPlan, match=r"rules\.clock: must be "):
        beginnings.begin(values() | {"rules": {"clock": clock}}, tmp_path)


def test_a_seed_names_its_match(beginnings: MatchStarter, tmp_path: Path) -> None:
    paths = [
        beginnings.begin(values(seed=seed), tmp_path).directory.path for seed in ("a", "b", "a")
    ]
    assert paths[0] == paths[2] != paths[1]


def test_a_changed_function_is_refused_until_the_match_is_complete(
    beginnings: MatchStarter, tmp_path: Path
) -> None:
    """After that the same command begins a new match: the author has a new version."""
    begun = beginnings.begin(values(), tmp_path)
    play_match(begun, LocalExecutor(), now=today, share=(1, 2))
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
    beginnings: MatchStarter, tmp_path: Path
) -> None:
    """Nothing is lost by a new match, such as after a mistake that kept it from playing."""
    begun = beginnings.begin(values(), tmp_path)
    (tmp_path / "mine.py").write_text(CALL + "# mended\n")
    other = beginnings.begin(values(), tmp_path)
    assert (other.is_resumed, other.directory.path == begun.directory.path) == (False, False)


def test_a_directory_with_another_plan_is_refused(beginnings: MatchStarter, tmp_path: Path) -> None:
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
    beginnings: MatchStarter, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first, second = (beginnings.begin(values(), tmp_path, out) for _ in range(2))
    assert first.written.plan == second.written.plan


BOT = "import math\nimport hands\nfrom tools import odds\n\ndef act(turn): ...\n"


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """Return a folder with a bot, its neighbours, and a file that it does not import."""
    (tmp_path / "tools").mkdir()
    for name, text in {
        "mine.py": BOT, "hands.py": "import deep\n", "deep.py": "import mine\n",
        "tools/__init__.py": "", "tools/odds.py": "from . import more\n", "tools/more.py": "",
        "other.py": "import mine\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_bot_is_its_file_and_the_neighbours_that_it_imports(bots: Path) -> None:
    assert set(function_files(bots, "mine.py:act")) == {
        "mine.py", "hands.py", "deep.py", "tools/__init__.py", "tools/odds.py", "tools/more.py",
    }  # fmt: skip
    before = function_version(bots, "mine.py:act")
    (bots / "other.py").write_text("x = 1\n")
    assert function_version(bots, "mine.py:act") == before
    (bots / "tools/more.py").write_text("x = 1\n")
    assert function_version(bots, "mine.py:act") != before


def test_the_version_of_one_file_is_its_hash() -> None:
    """As `sha256sum` prints it; of several that of its lines."""
    content = b"def act(turn): ...\n"
    digest = sha256(content).hexdigest()
    assert version_of({"a.py": content}) == f"sha256:{digest}"
    lines = f"{digest}  a.py\n{digest}  b.py\n".encode()
    assert version_of({"b.py": content, "a.py": content}) == f"sha256:{sha256(lines).hexdigest()}"


def test_a_file_that_cannot_be_parsed_or_found_has_its_say(tmp_path: Path) -> None:
    """A file with an error is a file all the same; a missing one is named."""
    (tmp_path / "mine.py").write_text("def act(:")
    assert set(function_files(tmp_path, "mine.py:act")) == {"mine.py"}
    with pytest.raises(PlayerFailed, match=r"there is no file .*other\.py"):
        function_version(tmp_path, "other.py:act")


def test_a_changed_player_is_named_with_what_to_do(bots: Path) -> None:
    plan = with_versions(small_plan(players=["tight", "mine.py"]), bots)
    assert [entrant.version for entrant in plan.players] == [
        style_version(), function_version(bots, "mine.py:act"),
    ]  # fmt: skip
    check_unchanged(plan, bots)
    (bots / "deep.py").write_text("x = 1\n")
    with pytest.raises(InvalidPlan, match=r"players\.1\.version: mine\.py:act .* --fresh"):
        check_unchanged(plan, bots)
