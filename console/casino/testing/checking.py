"""The check of a bot, `casino check`, without the process that poses its questions."""

import ssl
from datetime import timedelta
from typing import Final

import orjson
from casino_play.bot_file import Function
from casino_table.practice.practice_judge import PracticeJudge

from casino.check.bot_under_test import FunctionBot, is_file
from casino.check.examination import examine_bot
from casino.check.findings import Finding
from casino.check.practice import Practice

_CLOCK: Final = timedelta(seconds=10)


class DeskHere:
    """A table's judge of practice in this process."""

    def __init__(self) -> None:
        self._judge = PracticeJudge()

    async def reply(self, order: bytes) -> bytes:
        return orjson.dumps(self._judge.reply(order))

    async def close(self) -> None:
        """Do nothing: there is no process."""


async def checked(
    bot: Function | str,
    *,
    clock: timedelta = _CLOCK,
    seed: int = 1,
    tls: ssl.SSLContext | None = None,
) -> list[Finding]:
    """Return what `casino check` finds out about a bot: faults, warnings, and what is in order.

    `bot` is a function, `FILE:FUNCTION`, or the URL of an agent; `clock` is the time for each
    answer. Raises BotFileFailed if the file cannot be loaded.
    """
    subject: FunctionBot | str
    if isinstance(bot, str):
        subject = FunctionBot.of_file(bot) if is_file(bot) else bot
    else:
        subject = FunctionBot(bot)
    return await examine_bot(subject, Practice(DeskHere()), clock, seed, tls=tls)
