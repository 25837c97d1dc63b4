"""The bot that is checked: an agent at a URL, or a function of a file."""

import asyncio
import itertools
import json
import ssl
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import orjson
from casino_agentkit import (
    EXTENSION,
    AgentClient,
    AgentError,
    HttpReply,
    HttpTransport,
    RemoteAgent,
    TimedOut,
)
from casino_contracts import (
    ActionResponse,
    Defaulted,
    GameActionResponse,
    Rejection,
    SignupInvitation,
    SignupResponse,
    TableConfig,
    seat_token,
)
from casino_contracts.player_messages import INVITED
from casino_play.bot_file import Function, act_of, file_of, load_function, split_spec
from casino_play.errors import FunctionFailed
from casino_play.turn import outcome_of
from pydantic import BaseModel

from casino.check.findings import (
    EXCEPTION,
    Exchange,
    Failure,
    RecordingTransport,
    failure_of,
    illegal,
    recorded,
)
from casino.check.practice import PLAYER_ID, TABLE_ID, Practice, Task

ADDRESS: Final = "http://function.invalid"
_ERROR_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"
_FAILED: Final = -32603


class FunctionBot:
    """Transport to a function that decides; signup is answered for it.

    Faults name the lines of the file that defines it.
    """

    def __init__(self, function: Function, file: Path | None = None) -> None:
        self.file = file or file_of(function)
        self._act = act_of(function, self.file)

    @classmethod
    def of_file(cls, spec: str) -> "FunctionBot":
        """Return the function of `FILE:FUNCTION`; raises BotFileFailed if it cannot be loaded."""
        return cls(load_function(spec), split_spec(spec)[0])

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        del headers
        if method == "GET":
            return _json(_card(self.file))
        call = json.loads(body)
        message = call["params"]["message"]
        envelope: dict[str, Any] = {"jsonrpc": "2.0", "id": call["id"]}
        if message["metadata"][EXTENSION]["skill"] == "signup":
            return _json(envelope | _result(call["id"], {"displayName": self.file.stem}))
        try:
            async with asyncio.timeout(timeout_s):
                answer = await self._act(message["parts"][0]["data"])
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        except FunctionFailed as failed:
            return _json(envelope | _error(str(failed)))
        return _json(envelope | _result(call["id"], answer))

    async def check_link(self, source: str, target: str) -> None:
        """Allow every link: there is no other address."""

    async def close(self) -> None:
        """Do nothing: there are no connections."""


def is_file(target: str) -> bool:
    """Return whether a target of the check is a function of a file, not a URL.

    >>> is_file("bot.py:act"), is_file("http://127.0.0.1:9000")
    (True, False)
    """
    return "://" not in target


def _card(file: Path) -> dict[str, Any]:
    interface = {"url": f"{ADDRESS}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return {
        "name": file.stem,
        "description": f"The function of a file, on Python {sys.version_info.major}.",
        "version": "1",
        "supportedInterfaces": [interface],
        "capabilities": {"extensions": [{"uri": EXTENSION}]},
        "skills": [{"id": "signup"}, {"id": "act"}],
    }


def _result(call_id: str, answer: Any) -> dict[str, Any]:
    part = {"data": answer, "mediaType": "application/json"}
    return {"result": {"message": {"messageId": call_id, "role": "ROLE_AGENT", "parts": [part]}}}


def _error(message: str) -> dict[str, Any]:
    info = {"@type": _ERROR_INFO, "reason": EXCEPTION, "metadata": {}}
    return {"error": {"code": _FAILED, "message": message, "data": [info]}}


def _json(value: Any) -> HttpReply:
    return HttpReply(200, json.dumps(value).encode())


CONFIG: Final = TableConfig(
    starting_stack=200, small_blind=1, big_blind=2, min_buy_in=40, max_buy_in=400,
    max_hands=100, max_seats=6,
)  # fmt: skip
"""The rules of the room that the bot is invited to."""
_LATER_HANDS: Final = 9_001
_MOST_MISSED: Final = 3
"""Calls without an answer in a row, after which a table lets a seat sit out (maxTimeouts)."""


@dataclass
class BotAnswer:
    """What came of one call."""

    exchange: Exchange
    reply: BaseModel | None = None
    failure: Failure | None = None
    request: bytes = b""
    """The input, as JSON."""
    brief: str = ""
    """The task as text, for agents that read text."""

    @property
    def action(self) -> dict[str, Any]:
        """The reply as JSON, without absent fields."""
        return (
            self.reply.model_dump(mode="json", by_alias=True, exclude_none=True)
            if self.reply
            else {}
        )

    @property
    def defaulted(self) -> Defaulted | None:
        """Why the reply is a default; None for a decision of the bot's own."""
        if not isinstance(self.reply, ActionResponse | GameActionResponse):
            return None
        return outcome_of(self.reply, is_second=False)[1]

    @property
    def came(self) -> str:
        """What came, as one line: the answer if it can be read, else the whole reply."""
        if self.reply is not None:
            return orjson.dumps(self.action).decode()
        is_raised = self.failure is not None and self.failure.name == "exception"
        return "an exception" if is_raised else self.exchange.came

    @property
    def seconds(self) -> float:
        return self.exchange.last.seconds if self.exchange.last else 0.0


