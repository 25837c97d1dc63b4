"""Where the processes of a casino listen: at ports that were asked for, else at the usual ones."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from casino_agentkit import PortTaken
from casino_agentkit.server.serving import bind

Part = Literal["lobby", "gateway", "evaluator", "players", "tables"]

HOST: Final = "127.0.0.1"
_USUAL_BASE: Final = 4000
_OFFSETS: Final[Mapping[Part, int]] = {
    "lobby": 0,
    "gateway": 50,
    "evaluator": 60,
    "players": 101,
    "tables": 500,
}
_LAUNCHED: Final = 100
"""How many ports after their first one the tables have that the lobby launches."""
_LAST: Final = 65_535
LAST_BASE: Final = _LAST - _OFFSETS["tables"] - _LAUNCHED


@dataclass(frozen=True)
class CasinoPorts:
    """The first ports that were asked for: 0 is any free one, None the one that `base` gives.

    A usual port, which nobody asked for, is replaced by a free one if it is taken; one that was
    asked for is not.

    >>> CasinoPorts(base=7000, gateway=80).first("gateway"), CasinoPorts(base=7000).first("players")
    (80, 7101)
    """

    base: int | None = None
    lobby: int | None = None
    gateway: int | None = None
    evaluator: int | None = None
    """That of the evaluator; the tables of its rooms have the next one."""
    players: int | None = None
    tables: int | None = None
    lobby_option: str = "--port"
    usual: int = _USUAL_BASE
    """The base of the usual ports."""

    def first(self, part: Part) -> int:
        """Return a part's first port, from which its processes count up; 0: any free one."""
        own: int | None = getattr(self, part)
        if own is not None:
            return own
        base = self.base
        if base is None:
            base = self.usual if self.lobby != 0 else 0
        return base + _OFFSETS[part] if base else 0

    def option(self, part: Part) -> str:
        """Return the option that asks for a part's port, "" without one."""
        if getattr(self, part) is not None:
            return self.lobby_option if part == "lobby" else f"--{part}-port"
        return "" if self.base is None else "--port-base"

    @property
    def launched(self) -> str:
        """Where tables listen that the lobby launches, as its setting."""
        first = self.first("tables")
        return f"{first}-{min(first + _LAUNCHED, _LAST)}" if first else "0"


class KeptPort(NamedTuple):
    """A port for a process; without an option that asks for it, any other one will do as well."""

    number: int = 0
    option: str = ""

    def refused(self, why: object) -> PortTaken:
        return PortTaken(f"{self.option}: {why}; free it, or choose another {self.option}")


class KeptPorts:
    """Keeps ports from others until the processes that listen there are started."""

    def __init__(self, ports: CasinoPorts) -> None:
        self._ports = ports
        self._kept: dict[Part, list[socket.socket]] = {}
        self.taken: list[int] = []
        """The usual ports that were replaced."""

    def keep(self, part: Part, count: int) -> None:
        """Keep a port for each process; raises PortTaken for one that was asked for."""
        self.release(part)
        first, kept = self._ports.first(part), self._kept.setdefault(part, [])
        for number in range(first, first + count):
            kept.append(self._listener(part, number if first else 0))

    def numbers(self, part: Part) -> list[int]:
        return [listener.getsockname()[1] for listener in self._kept.get(part, ())]

    def release(self, part: Part) -> list[KeptPort]:
        """Free a part's ports, for its processes."""
        option = self._ports.option(part) if self._ports.first(part) else ""
        ports = [KeptPort(number, option) for number in self.numbers(part)]
        for listener in self._kept.pop(part, ()):
            listener.close()
        return ports

    def close(self) -> None:
        """Free all ports."""
        for part in list(self._kept):
            self.release(part)

    def _listener(self, part: Part, number: int) -> socket.socket:
        port = KeptPort(number, self._ports.option(part))
        if number > _LAST:
            raise port.refused(f"{number} is no port, the last one is {_LAST}")
        try:
            return bind(HOST, number)
        except PortTaken as error:
            if port.option:
                raise port.refused(error) from error
            self.taken.append(number)
            return bind(HOST, 0)
