"""The table's part: questions of real hands, and the judgement of answers, by a table's code."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import orjson
from casino_contracts import Rejection, SignupResponse
from casino_lobby_client.errors import CallFailed

TABLE_ID: Final = "practice"
PLAYER_ID: Final = "player-1"
_MODULE: Final = "casino_table.practice"
_LINE_LIMIT: Final = 4 * 1024 * 1024
_SETTINGS: Final = "CASINO_"


class Task(NamedTuple):
    """A question that can be asked."""

    number: int
    kind: str
    """What is asked, in words."""
    is_holdem: bool


@dataclass(frozen=True)
class Judgement:
    """Whether an answer is a legal action, and the table's sentence if it is not."""

    illegal: str = ""
    answer: Any = None


class PracticeDesk(Protocol):
    """The desk of `casino_table.practice`, here or in another process."""

    async def reply(self, order: bytes) -> bytes:
        """Return the reply to an order, both JSON; raises CallFailed."""

    async def close(self) -> None:
        """Release it."""


class DeskProcess:
    """A desk in a process of its own, which gets no settings and opens no port."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._one_at_a_time = asyncio.Lock()

    @classmethod
    async def start(cls) -> "DeskProcess":
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", _MODULE, stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
            env=environment, limit=_LINE_LIMIT, start_new_session=True,
        )  # fmt: skip
        return cls(process)

    async def reply(self, order: bytes) -> bytes:
        """Return the reply to an order; raises CallFailed if the process has ended."""
        assert self._process.stdin is not None  # noqa: S101  it was asked for as PIPE
        assert self._process.stdout is not None  # noqa: S101  the same
        async with self._one_at_a_time:
            try:
                self._process.stdin.write(order + b"\n")
                line = await self._process.stdout.readline()
            except ConnectionError:
                line = b""
        if not line:
            raise CallFailed(f"python -m {_MODULE} ended: it judges the answers of this command")
        return line

    async def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()


class Practice:
    """Questions and judgements of a desk."""

    def __init__(self, desk: PracticeDesk) -> None:
        self._desk = desk

    @classmethod
    async def start(cls) -> "Practice":
        return cls(await DeskProcess.start())

    async def deal(
        self, seed: int, count: int, other_games: int, signup: SignupResponse, *, is_invoke: bool
    ) -> list[Task]:
        any_game = bool(signup.plays_any_game)
        questions = await self._reply(
            do="deal", seed=seed, count=count, otherGames=other_games if any_game else 0,
            tableId=TABLE_ID, playerId=PLAYER_ID, displayName=signup.display_name,
            playsAnyGame=any_game, isInvoke=is_invoke,
        )  # fmt: skip
        return [
            Task(number, question["kind"], question["isHoldem"])
            for number, question in enumerate(questions["questions"])
        ]

    async def ask(
        self, task: Task, clock_ms: int, attempt: int = 1, rejected: Rejection | None = None
    ) -> tuple[bytes, str]:
        """Return the request of a question as JSON, and its text for agents that read text."""
        refusal = rejected.model_dump(mode="json", by_alias=True) if rejected else None
        reply = await self._reply(
            do="ask", question=task.number, attempt=attempt, clockMs=clock_ms, rejected=refusal
        )
        return reply["request"].encode(), reply["brief"]

    async def judge(self, task: Task, answer: dict[str, Any]) -> Judgement:
        reply = await self._reply(do="judge", question=task.number, answer=answer)
        return Judgement(reply.get("illegal", ""), reply.get("answer"))

    async def review(self, question: dict[str, Any], answer: dict[str, Any]) -> Judgement:
        """Judge an answer to a question of the past, both of which conform to their schemas."""
        reply = await self._reply(do="review", question=question, answer=answer)
        return Judgement(reply.get("illegal", ""), reply.get("answer"))

    async def close(self) -> None:
        await self._desk.close()

    async def _reply(self, **order: Any) -> dict[str, Any]:
        reply: dict[str, Any] = orjson.loads(await self._desk.reply(orjson.dumps(order)))
        if "invalid" in reply:
            raise CallFailed(f"the order to the table was refused: {reply['invalid']}")
        return reply