@dataclass
class BotUnderTest:
    """One bot, and what is known of it so far."""

    transport: RecordingTransport
    practice: Practice
    clock: timedelta
    seed: int
    url: str = ""
    function: FunctionBot | None = None
    tls: ssl.SSLContext | None = None
    """The TLS context of the transport; None: the system's authorities."""
    peer: RemoteAgent | None = None
    signup: SignupResponse | None = None
    tasks: list[Task] = field(default_factory=list)
    answers: list[tuple[Task, BotAnswer]] = field(default_factory=list)
    """The good answers to the questions."""
    missed: int = 0
    """Calls without an answer in a row."""
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(_LATER_HANDS))
    """Numbers that mark questions as those of another hand."""

    def __post_init__(self) -> None:
        self.client = AgentClient(self.transport)
        self.token = seat_token(f"casino check {self.seed}", PLAYER_ID)

    @property
    def clock_ms(self) -> int:
        return round(self.clock.total_seconds() * 1000)

    @property
    def called(self) -> RemoteAgent:
        """The bot's agent; only after its card was read."""
        assert self.peer is not None  # noqa: S101  checks that call it run after that of the card
        return self.peer

    @property
    def is_over_http(self) -> bool:
        """Whether it is called by HTTP, so that other bytes can be sent there."""
        return self.function is None and self.called.url.startswith(("http://", "https://"))

    @property
    def is_given_up(self) -> bool:
        """Whether so many calls in a row got no answer that no further one is made."""
        return self.missed >= _MOST_MISSED

    @property
    def holdem(self) -> list[Task]:
        return [task for task in self.tasks if task.is_holdem]

    def invitation(self, table_id: str = TABLE_ID, player_id: str = PLAYER_ID) -> SignupInvitation:
        return SignupInvitation(
            casino_name="Practice",
            table_id=table_id,
            room_id=table_id,
            min_buy_in=CONFIG.min_buy_in,
            max_buy_in=CONFIG.max_buy_in,
            small_blind=CONFIG.small_blind,
            big_blind=CONFIG.big_blind,
            player_id=player_id,
            seat_token=self.token,
            game_type="texas-holdem",
        )

    async def invite(self, invitation: SignupInvitation) -> BotAnswer:
        body = invitation.wire()
        return await self.call("signup", body, SignupResponse, brief=INVITED, token=None)

    async def ask(
        self, task: Task, attempt: int = 1, rejected: Rejection | None = None
    ) -> BotAnswer:
        """Ask a question, and judge the answer as a table does."""
        body, brief = await self.practice.ask(task, self.clock_ms, attempt, rejected)
        return await self.pose(task, body, brief)

    async def ask_anew(self, task: Task) -> BotAnswer:
        """Ask a question that was asked before, as one of another hand: it is no redelivery."""
        body, brief = await self.practice.ask(task, self.clock_ms)
        return await self.pose(task, self.anew(body), brief)

    def anew(self, body: bytes, **more: Any) -> bytes:
        request = orjson.loads(body)
        ids = {
            name: request[name].replace("/", f"/{next(self.numbers)}", 1)
            for name in ("requestId", "handId")
        }
        return orjson.dumps(request | ids | more)

    async def pose(self, task: Task, body: bytes, brief: str) -> BotAnswer:
        any_game = bool(self.signup and self.signup.plays_any_game)
        output = GameActionResponse if any_game else ActionResponse
        skill = self.signup.action_skill if self.signup else "act"
        answer = await self.call(skill, body, output, brief=brief, token=self.token)
        answer.brief = brief
        if answer.failure is None:
            judgement = await self.practice.judge(task, answer.action)
            if judgement.illegal:
                answer.failure = illegal(judgement.illegal)
        return answer

    async def call(
        self,
        skill: str,
        body: bytes,
        output: type[BaseModel],
        *,
        brief: str = "",
        token: str | None = None,
    ) -> BotAnswer:
        """Call a skill; a failure is part of what is returned."""
        with recorded() as exchange:
            try:
                reply = await self.called.call(
                    skill, body, output, timeout=self.clock, brief=brief, token=token
                )
            except AgentError as error:
                self.missed = self.missed + 1 if isinstance(error, TimedOut) else 0
                return BotAnswer(exchange, failure=failure_of(error, exchange), request=body)
        self.missed = 0
        return BotAnswer(exchange, reply, request=body)

    async def reconnect(self) -> None:
        """Close all connections, so that none is used that the bot has closed meanwhile."""
        if isinstance(self.transport.inner, HttpTransport):
            await self.transport.close()
