"""The operator's key with which the console authenticates to a lobby, and files of keys."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from casino_agentkit import find_secret
from casino_agentkit.process.secret_keys import FILE_SUFFIX

_ONLY_MINE = 0o600
CONSOLE_KEY = "CASINO_OPERATOR_TOKEN"
LOBBY_KEY = "CASINO_LOBBY_OPERATOR_TOKEN"
FAULTS_KEY = "CASINO_LOBBY_FAULTS_TOKEN"
"""The setting of the key that reads faults, and nothing else."""

SEAT_KEY = "CASINO_SEAT_TOKEN"
"""The setting of a player's seat token, or of the view key derived from it."""


@dataclass(frozen=True)
class OperatorKey:
    """An operator's key and the setting that holds it; `value` is None if the setting is unset."""

    setting: str
    value: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str], setting: str = CONSOLE_KEY
    ) -> "OperatorKey":
        """Return the key from a variable, or from the file that the variable with `_FILE` names.

        There is no command-line option for it, because other users can read the process list.
        Raises InvalidSecret.
        """
        return cls(setting, find_secret(environment, setting))

    def headers(self) -> dict[str, str]:
        """Return the HTTP headers that authenticate the console; empty without a key."""
        return {"authorization": f"Bearer {self.value}"} if self.value else {}

    def refusal_message(self) -> str:
        """Return the message for a refused or missing key."""
        if self.value:
            return f"the lobby does not accept the operator's key of {self.setting}"
        return (
            f"the lobby needs its operator's key: set {self.setting} to it,"
            f" or {self.setting}{FILE_SUFFIX} to a file that holds it"
        )


def write_key(file: Path, made: str) -> None:
    """Write a key to a new file that only its owner reads. Raises OSError, also if it is there."""
    # The file is created with its final mode. An existing file may hold a key: never overwrite.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_MINE)
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, _ONLY_MINE)
        written.write(made + "\n")
