"""The command that installs an extra fits the place, and how the product came there."""

import json
import shlex
import sys
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit.installation import installation_hint

PACKAGES = "Requires-Dist: pyarrow>=18; extra == 'parquet'\nRequires-Dist: uvloop>=0.21\n"
NAMED = "'pyarrow>=18'"
PIP = f"{shlex.quote(sys.executable)} -m pip install"


def hint(place: Path, source: Path | str, *, has_pip: bool = True, **noted: dict[str, Any]) -> str:
    """Return the hint for `parquet` in an environment with the product of a source."""
    metadata = place / "a2a_casino-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Name: a2a-casino\nVersion: 0.1.0\n{PACKAGES}")
    url = source.as_uri() if isinstance(source, Path) else source
    (metadata / "direct_url.json").write_text(json.dumps({"url": url, **noted}))
    return installation_hint("parquet", Distribution.at(metadata), place, has_pip=has_pip)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a clone, directory or wheel, whose path has to be quoted."""
    path = tmp_path / "the casino"
    path.mkdir()
    return path


def test_a_clone_a_directory_and_a_wheel_are_named_by_their_paths(
    source: Path, tmp_path: Path
) -> None:
    named = f"'{source}[parquet]'"
    assert hint(tmp_path / "a", source, dir_info={"editable": True}) == f"{PIP} --editable {named}"
    assert hint(tmp_path / "b", source, dir_info={}) == f"{PIP} {named}"
    assert hint(tmp_path / "c", source, archive_info={}) == f"{PIP} {named}"


def test_packages_are_named_where_the_source_is_gone_or_was_an_index(tmp_path: Path) -> None:
    """Only those of the extra."""
    assert hint(tmp_path / "a", tmp_path / "gone", dir_info={}) == f"{PIP} {NAMED}"
    assert hint(tmp_path / "b", "https://casino.example/a.whl") == f"{PIP} {NAMED}"
    metadata = tmp_path / "b" / "a2a_casino-0.1.0.dist-info"
    (metadata / "direct_url.json").unlink()
    assert installation_hint(
        "parquet", Distribution.at(metadata), tmp_path, has_pip=True
    ) == f"{PIP} {NAMED}"  # fmt: skip


@pytest.mark.parametrize(
    ("folder", "file", "command"),
    [
        ("venvs/casino-2", "pipx_metadata.json", f"pipx inject casino-2 {NAMED}"),
        ("tools/a2a-casino", "uv-receipt.toml", "uv tool install '{source}[parquet]'"),
        ("archive-v0/x", "pyvenv.cfg", "uvx --from '{source}[parquet]' casino"),
        (
            "venv",
            "pyvenv.cfg",
            f"uv pip install --python {shlex.quote(sys.executable)} '{{source}}[parquet]'",
        ),
    ],
)
def test_environments_without_pip_have_a_tool_of_their_own(
    folder: str, file: str, command: str, source: Path, tmp_path: Path
) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    (place / file).touch()
    expected = command.format(source=source)
    assert hint(place, source, has_pip=False, archive_info={}) == expected
