"""Exceptions of what tables and matches share.

```
PlayError             root of all
├── BotFileFailed     the file of a bot cannot be used
├── FunctionFailed    a bot's function raised an error, or its answer is no JSON
└── IllegalAnswer     a player's answer is not a legal action
```
"""

from collections.abc import Sequence


class PlayError(Exception):
    """Root of the exceptions of this package."""


class BotFileFailed(PlayError):
    """The file of a bot cannot be used; the message names the file, and the line of an error."""


class FunctionFailed(PlayError):
    """A bot's function gave no answer; the message has file, line and error in one line.

    `lines` are for its author: where in the bot's folder, the code there, and the error.
    """

    def __init__(self, message: str, lines: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.lines = tuple(lines) or (message,)


class IllegalAnswer(PlayError):
    """The answer is well formed but not a legal action; the message lists the legal actions."""
