"""A directory in which a run of `casino up` is kept, to be read or repeated later.

`run.json` says how it was played, `events.jsonl` has every event, a line each, and `results.json`
the results; they are written as the run goes.
"""

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from casino_agentkit.process.private_directory import make_private
from casino_contracts import TableEvent

from casino.errors import RunNotSaved

_DISTRIBUTION = "a2a-casino"


class SavedRun:
    """Writes a run into a directory that is new or empty."""

    def __init__(self, directory: Path, run: Mapping[str, Any]) -> None:
        """Begin a run; `run` is how it is played. Raises RunNotSaved."""
        self._directory = directory
        self._run = {
            **run,
            "versions": {
                _DISTRIBUTION: version(_DISTRIBUTION),
                "python": platform.python_version(),
                "system": platform.platform(),
            },
        }
        try:
            make_private(directory)
            is_used = any(directory.iterdir())
        except OSError as error:
            raise RunNotSaved(f"--save: {directory}: {error.strerror}") from error
        if is_used:
            raise RunNotSaved(f"--save: {directory} is not empty: name a new directory")
        self._write("run.json", self._run)
        self.add_events(())

    def played_by(self, players: Sequence[Mapping[str, Any]], config: Mapping[str, Any]) -> None:
        """Add the room's rules and who is seated; raises RunNotSaved."""
        self._run |= {"config": {**config}, "players": [*players]}
        self._write("run.json", self._run)

    def add_events(self, events: Iterable[TableEvent]) -> None:
        """Append events; raises RunNotSaved."""
        try:
            with (self._directory / "events.jsonl").open("ab") as file:
                file.writelines(event.wire() + b"\n" for event in events)
        except OSError as error:
            raise self._failed(error) from error

    def write_results(self, results: Mapping[str, Any]) -> None:
        """Write the results so far, in place of earlier ones; raises RunNotSaved."""
        self._write("results.json", results)

    def _write(self, name: str, document: Mapping[str, Any]) -> None:
        """Replace a file as a whole, so that it can be read at any time."""
        path = self._directory / name
        partial = path.with_suffix(".partial")
        try:
            partial.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> RunNotSaved:
        return RunNotSaved(f"the run cannot be saved in {self._directory}: {error.strerror}")
