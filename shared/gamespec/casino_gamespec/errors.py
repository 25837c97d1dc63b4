"""What can go wrong between a client and a game's specification, as one tree.

```
GameSpecError                the root
├── LobbyUnavailable         not reached, too slow, or what it answered is no answer
├── GameNotOffered           the lobby does not offer this game
├── VersionNotServed         the lobby's specification is not of the version that was asked for
└── InvalidSpecification     what came is no specification: `part` is wrong
```

No message holds a player's state: a fault of a state is told by its path alone.
"""


class GameSpecError(Exception):
    """A game's specification cannot be had, or is not one."""


class LobbyUnavailable(GameSpecError):
    """The lobby could not be reached, took too long, or answered with an error or nonsense."""


class GameNotOffered(GameSpecError):
    """The lobby does not offer this game; the message names those that it does."""


class VersionNotServed(GameSpecError):
    """The lobby's specification is older than the message that it should describe, or too new."""


class InvalidSpecification(GameSpecError):
    """The document is no specification; `part` says where, the message what would be right."""

    def __init__(self, part: str, message: str) -> None:
        super().__init__(f"{part}: {message}")
        self.part = part
