"""A client's cache of specifications, in front of a lobby."""

from datetime import timedelta
from pathlib import Path

from casino_gamespec import Lobby, Specifications

from support.specifications import LobbySide

SPEC_PATH = "/api/games/kuhn_poker/spec"


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.now


class Client:
    """A client's cache in front of a lobby."""

    def __init__(self, side: LobbySide, directory: Path | None = None) -> None:
        self.side = side
        self.time = Time()
        self.cache = Specifications(
            Lobby(side.client(), "http://lobby", timeout=timedelta(seconds=5)),
            clock=self.time,
            directory=directory,
            patience=timedelta(seconds=10),
        )

    async def version(self, wanted: str, game_type: str = "kuhn_poker") -> str:
        return str((await self.cache.find(game_type, wanted)).version)

    def fetches(self) -> int:
        """Return how often the document was asked for."""
        return sum(path == SPEC_PATH for path, _ in self.side.asked)
