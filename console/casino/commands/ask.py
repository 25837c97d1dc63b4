"""Command `casino ask`: send a question of a recorded hand to an agent."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from casino_contracts import HandRecord, Reason
from casino_lobby_client.errors import CallFailed

from casino.commands.context import (
    LOBBY_URL,
    AsJson,
    LobbyUrl,
    at_lobby,
    context_of,
    one_line_for,
    run_command,
    url,
)
from casino.commands.room_options import duration, hand_of
from casino.errors import NoQuestion
from casino.lobby_api import LobbyApi
from casino.output import Output, decided, default_words
from casino.past_question import (
    Judged,
    PastQuestion,
    action_text,
    ask,
    clock_of,
    question_in,
    question_of_file,
)

SEAT_TOKEN = "CASINO_SEAT_TOKEN"  # noqa: S105  the name of a variable
"""Variable with the seat token of an agent that answers nobody else."""
_WITHOUT_KEY = (
    "Start the casino with one, `CASINO_LOBBY_OPERATOR_TOKEN=some-long-key casino up`, and set"
    " CASINO_OPERATOR_TOKEN to the same; or ask a question of your bot's log with --question."
)


def ask_again(  # noqa: PLR0913, PLR0917  each parameter is an option
    context: typer.Context,
    agent: Annotated[
        str, typer.Argument(metavar="URL", callback=url, help="URL of the agent, or of its card.")
    ],
    hand: Annotated[
        str | None, typer.Option(metavar="ROOM/NUMBER", help="A completed hand, such as main/17.")
    ] = None,
    decision: Annotated[
        int | None,
        typer.Option(help="Number of the decision in the hand. Without it they are listed."),
    ] = None,
    question: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A question as JSON, in place of --hand.")
    ] = None,
    epoch: Annotated[
        int | None, typer.Option(min=1, help="The table's epoch. Default: the newest.")
    ] = None,
    skill: Annotated[str, typer.Option(help="The skill that decides turns.")] = "act",
    timeout: Annotated[
        str | None,
        typer.Option(help="Time to wait, such as 10m for a debugger. Default: the player's clock."),
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Ask an agent one question of a past hand again, and judge its answer as a table does."""
    clock = None if timeout is None else duration(timeout, "--timeout")
    with one_line_for(context, NoQuestion):
        past = _question(context, lobby, hand, decision, question, epoch)
    wait: timedelta = clock or clock_of(past)
    token = context_of(context).environment.get(SEAT_TOKEN)
    judged = run_command(context, lambda: ask(agent, past, skill=skill, clock=wait, token=token))
    output = context_of(context).output()
    if as_json:
        output.json(_document(past, judged))
    else:
        _write(output, past, judged)
    raise typer.Exit(0 if judged.is_accepted and not judged.defaulted else 1)


def _question(
    context: typer.Context,
    lobby: str,
    hand: str | None,
    decision: int | None,
    file: Path | None,
    epoch: int | None,
) -> PastQuestion:
    """Return the question that the options name; raises BadParameter and NoQuestion."""
    if (hand is None) == (file is None):
        raise typer.BadParameter("name one: --hand or --question", param_hint="--hand")
    if file is not None:
        return question_of_file(file)
    room, number = hand_of(hand or "", "--hand")

    async def read(api: LobbyApi) -> HandRecord:
        try:
            return await api.hand_record(room, number, epoch)
        except CallFailed as error:
            if error.reason != Reason.OPERATOR_ONLY:
                raise
            raise CallFailed(f"{error} {_WITHOUT_KEY}", error.reason) from error

    return question_in(at_lobby(context, lobby, read), decision)


def _document(past: PastQuestion, judged: Judged) -> dict[str, Any]:
    recorded = past.decision and past.decision.model_dump(mode="json", exclude={"question"})
    return {
        "question": past.sent,
        "answer": judged.answer,
        "latencyMs": judged.latency_ms,
        "accepted": judged.is_accepted,
        "defaulted": judged.defaulted and judged.defaulted.model_dump(mode="json"),
        "reason": judged.reason,
        "recorded": recorded,
    }


def _write(output: Output, past: PastQuestion, judged: Judged) -> None:
    output.line(past.title)
    output.line("question")
    output.lines(f"  {line}" for line in _indented(past.sent))
    answer = "none" if judged.answer is None else json.dumps(judged.answer)
    output.line(f"answer    {answer}   after {judged.latency_ms:g} ms")
    if judged.is_accepted and judged.defaulted:
        output.line(f"accepted  a table plays it as missed; {default_words(judged.defaulted)}")
    elif judged.is_accepted:
        output.line("accepted  a table plays it")
    else:
        output.line(f"refused   {judged.reason}")
        output.line(f"          {_then(judged)}")
    if past.decision is not None:
        then = f"{action_text(past.decision.action)} ({past.decision.outcome})"
        output.line("; ".join((f"then      {then}", *decided(past.decision))))


def _then(judged: Judged) -> str:
    if judged.is_token_missing:
        return f"set {SEAT_TOKEN} to the seatToken of its signup, or ask a bot that has no seat"
    return "a table asks once more, with this reason in `rejected`"


def _indented(sent: dict[str, Any]) -> list[str]:
    return [f"{name}: {json.dumps(value)}" for name, value in sent.items()]
