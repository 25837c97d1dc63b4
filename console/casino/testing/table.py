"""What the fixture `casino_table` gives: a table that asks, plays and judges in one process."""

import asyncio
from datetime import timedelta
from typing import Final

from casino_play.bot_file import Function

from casino.check.finding import Finding, Verdict
from casino.testing.checking import checked
from casino.testing.play import play
from casino.testing.questions import question, questions

_CLOCK: Final = timedelta(seconds=10)


class CasinoTable:
    """A table of the casino, for the tests of a bot's function. It keeps nothing."""

    question = staticmethod(question)
    questions = staticmethod(questions)
    play = staticmethod(play)

    def faults(self, bot: Function, *, clock: timedelta = _CLOCK, seed: int = 1) -> list[Finding]:
        """Return the faults that `casino check` finds, each with its name, its text and its fix.

        The bot is asked sixty questions of every kind, and some of them again: as after a lost
        reply, as after an illegal answer, and with fields of a later version. An answer that comes
        later than `clock` is a fault.
        """
        findings = asyncio.run(checked(bot, clock=clock, seed=seed))
        return [finding for finding in findings if finding.verdict is Verdict.FAULT]
