"""How an optional part is installed here: a command that fits how the product was installed."""

import json
import os
import shlex
import sys
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

_NAME: Final = "a2a-casino"
_ORIGIN: Final = "direct_url.json"
"""The file in which an installer notes from where it took a distribution (PEP 610)."""


def installation_hint(
    extra: str,
    ours: Distribution | None = None,
    place: Path = Path(sys.prefix),
    *,
    has_pip: bool = find_spec("pip") is not None,
) -> str:
    """Return the shell command that installs an extra into this environment.

    The product is named as the clone, directory or wheel from which it came; where that is gone, or
    was an index, the packages of the extra are named instead. `ours` is the installed product,
    `place` the directory of the environment.
    """
    ours = ours or distribution(_NAME)
    source, *editable = _source(ours)
    packages = _packages(extra, ours)
    wanted = [*editable, f"{source}[{extra}]"] if source else packages
    if (place / "pipx_metadata.json").exists():
        return _command("pipx", "inject", place.name, *packages)
    if source and (place / "uv-receipt.toml").exists():
        return _command("uv", "tool", "install", *wanted)
    if source and "archive-v0" in place.parts:  # the environment of one run by `uvx`
        return _command("uvx", "--from", *wanted, "casino")
    if has_pip:
        return _command(sys.executable, "-m", "pip", "install", *wanted)
    return _command("uv", "pip", "install", "--python", sys.executable, *wanted)


def _source(ours: Distribution) -> list[str]:
    """Return the path of a clone, directory or wheel, and how it is installed editable; else ""."""
    noted = json.loads(ours.read_text(_ORIGIN) or "{}")
    url = urlsplit(noted.get("url", ""))
    path = Path(unquote(url.path).removeprefix("/" if os.name == "nt" else ""))
    if url.scheme != "file" or not path.exists():
        return [""]
    return [str(path), *(["--editable"] if noted.get("dir_info", {}).get("editable") else [])]


def _packages(extra: str, ours: Distribution) -> list[str]:
    requirements = (line.partition(";") for line in ours.requires or ())
    return [
        package.strip()
        for package, _, marker in requirements
        if f"extra == '{extra}'" in marker.replace('"', "'")
    ]


def _command(*words: str) -> str:
    if os.name == "nt":
        return " ".join(word if shlex.quote(word) == word else f'"{word}"' for word in words)
    return shlex.join(words)
