"""What handlers share: the API key, the body and its fields, and errors as JSON."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import orjson
import structlog
from casino_agentkit.accepted_json import DEEPEST, is_deeper, shown
from casino_agentkit.bounded_state import RateLimit
from starlette.requests import Request
from starlette.responses import Response

from casino_evaluator.errors import ErrorName, EvaluatorError, RequestRefused, StoreFailed
from casino_evaluator.service.api_keys import Keys

logger = structlog.get_logger(__name__)

Json = dict[str, Any]
Handler = Callable[[Request], Awaitable[Response]]
OfKey = Callable[[Request, str], Awaitable[Response]]
"""A handler that gets the id of the API key, too."""

_HEADERS: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_TOO_MANY: Final = 429
JSON_LIMIT: Final = 16_384
"""Maximum size of free JSON of a client, in bytes without spaces."""
_EDGE: Final = 64


class Access:
    """Admits requests by their API key, each a number of times a minute."""

    def __init__(self, keys: Keys, requests_per_minute: int, now: Callable[[], float]) -> None:
        self._keys = keys
        self._limit = (
            RateLimit(requests_per_minute / 60, requests_per_minute, now)
            if requests_per_minute
            else None
        )

    def of_key(self, handler: OfKey) -> Handler:
        async def handle(request: Request) -> Response:
            key = self._keys.who(request.headers.get("x-api-key"))
            if key is None:
                raise RequestRefused(
                    ErrorName.VALIDATION_ERROR,
                    "header X-API-Key: is missing or not known; GET /api/games/anonkey returns a"
                    " key where the operator lets it",
                    401,
                )
            if self._limit is not None and not self._limit.take(key):
                raise RequestRefused(
                    ErrorName.RATE_LIMIT_EXCEEDED, "rate limit has been exceeded", _TOO_MANY
                )
            return await handler(request, key)

        return public(handle)


def public(handler: Handler) -> Handler:
    """Return a handler whose refusals are JSON: `{"error", "message"}`."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRefused as error:
            logger.info(
                "request_refused", path=request.url.path, code=error.code, message=error.message
            )
            return _refusal(error)
        except StoreFailed as error:
            logger.warning("store_failed", path=request.url.path, reason=str(error))
            message = "the evaluator cannot store anything now; send the command again later"
            return _refusal(RequestRefused(ErrorName.SERVER_ERROR, message, 503))
        except EvaluatorError as error:
            logger.warning("request_failed", path=request.url.path, reason=str(error))
            message = "this failed and changed nothing; send the command again"
            return _refusal(RequestRefused(ErrorName.SERVER_ERROR, message, 503))

    return handle


def reply(content: Json | Sequence[Json], status: int = 200) -> Response:
    """Return a reply that no cache may store."""
    return Response(orjson.dumps(content), status, _HEADERS, media_type="application/json")


async def body_of(request: Request) -> Json:
    """Return the JSON object of a body. Raises RequestRefused."""
    return _object(await request.body())


def invalid(message: str) -> RequestRefused:
    return RequestRefused(ErrorName.VALIDATION_ERROR, message)


def body_refusal(path: str, reason: str) -> Json | None:
    """Return the refusal of a large body; None if the path is not of this API."""
    is_own = path.startswith("/api/")
    return (
        {"error": ErrorName.VALIDATION_ERROR, "message": f"the body: {reason}"} if is_own else None
    )


def _object(content: bytes) -> Json:
    try:
        fields = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise invalid(f"the body: must be JSON ({shown(str(error), 100)})") from error
    if not isinstance(fields, dict):
        raise invalid("the body: must be a JSON object")
    if is_deeper(fields, DEEPEST):
        raise invalid(f"the body: must be nested at most {DEEPEST} levels deep")
    repeated = _repeated(content)
    if repeated is not None:
        raise invalid(f"{shown(repeated, 64)}: is there twice; send it once")
    return fields


def _repeated(content: bytes) -> str | None:
    """Return a field that an object has twice; what it contains may."""
    outermost: list[tuple[str, Any]] = []

    def keep(pairs: list[tuple[str, Any]]) -> None:
        outermost[:] = pairs  # the outermost object ends last

    json.loads(content, object_pairs_hook=keep, parse_int=str, parse_float=str)
    names = Counter(name for name, _ in outermost)
    return next((name for name, times in names.items() if times > 1), None)


def _refusal(refused: RequestRefused) -> Response:
    headers = {"Retry-After": "1"} if refused.status in {_TOO_MANY, 503} else {}
    return Response(
        orjson.dumps({"error": refused.code, "message": refused.message}),
        refused.status,
        {**_HEADERS, **headers},
        media_type="application/json",
    )


def text(fields: Json, name: str, limit: int = 128) -> str | None:
    value = fields.get(name)
    if value is not None and not (isinstance(value, str) and len(value) <= limit):
        raise invalid(f"{name}: must be a text of at most {limit} characters")
    return value


def game_id(fields: Json) -> str:
    value = text(fields, "game_id")
    if not value:
        raise RequestRefused(ErrorName.VALIDATION_ERROR, "missing `game_id` in action data")
    return value


def free_json(fields: Json, name: str) -> Any:
    value = fields.get(name)
    if value is not None and len(orjson.dumps(value)) > JSON_LIMIT:
        raise invalid(f"{name}: must have at most {JSON_LIMIT} bytes as JSON")
    return value


def coordinate(fields: Json, name: str) -> int:
    value = fields.get(name)
    if type(value) is not int or not 0 <= value < _EDGE:
        raise invalid(f"{name}: must be a whole number from 0 to {_EDGE - 1}")
    return value


def number(text: str | None, name: str, default: int, least: int, most: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 16 and least <= int(text) <= most):  # noqa: PLR2004
        raise invalid(f"{name}: must be a whole number from {least} to {most}")
    return int(text)
