"""What can go wrong with a game, one root for all of it.

GameError(ValueError)
├── ActionParseError      no valid action could be read from a player's text
├── BrokenRegistration    a registered path leads to nothing
├── IllegalAction         the rules do not allow this action now; nothing has changed
├── InvalidConfig         no game can be played with this configuration
├── InvalidSnapshot       this data restores no game
├── InvalidSpecification  a game's specification contradicts itself or its game
├── NotDealt              the game was asked about a hand before `reset` dealt one
├── UnknownGame           no game of this type is registered
└── UnknownPlayer         nobody of this id sits in the game

All are `ValueError`, as the game interface asks of `step`. No message ever names a card.
"""


class GameError(ValueError):
    """The root of everything that this package raises on purpose."""


class ActionParseError(GameError):
    """No valid action could be read from a player's text, or there was none to choose."""

    def __init__(self, message: str, raw_output: str | None = None) -> None:
        super().__init__(message)
        self.raw_output = raw_output
        """What could not be read; it may name cards, so the message does not repeat it."""


class BrokenRegistration(GameError):
    """A game is registered with a path that leads to nothing; the message names the path."""


class IllegalAction(GameError):
    """The rules do not allow this action now; the message says what they would allow."""


class InvalidConfig(GameError):
    """No game can be played with this configuration; the message gives the path of each fault."""


class InvalidSnapshot(GameError):
    """This data restores no game: it is incomplete, inconsistent or not ours."""


class InvalidSpecification(GameError):
    """A game's specification contradicts itself or its game; the message says where."""


class NotDealt(GameError):
    """A question about a hand, before `reset(seed)` has dealt one."""


class UnknownGame(GameError):
    """No game of this type is registered; the message names those that are."""


class UnknownPlayer(GameError):
    """Nobody of this id sits in the game."""
