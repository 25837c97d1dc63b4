"""The bot of a file: asked for its decisions, and loaded anew when the file has changed."""

import bdb
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from casino_play.bot_file import Act, load_act, split_spec
from casino_play.errors import BotFileFailed

from casino.errors import BotFailed
from casino.join.own_lines import own_lines, what, where

Stamp = tuple[int, int]


class Bot:
    """The function of a file. `say` gets the lines for the bot's author.

    Between two decisions the file is loaded again if it has changed; one that cannot be loaded
    leaves the old version at work.
    """

    def __init__(self, spec: str, say: Callable[[str], None]) -> None:
        self.spec = spec
        self.path = split_spec(spec)[0]
        self._say = say
        self._directory = self.path.parent.resolve()
        self._stamp = _stamp(self.path)
        self._act = self._loaded()
        self._last_error: list[str] = []

    async def decide(self, turn: dict[str, Any]) -> Any:
        """Return the bot's answer to a question, which is JSON.

        Raises BotFailed if the bot did: its author has been shown the lines, the message is for the
        table.
        """
        self._reload()
        try:
            answer = await self._act(turn)
        except (Exception, SystemExit, bdb.BdbQuit) as error:
            self._show(own_lines(error, self._directory))
            raise BotFailed(_at(what(error), where(error, self._directory))) from error
        return self._checked(answer)

    def _checked(self, answer: Any) -> Any:
        try:
            return json.loads(json.dumps(answer, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            text = f"{self.path.name}: the answer is no JSON: {what(error)}"
            self._show([text])
            raise BotFailed(text) from error

    def _reload(self) -> None:
        stamp = _stamp(self.path)
        if stamp is None or stamp == self._stamp:  # an editor may replace the file just now
            return
        self._stamp = stamp
        try:
            self._act = self._loaded()
        except BotFileFailed as failed:
            self._say(f"{failed}; the version before plays on")
        else:
            self._last_error = []
            self._say(f"{self.path.name} was loaded again")

    def _loaded(self) -> Act:
        """Return the function of the file as it is now; raises BotFileFailed."""
        # Bytecode is kept by whole seconds: of two quick changes the second would not be seen.
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            return load_act(self.spec)
        finally:
            sys.dont_write_bytecode = before

    def _show(self, lines: list[str]) -> None:
        """Show an error, but not once more for the second attempt at the same question."""
        if lines == self._last_error:
            self._say(f"the same again: {lines[-1]}")
            return
        self._last_error = lines
        for line in lines:
            self._say(line)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _at(text: str, place: str) -> str:
    return f"{text} ({place})" if place else text
