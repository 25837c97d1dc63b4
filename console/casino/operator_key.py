"""The key by which the console commands a lobby."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from casino_agentkit import find_secret
from casino_agentkit.process.secret_file import FILE_SUFFIX

CONSOLE_KEY = "CASINO_OPERATOR_TOKEN"
LOBBY_KEY = "CASINO_LOBBY_OPERATOR_TOKEN"


@dataclass(frozen=True)
class OperatorKey:
    """A key, and the setting that it is from; without a value, the setting that would give one."""

    setting: str
    value: str | None = field(default=None, repr=False)

    @classmethod
    def found(cls, environment: Mapping[str, str], setting: str = CONSOLE_KEY) -> "OperatorKey":
        """Return the key of a variable, or of the file that the variable with `_FILE` names.

        It is no option of a command: those stand in the list of processes, for everybody to read.
        Raises InvalidSecret.
        """
        return cls(setting, find_secret(environment, setting))

    def headers(self) -> dict[str, str]:
        """Return what shows it to a lobby."""
        return {"authorization": f"Bearer {self.value}"} if self.value else {}

    def refused(self) -> str:
        """Return what to do when the lobby does not accept it, or accepts nobody without one."""
        if self.value:
            return f"the lobby does not accept the operator's key of {self.setting}"
        return (
            f"the lobby needs its operator's key: set {self.setting} to it,"
            f" or {self.setting}{FILE_SUFFIX} to a file that holds it"
        )
