"""Command `casino ask`: send a question of a recorded hand, or of a file, to an agent again."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from casino_agentkit import (
    AgentClient,
    AgentError,
    Disconnected,
    KitReason,
    Malformed,
    RemoteRefused,
    TimedOut,
    Transport,
    Unreachable,
)
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    Defaulted,
    GameActionRequest,
    GameActionResponse,
    HandRecord,
    Reason,
    RecordedDecision,
)
from casino_contracts.foreign_text import json_of
from casino_contracts.player_messages import CARD_TIMEOUT
from casino_lobby_client.errors import CallFailed
from casino_play.turn import outcome_of
from pydantic import TypeAdapter, ValidationError

from casino.check.practice import Practice
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
from casino.output import Output, chips, decided, default_words, sanitize

Question = ActionRequest | GameActionRequest

_GAME: TypeAdapter[GameActionRequest] = TypeAdapter(GameActionRequest)
_HOLDEM: TypeAdapter[ActionRequest] = TypeAdapter(ActionRequest)


@dataclass(frozen=True)
class PastQuestion:
    """A question as it was sent, as a message, and what was decided then, if that is known."""

    sent: dict[str, Any]
    message: Question
    title: str
    decision: RecordedDecision | None = None


def question_in(record: HandRecord, number: int | None) -> PastQuestion:
    """Return the question of a decision, counted from 1; raises NoQuestion."""
    decisions = record.decisions
    if number is None or not 1 <= number <= len(decisions):
        raise NoQuestion(
            f"name a decision of {record.hand_id} with --decision:\n" + "\n".join(_listed(record))
        )
    decision = decisions[number - 1]
    if decision.question is None:
        raise NoQuestion(
            f"decision {number} has no question: the seat sat out, or the table is older than"
            " this command"
        )
    title = f"{record.hand_id}, decision {number}: {_name(record, decision.player_id)}"
    return _read(decision.question, title, decision)


def question_of_file(path: Path) -> PastQuestion:
    """Return the question in a JSON file; raises NoQuestion."""
    try:
        sent = json_of(path.read_bytes())
    except OSError as error:
        raise NoQuestion(f"--question {path}: {error.strerror}") from error
    except ValueError as error:
        raise NoQuestion(f"--question {path} is not valid JSON: {error}") from error
    if not isinstance(sent, dict):
        raise NoQuestion(f"--question {path} must hold one JSON object, the input of `act`")
    return _read(sent, str(path))


def _read(
    sent: dict[str, Any], title: str, decision: RecordedDecision | None = None
) -> PastQuestion:
    adapter: TypeAdapter[Any] = _GAME if "availableActions" in sent else _HOLDEM
    try:
        message = adapter.validate_python(sent)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        field = ".".join(map(str, fault["loc"]))
        raise NoQuestion(f"{title} is no question: {field}: {fault['msg']}") from error
    return PastQuestion(sent, message, title, decision)


def action_text(action: dict[str, Any]) -> str:
    amount = action.get("amount")
    kind = str(action.get("action_type") or action.get("action"))
    return kind if not isinstance(amount, int | float) else f"{kind} {chips(amount)}"


def _listed(record: HandRecord) -> Iterator[str]:
    for number, decision in enumerate(record.decisions, start=1):
        name = _name(record, decision.player_id)
        where = decision.betting_round or ""
        yield f"  {number:>3}  {where:8} {name}: {action_text(decision.action)}"


def _name(record: HandRecord, player_id: str) -> str:
    names = {seat.player_id: seat.display_name for seat in record.players}
    return sanitize(names.get(player_id, player_id))


_BRIEF = "You are a player in a game and it is your turn. Choose one of the legal actions."
_DEFAULT_CLOCK = timedelta(seconds=10)

Answer = ActionResponse | GameActionResponse


@dataclass(frozen=True)
class Judged:
    """An agent's answer, if it is one, and why a table would refuse it, if it would."""

    answer: dict[str, Any] | None
    reason: str | None
    latency_ms: float
    defaulted: Defaulted | None = None
    """Why the agent's program answered in its place, if it did."""
    is_token_missing: bool = False
    """Whether the agent answers only whoever presents its seat token."""

    @property
    def is_accepted(self) -> bool:
        """Whether a table plays the answer, though it may count it as missed."""
        return self.reason is None


def clock_of(question: PastQuestion) -> timedelta:
    left_ms = question.message.deadline_ms
    if left_ms is None:
        return _DEFAULT_CLOCK
    return timedelta(milliseconds=left_ms + (question.message.time_bank_ms or 0))


async def ask(
    url: str,
    question: PastQuestion,
    *,
    skill: str,
    clock: timedelta,
    token: str | None = None,
    transport: Transport | None = None,
) -> Judged:
    """Ask the agent of a card or base URL; raises CallFailed if no table can judge the answer."""
    client = AgentClient(transport)
    reply: type[Answer] = (
        ActionResponse if isinstance(question.message, ActionRequest) else GameActionResponse
    )
    began = time.perf_counter()
    try:
        agent = await client.resolve(url, timeout=CARD_TIMEOUT)
        began = time.perf_counter()
        answer: Answer = await agent.call(
            skill, orjson.dumps(question.sent), reply, timeout=clock, brief=_BRIEF, token=token
        )
    except AgentError as error:
        taken = time.perf_counter() - began
        content = error.content if isinstance(error, Malformed) else None
        return Judged(
            content if isinstance(content, dict) else None,
            _failure(error),
            _milliseconds(taken),
            is_token_missing=(
                isinstance(error, RemoteRefused) and error.reason == KitReason.UNAUTHORIZED
            ),
        )
    else:
        taken = time.perf_counter() - began
        sent = answer.model_dump(mode="json")
        _, defaulted = outcome_of(answer, is_second=False)
        objection = await _objection(question.sent, sent)
        return Judged(sent, objection, _milliseconds(taken), defaulted)
    finally:
        await client.close()


async def _objection(question: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return why a table would refuse the answer; None if it would play it."""
    table = await Practice.start()
    try:
        return (await table.review(question, answer)).illegal or None
    finally:
        await table.close()


def _failure(error: AgentError) -> str:
    if isinstance(error, Unreachable) and not isinstance(error, Disconnected):
        return f"cannot be reached: {error}"
    if isinstance(error, TimedOut):
        return f"too late: {error.message}"
    return error.message


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 1)


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
