"""Command `casino check`: play the lobby's and the table's part against one bot, and report."""

from datetime import timedelta
from typing import Annotated

import typer
from casino_play.errors import BotFileFailed

from casino.check.bot_under_test import FunctionBot, is_file
from casino.check.examination import (
    examine_bot,
    has_fault,
    write_finding,
    write_json,
    write_json_verdict,
    write_verdict,
)
from casino.check.findings import Finding
from casino.check.practice import Practice
from casino.commands.context import AsJsonLines, context_of, run_command, trusted, url
from casino.commands.room_options import duration


def check(
    context: typer.Context,
    bot: Annotated[
        str,
        typer.Argument(
            metavar="URL|FILE:FUNCTION",
            help="The bot: the URL of its agent card, or a Python function such as bot.py:act.",
        ),
    ],
    clock: Annotated[
        str, typer.Option(help="The time for each answer, such as 10s or 500ms.")
    ] = "10s",
    seed: Annotated[
        int, typer.Option(help="The questions: the same seed asks the same questions.")
    ] = 1,
    as_json: AsJsonLines = False,
) -> None:
    """Check a bot without a casino: its card, signup, sixty questions, bad input, speed.

    The exit code is 1 if there is a fault. docs/bots.md explains each finding.
    """
    within = _clock(clock)
    checked = _function(bot) or url(bot)
    output = context_of(context).output()
    tls = trusted(context)

    def on_finding(finding: Finding) -> None:
        (write_json if as_json else write_finding)(output, finding)

    async def work() -> list[Finding]:
        practice = await Practice.start()
        try:
            return await examine_bot(
                checked, practice, within, seed, tls=tls, on_finding=on_finding
            )
        finally:
            await practice.close()

    findings = run_command(context, work)
    (write_json_verdict if as_json else write_verdict)(output, findings)
    if has_fault(findings):
        raise typer.Exit(1)


def _clock(text: str) -> timedelta:
    clock = duration(text, "--clock")
    if clock <= timedelta():
        raise typer.BadParameter("must be more than 0", param_hint="--clock")
    return clock


def _function(bot: str) -> FunctionBot | None:
    if not is_file(bot):
        return None
    if ".py" not in bot:
        raise typer.BadParameter(
            f"{bot}: write http:// before an address, or name a Python file, such as bot.py:act"
        )
    try:
        return FunctionBot.of_file(bot)
    except BotFileFailed as error:
        raise typer.BadParameter(str(error), param_hint="FILE:FUNCTION") from error
