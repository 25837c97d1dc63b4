"""Answers one message of an agent: identity, match, game, then state or action."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

import structlog
from casino_agentkit.accepted_json import shown
from casino_agentkit.bounded_state import LruDict
from casino_lobby_client.errors import LobbyAway, UnknownRoom
from casino_seats.errors import ActionRefused, RefusedAction

from casino_gateway.boardgame import boardgame_messages, boardgame_replies
from casino_gateway.boardgame.boardgame_messages import (
    MAJOR,
    AgentRequest,
    Core,
    ErrorCode,
    GetState,
    MessageRefused,
    PerformAction,
)
from casino_gateway.errors import StoreFailed
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService

_GAMES = 256
_FRESH_S = 60.0
_UNSPECIFIED = "0.0.0"
"""Of a game whose lobby serves no specification."""
Json = dict[str, Any]

logger = structlog.get_logger(__name__)


class SpecificationVersions:
    """Reads a game's version from the lobby at most once a minute. `now` returns seconds."""

    def __init__(self, seats: SeatService, now: Callable[[], float]) -> None:
        self._seats = seats
        self._now = now
        self._versions = LruDict[str, tuple[str, float]](_GAMES)

    async def of(self, seat: LiveSeat) -> str:
        """Return the version of its table, else the lobby's for the game. Raises LobbyAway."""
        if seat.question is not None:
            return seat.question.spec_version
        if seat.spec_version is not None:
            return seat.spec_version
        game_type = seat.identity.game_type
        cached = self._versions.get(game_type)
        if cached is not None and self._now() < cached[1]:
            return cached[0]
        try:
            specification = await self._seats.specification(game_type)
        except LobbyAway:
            if cached is None:
                raise
            return cached[0]
        version = specification[1] if specification else _UNSPECIFIED
        self._versions.put(game_type, (version, self._now() + _FRESH_S))
        return version


@dataclass(frozen=True, slots=True)
class AnswerMessage:
    """A message in reply, and the HTTP status that it has as a response."""

    message: Json
    status: int = HTTPStatus.OK


class Dispatch:
    """One message in, one out. `now` is the questions' clock in seconds, `wall` that of the day."""

    def __init__(
        self,
        seats: SeatService,
        versions: SpecificationVersions,
        now: Callable[[], float],
        wall: Callable[[], datetime],
    ) -> None:
        self._seats = seats
        self._versions = versions
        self._now = now
        self._wall = wall

    async def answer(self, content: bytes, token: str | None) -> AnswerMessage:
        """Return the reply to a message; whatever it is, nothing is raised."""
        core = Core()
        try:
            request = boardgame_messages.read(content)
            core = request.core
            return AnswerMessage(await self._reply(request, token))
        except MessageRefused as refusal:
            return refused(refusal)
        except (LobbyAway, StoreFailed) as error:
            return failed(error, core)
        except Exception:
            logger.exception("message_failed", match_id=core.match_id, agent_id=core.agent_id)
            return failed(None, core)

    def seat_of(self, token: str | None, core: Core) -> LiveSeat:
        seat = self._seats.by_token(token) if token else None
        if seat is None:
            raise unauthorized(core, 403 if token else 401)
        return seat

    async def _reply(self, request: AgentRequest, token: str | None) -> Json:
        core = request.core
        seat = self.seat_of(token, core)
        identity = seat.identity
        if core.match_id != identity.room_id:
            await self._refuse_other_match(core)
        if core.agent_id != identity.player_id:
            raise unauthorized(core)
        if core.game != identity.game_type:
            raise MessageRefused(
                ErrorCode.GAME_MISMATCH,
                f'match "{identity.room_id}" plays {identity.game_type}.',
                core,
                {"game": identity.game_type},
            )
        version = await self._versions.of(seat)
        if isinstance(request, GetState):
            _check_version("state.version", request.state_version, version, core)
            waits = self._seats.waits()
            reply = boardgame_replies.state(seat, version, self._now(), self._wall(), waits)
            seat.touch()  # afterwards, so that the agent reads that it was sitting out
            return reply
        _check_version("action.version", request.action_version, version, core)
        seat.touch()
        return await _perform(seat, request)

    async def _refuse_other_match(self, core: Core) -> None:
        try:
            await self._seats.match(core.match_id)
        except UnknownRoom:
            raise MessageRefused(
                ErrorCode.UNKNOWN_MATCH, f'There is no match "{shown(core.match_id, 128)}".', core
            ) from None
        raise unauthorized(core)


def refused(refusal: MessageRefused) -> AnswerMessage:
    return AnswerMessage(boardgame_replies.error(refusal), refusal.status)


def unauthorized(core: Core, status: int = 403) -> MessageRefused:
    """Return the refusal of a token that is not the agent's, or of none (status 401)."""
    return MessageRefused(ErrorCode.UNAUTHORIZED, "Unauthorized action", core, status=status)


def failed(error: LobbyAway | StoreFailed | None, core: Core) -> AnswerMessage:
    """Return the reply after a failure that the agent did not cause; None is an unforeseen one."""
    if isinstance(error, LobbyAway):
        code, text = ErrorCode.LOBBY_UNAVAILABLE, f"{boardgame_replies.LOBBY_AWAY}; try again."
    elif error is not None:
        code, text = ErrorCode.INTERNAL_ERROR, "It could not be stored, so nothing was done."
    else:
        code, text = ErrorCode.INTERNAL_ERROR, "The gateway failed; try again."
    return refused(MessageRefused(code, text, core))


async def _perform(seat: LiveSeat, request: PerformAction) -> Json:
    if seat.question is None:
        refusal = _no_question(seat, request)
        if refusal is not None:
            return boardgame_replies.not_performed(seat, refusal)
    try:
        answer = await seat.act(
            request.action,
            turn=request.turn,
            message=request.message,
            defaulted=request.defaulted,
        )
    except ActionRefused as refusal:
        return boardgame_replies.not_performed(seat, refusal)
    return boardgame_replies.performed(seat, answer)


def _no_question(seat: LiveSeat, request: PerformAction) -> ActionRefused | None:
    """Return why a match takes no action at all, None if the seat itself says why."""
    match boardgame_replies.status_of(seat):
        case "waiting":
            return ActionRefused(
                RefusedAction.MATCH_NOT_STARTED, "The match has not started; wait for its start."
            )
        case "ended" | "abandoned":
            return ActionRefused(RefusedAction.MATCH_ENDED, "The match is over.")
        case _ if request.turn is not None and request.turn < seat.turn:
            return ActionRefused(
                RefusedAction.STALE_TURN,
                f"Turn {request.turn} is over; the match is at turn {seat.turn}.",
            )
        case _:
            return None


def _check_version(name: str, version: str | None, served: str, core: Core) -> None:
    """Raise MessageRefused if an agent expects another major version of the specification.

    A game without a released one (0.y.z, as of every made specification) is also played with the
    `1.0.0` that the protocol's document writes everywhere.
    """
    major = served.partition(".")[0]
    majors = (major, MAJOR) if major == "0" else (major,)
    if version is None or any(boardgame_messages.is_served(version, one) for one in majors):
        return
    accepted = " and ".join(f"{one}.y.z" for one in majors)
    raise MessageRefused(
        ErrorCode.UNSUPPORTED_VERSION,
        f"{name} {shown(version, 64)} is not served; {core.game} has version {served}, and"
        f" {accepted} are accepted, or none.",
        core,
        {"state_version": served},
    )
