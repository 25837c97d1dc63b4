"""Exceptions of the games, with a common base class.

GameError(ValueError)
├── ActionParseError           a text contains no valid action
├── BrokenRegistration         a registered path cannot be loaded
├── GameFault                  a game does not do what its interface says
├── IllegalAction              the rules do not allow the action; nothing has changed
├── InconsistentSpecification  a specification contradicts itself or its game
├── InvalidConfig              the configuration is invalid
├── InvalidSnapshot            the snapshot is invalid
├── NotDealt                   the hand was used before `reset` dealt it
├── NotPlain                   a value of a game has no plain JSON
├── UnknownGame                no game of the type is registered
└── UnknownPlayer              no player of the game has the id

All are `ValueError`, as the game interface requires of `step`. No message ever contains a card.
"""


class GameError(ValueError):
    """Base class of all exceptions of this package."""


class ActionParseError(GameError):
    """A player's text contains no valid action, or there is none to choose."""

    def __init__(self, message: str, raw_output: str | None = None) -> None:
        super().__init__(message)
        self.raw_output = raw_output
        """The unreadable text; not part of the message, because it may contain cards."""


class BrokenRegistration(GameError):
    """A registered path cannot be loaded; the message contains the path."""


class GameFault(GameError):
    """A game does not do what its interface says; the message contains the method."""


class IllegalAction(GameError):
    """The rules do not allow the action now; the message contains the legal ones."""


class InconsistentSpecification(GameError):
    """A specification contradicts itself or its game; the message contains the place."""


class InvalidConfig(GameError):
    """The configuration is invalid; the message contains the path of each fault."""


class InvalidSnapshot(GameError):
    """A snapshot is incomplete, inconsistent or of another format."""


class NotDealt(GameError):
    """The hand was used before `reset(seed)` dealt it."""


class NotPlain(GameError):
    """A value has no plain JSON; the message has the place and the type, never the value."""


class UnknownGame(GameError):
    """No game of the type is registered; the message lists the registered types."""


class UnknownPlayer(GameError):
    """No player of the game has the id."""
