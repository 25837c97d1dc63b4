"""Exceptions of what tables and matches share.

```
PlayError             root of all
└── IllegalAnswer     a player's answer is not a legal action
```
"""


class PlayError(Exception):
    """Root of the exceptions of this package."""


class IllegalAnswer(PlayError):
    """The answer is well formed but not a legal action; the message lists the legal actions."""
