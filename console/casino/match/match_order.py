"""What a `casino match` is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


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
