"""Exceptions of the console, beside those of `casino_lobby_client.errors`.

```
ConsoleError          root of all
├── BackupFailed      a backup was not written, or not restored
├── BotLogFailed      the log of a bot cannot be written
├── Irregular         a room's events break a rule, or the lobby's lists differ from them
├── NoModel           a language model does not answer, or its settings are wrong
├── NoLobby           there is no lobby at the address
├── NoAnswer          a request of an attack got no answer
├── NoQuestion        there is no such question of the past
├── NotOurs           an address is not the target's, or too many requests were sent
├── DialFailed        the gateway refused a bot that dials out, or cannot be reached
├── NotUnderstood     what a person typed is no choice
├── NotSeated         the bot of an attack was not seated
├── RunNotSaved       the directory of `casino up --save` cannot be used
└── StarterNotWritten  the files of a new bot were not written
```
"""


class ConsoleError(Exception):
    """Root of the exceptions of this package."""


class BackupFailed(ConsoleError):
    """A backup was not written or not restored, and nothing was changed; the message says why."""


class BotLogFailed(ConsoleError):
    """The log of a bot cannot be written; the message names the file."""


class Irregular(ConsoleError):
    """A violated rule of a casino's record; the message has room, epoch, sequence and the rule."""


class NoLobby(ConsoleError):
    """There is no lobby at the address; the message has the reason."""


class NoModel(ConsoleError):
    """A language model cannot play; the message has its provider's words, or the setting."""


class NoAnswer(ConsoleError):
    """There was no answer, or not in time; the message has the reason."""


class NoQuestion(ConsoleError):
    """There is no such question of the past; the message says what there is."""


class NotOurs(ConsoleError):
    """The address is not the target's, or the limit of requests was reached."""


class DialFailed(ConsoleError):
    """The gateway refused a bot that dials out, or cannot be reached; the message says why."""


class NotUnderstood(ConsoleError):
    """What a person typed is no choice; the message says what is."""


class NotSeated(ConsoleError):
    """The bot was not seated; the message has the reason."""


class RunNotSaved(ConsoleError):
    """What was played cannot be written to the directory; the message says why."""


class StarterNotWritten(ConsoleError):
    """The files of a new bot were not written; the message has the reason."""
