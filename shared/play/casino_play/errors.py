"""Exceptions of what tables and matches share.

```
PlayError             root of all
├── BotFileFailed     the file of a bot cannot be used
└── IllegalAnswer     a player's answer is not a legal action
```
"""


class PlayError(Exception):
    """Root of the exceptions of this package."""


class BotFileFailed(PlayError):
    """The file of a bot cannot be used; the message names the file, and the line of an error."""


class IllegalAnswer(PlayError):
    """The answer is well formed but not a legal action; the message lists the legal actions."""
