"""Exceptions of game specifications.

```
GameSpecError                base class
├── LobbyUnavailable         unreachable, timeout, or an invalid reply
├── GameNotOffered           the lobby does not offer this game
├── VersionNotServed         the lobby's specification does not cover the requested version
├── InvalidSpecification     the document is not a valid specification; `part` is wrong
└── InvalidVersion           the text is not of the form MAJOR.MINOR.PATCH
```

Messages never contain a player's state, only the path of what is wrong in it.
"""


class GameSpecError(Exception):
    """A game's specification is unavailable or invalid."""


class LobbyUnavailable(GameSpecError):
    """The lobby was unreachable, timed out, or sent an error or an invalid reply."""


class GameNotOffered(GameSpecError):
    """The lobby does not offer this game; the message lists the games it offers."""


class VersionNotServed(GameSpecError):
    """The lobby's specification is older than the requested version, or of another MAJOR."""


class InvalidSpecification(GameSpecError):
    """The document is not a valid specification; `part` is where, the message what is wrong."""

    def __init__(self, part: str, message: str) -> None:
        super().__init__(f"{part}: {message}")
        self.part = part


class InvalidVersion(GameSpecError):
    """The text is not of the form MAJOR.MINOR.PATCH."""
