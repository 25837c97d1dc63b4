"""Standby: the lobby opens when its store is free, and is active while the store is its own.

The gates in front of all routes refuse requests until then; another one guards `/metrics`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog
from casino_agentkit import Caller, Rule, Scheme
from casino_agentkit.card_signing import JWKS_PATH
from casino_agentkit.protocol import (
    CARD_PATH,
    ENTRYPOINTS_PATH,
    OLDER_CARD_PATH,
    REST_PATH,
    RPC_PATH,
)
from casino_agentkit.server.service_app import HEALTH_PATH, METRICS_PATH, READY_PATH
from casino_contracts import Reason
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.access.operator import Operator, bearer_token
from casino_lobby.errors import RETRY_AFTER_S, NotAdmitted, StoreFailed
from casino_lobby.problem import Problem, ProblemType
from casino_lobby.store import Store

CLAIM_EVERY_S: Final = 0.5
"""The pause between two attempts to claim the store."""

_LOOK_EVERY_S: Final = 1.0
_UNSURE_LOOKS: Final = 2
"""So many looks in a row find the store lost before streams end: a database may restart."""

_TRIES_AT_START: Final = 3
"""Cover the end of a lobby that was just killed: its successor need not stand by."""

_STANDING_BY = "This lobby stands by: another lobby is active on its database."
_TAKING_OVER = "This lobby takes the database over."
_UNSURE = "This lobby has lost its connection to the database; another lobby may be active."

logger = structlog.get_logger(__name__)


class Activation:
    """Opens the lobby once its store is claimed; until then the lobby stands by.

    `on_failed` is called if the store was claimed in standby but could not be opened. `on_unsure`
    ends what the lobby still sends: it is called again and again while the lobby is not active.
    `sleep` takes seconds.
    """

    def __init__(
        self,
        store: Store,
        open_lobby: Callable[[], Awaitable[None]],
        on_failed: Callable[[], None],
        on_unsure: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._open_lobby = open_lobby
        self._on_failed = on_failed
        self._on_unsure = on_unsure
        self._sleep = sleep
        self._tasks: list[asyncio.Task[None]] = []
        self._cause: str | None = None
        self._fault = ""

    def standby(self) -> str | None:
        """Return why this lobby may not answer at this moment; None while it is active."""
        if self._cause is not None:
            return self._cause
        return None if self._store.is_held else _UNSURE

    def guard(self, rules: LobbyRules) -> None:
        """Have the rules of all entrypoints refuse every call while the lobby is not active."""
        rules.commanding = OnlyWhileActive(rules.commanding, self.standby)
        rules.reading = OnlyWhileActive(rules.reading, self.standby)
        rules.announcing = OnlyWhileActive(rules.announcing, self.standby)
        rules.recording = OnlyWhileActive(rules.recording, self.standby)
        rules.contributing = OnlyWhileActive(rules.contributing, self.standby)
        rules.delivering = OnlyWhileActive(rules.delivering, self.standby)

    async def start(self) -> None:
        """Open the lobby, or begin to stand by; raises StoreFailed."""
        self._tasks.append(asyncio.create_task(self._look(), name="store look"))
        try:
            for attempt in range(_TRIES_AT_START):
                if attempt:
                    await self._sleep(CLAIM_EVERY_S)
                if await self._store.claim():
                    await self._open_lobby()
                    return
        except BaseException:
            await self.stop()
            await self._store.close()
            raise
        self._cause = _STANDING_BY
        logger.info("stood_by")
        self._tasks.append(asyncio.create_task(self._wait(), name="standby"))

    async def stop(self) -> None:
        """Stop waiting for the store, and looking at it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _look(self) -> None:
        unsure = 0
        while True:
            await self._sleep(_LOOK_EVERY_S)
            unsure = 0 if self.standby() is None else unsure + 1
            if unsure >= _UNSURE_LOOKS:
                self._on_unsure()

    async def _wait(self) -> None:
        while not await self._claims():
            await self._sleep(CLAIM_EVERY_S)
        self._cause = _TAKING_OVER
        try:
            await self._open_lobby()
        except Exception:
            logger.exception("takeover_failed")
            self._on_failed()
        else:
            self._cause = None
            logger.info("lobby_taken_over")

    async def _claims(self) -> bool:
        """Try once; a database that cannot be asked is as good as one that is held."""
        try:
            return await self._store.claim()
        except StoreFailed as error:
            if self._fault != str(error):
                logger.warning("claim_failed", error=str(error))
            self._fault = str(error)
            return False


_ANSWERED: Final = frozenset(
    {HEALTH_PATH, READY_PATH, METRICS_PATH, CARD_PATH, OLDER_CARD_PATH, JWKS_PATH}
)
"""Requests about the process; none reads rooms, but the metrics, which are those of a process."""

_REFUSED_BY_RULES: Final = (RPC_PATH, REST_PATH, ENTRYPOINTS_PATH)
"""A2A calls: `OnlyWhileActive` refuses them, in the words of their binding."""


class OnlyWhileActive:
    """Wraps a rule that reads the lobby's state; `standby` returns why it must not be read now."""

    def __init__(self, rule: Rule, standby: Callable[[], str | None]) -> None:
        self._rule = rule
        self._standby = standby

    @property
    def scheme(self) -> Scheme | None:
        return self._rule.scheme

    def admit(self, caller: Caller, message: Any) -> None:
        """May raise CommandRefused: STANDBY, and refusal reasons of the rule."""
        if (refusal := standby_refusal(self._standby)) is not None:
            try:
                raise refusal
            finally:
                del refusal  # else this frame and the error keep each other, and the message
        self._rule.admit(caller, message)


def standby_refusal(standby: Callable[[], str | None]) -> NotAdmitted | None:
    """Return what callers get while the lobby is not active; None while it is."""
    cause = standby()
    if cause is None:
        return None
    return NotAdmitted(
        Reason.STANDBY,
        f"{cause} Send the request again, to the address that the lobbies share.",
        details={"retryAfter": str(RETRY_AFTER_S)},
    )


class StandbyGate:
    """ASGI middleware; `standby` returns why the lobby is not active, None while it is."""

    def __init__(self, app: ASGIApp, standby: Callable[[], str | None]) -> None:
        self._app = app
        self._standby = standby

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_answered(scope["path"]):
            refusal = standby_refusal(self._standby)
            if refusal is not None:
                problem = Problem.of(refusal, {ProblemType.STANDBY})
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)


class ClosingInStandby:
    """ASGI middleware that has each response close its connection while the lobby is not active.

    Otherwise a client whose connections go through an address that lobbies share would stay with
    this one for as long as it answers.
    """

    def __init__(self, app: ASGIApp, standby: Callable[[], str | None]) -> None:
        self._app = app
        self._standby = standby

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._standby() is None:
            await self._app(scope, receive, send)
            return

        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (b"connection", b"close")]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, closing)


def _is_answered(path: str) -> bool:
    return path in _ANSWERED or path.startswith(_REFUSED_BY_RULES)


class MetricsGate:
    """ASGI middleware that requires read access for the agentkit's `/metrics` route."""

    def __init__(self, app: ASGIApp, operator: Operator) -> None:
        self._app = app
        self._operator = operator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == METRICS_PATH:
            authorization = Request(scope).headers.get("authorization")
            try:
                self._operator.admit_reader(bearer_token(authorization))
            except NotAdmitted as refusal:
                problem = Problem.of(refusal, {ProblemType.UNAUTHORIZED})
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)
