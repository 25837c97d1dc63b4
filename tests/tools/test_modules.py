"""The architecture page names every module and says its job; folders and files stay small."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from modules import PACKAGES, job_of, with_tables  # noqa: E402  a script, found by its folder

FOLDERS = (*PACKAGES, "bench", "tests", "tools")
"""What is bounded in size; tests are read as often as the code."""


def test_the_page_is_not_stale() -> None:
    """Write it again with `make reference`."""
    page = (ROOT / "docs/architecture.md").read_text()
    assert page == with_tables(page)


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_folder_has_more_than_twenty_modules(folder: str) -> None:
    """`__init__.py` and `__main__.py` are not counted."""
    for directory in {path.parent for path in (ROOT / folder).rglob("*.py")}:
        modules = [path for path in directory.glob("*.py") if not path.name.startswith("__")]
        assert len(modules) <= 20, directory


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_file_is_longer_than_three_hundred_lines(folder: str) -> None:
    """A longer one holds more than one noun."""
    longer = {
        str(path.relative_to(ROOT)): length
        for path in (ROOT / folder).rglob("*.py")
        if (length := len(path.read_text().splitlines())) > 300
    }
    assert not longer


def test_a_module_without_a_job_is_refused(tmp_path: Path) -> None:
    """Its docstring is missing."""
    module = tmp_path / "silent.py"
    module.write_text("VALUE = 1\n")
    with pytest.raises(ValueError, match=r"silent\.py has no docstring"):
        job_of(module)
