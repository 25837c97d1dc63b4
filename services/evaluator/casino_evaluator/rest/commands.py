"""`/api/cmd`: RESET, ACTION1 to ACTION7, and the same moment as JSON."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from casino_evaluator.domain.command import CLICK, RESET, Command
from casino_evaluator.errors import Code, RequestRefused
from casino_evaluator.rest import fields
from casino_evaluator.rest.request import OfKey, body_of, reply
from casino_evaluator.service.frame_reply import FrameReply
from casino_evaluator.service.sessions import Sessions

Json = dict[str, Any]


class CommandHandlers:
    """Handles commands of sessions."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    async def reset(self, request: Request, key: str) -> Response:
        """Begin a session, or reset its level or the whole game."""
        body = await body_of(request)
        game_id, guid = fields.game_id(body), fields.text(body, "guid")
        card_id = fields.text(body, "card_id") or None
        command = Command(RESET, reasoning=fields.free_json(body, "reasoning"))
        if guid:
            answer = await self._sessions.reset(key, game_id, guid, card_id, command)
        elif card_id is None:
            raise RequestRefused(
                Code.SERVER_ERROR,
                f"game {game_id} not found: card_id is missing, POST /api/scorecard/open returns"
                " one",
            )
        else:
            answer = await self._sessions.begin(key, game_id, card_id, command)
        return reply(frame_response(answer))

    def action(self, number: int) -> OfKey:
        """Return the handler of an action."""

        async def act(request: Request, key: str) -> Response:
            body = await body_of(request)
            game_id, guid = fields.game_id(body), fields.text(body, "guid")
            x = y = None
            if number == CLICK:
                x, y = fields.coordinate(body, "x"), fields.coordinate(body, "y")
            command = Command(number, x, y, fields.free_json(body, "reasoning"))
            if not guid:
                raise RequestRefused(
                    Code.SERVER_ERROR,
                    f"game {game_id} not found: guid is missing, RESET returns it",
                )
            return reply(frame_response(await self._sessions.act(key, game_id, guid, command)))

        return act

    async def observation(self, request: Request, key: str) -> Response:
        """Return the newest moment as JSON; it changes nothing."""
        return reply(await self._sessions.observe(key, request.path_params["guid"]))


def frame_response(answer: FrameReply) -> Json:
    """Return an answer with the names of both generations of clients."""
    return {
        "game_id": answer.game_id,
        "guid": answer.guid,
        "frame": answer.frames,
        "state": answer.state,
        "score": answer.score,
        "win_score": answer.win_score,
        "levels_completed": answer.score,
        "win_levels": answer.win_score,
        "action_input": answer.command.as_input(answer.game_id),
        "available_actions": answer.available_actions,
        "full_reset": answer.full_reset,
    }
