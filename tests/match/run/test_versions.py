"""A player's version is the hash of what it consists of."""

from hashlib import sha256
from pathlib import Path

import pytest
from casino_match.domain.player_version import version_of
from casino_match.errors import InvalidPlan, PlayerFailed
from casino_match.run.versions import check_unchanged, with_versions
from casino_match.store.player_files import function_files, function_version, style_version
from support.match.plans import small_plan

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
    """The plan has the version of each player."""
    plan = with_versions(small_plan(players=["tight", "mine.py"]), bots)
    assert [entrant.version for entrant in plan.players] == [
        style_version(), function_version(bots, "mine.py:act"),
    ]  # fmt: skip
    check_unchanged(plan, bots)
    (bots / "deep.py").write_text("x = 1\n")
    with pytest.raises(InvalidPlan, match=r"players\.1\.version: mine\.py:act .* --fresh"):
        check_unchanged(plan, bots)
