"""What REST handlers share: the bearer's login, the body, and errors as JSON."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from casino_agentkit.network import network_of
from casino_lobby_client.errors import CallFailed
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from casino_gateway.a2g.auth.authentication import Authentication
from casino_gateway.a2g.codes import A2gRefused, Code, refusal_of
from casino_gateway.a2g.incoming import invalid, read_object
from casino_gateway.domain.login import Login

logger = structlog.get_logger(__name__)

Handler = Callable[[Request], Awaitable[Response]]
OfLogin = Callable[[Request, Login], Awaitable[Response]]

_PRIVATE = {"Cache-Control": "no-store"}


def public(handler: Handler) -> Handler:
    """Return a handler whose refusals are JSON: `{"code", "message"}`."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except CallFailed as error:
            refused = refusal_of(error)
            if not isinstance(error, A2gRefused):
                logger.info("a2g_request_refused", path=request.url.path, reason=str(error))
            return refusal(refused)

    return handle


def of_login(authentication: Authentication, handler: OfLogin) -> Handler:
    """Return a handler that needs a login's token as Bearer."""

    async def handle(request: Request) -> Response:
        return await handler(request, await authentication.by_token(_bearer(request)))

    return public(handle)


def reply(content: Mapping[str, Any], status: int = 200) -> JSONResponse:
    """Return a reply that no cache may store."""
    return JSONResponse(content, status, _PRIVATE)


def refusal(refused: A2gRefused) -> JSONResponse:
    """Return an error as A2G writes it."""
    headers = dict(_PRIVATE)
    if refused.status == 401:  # noqa: PLR2004  RFC 9110
        headers["WWW-Authenticate"] = "Bearer"
    if refused.code is Code.RATE_LIMITED:
        headers["Retry-After"] = "60"
    return JSONResponse({"code": refused.code, "message": refused.message}, refused.status, headers)


async def body_of(request: Request) -> Mapping[str, Any]:
    """Return the body's JSON object, {} if there is no body. Raises A2gRefused."""
    content = await request.body()
    return read_object(content, "the body") if content else {}


def text(fields: Mapping[str, Any], name: str, limit: int = 128) -> str | None:
    """Return a text of a body, None if it is absent. Raises A2gRefused."""
    value = fields.get(name)
    if value is not None and not (isinstance(value, str) and len(value) <= limit):
        raise invalid(f"{name}: must be a text of at most {limit} characters")
    return value


def address_of(request: Request) -> str:
    """Return the address of the client."""
    return request.client.host if request.client else ""


def network(request: Request) -> str:
    """Return the network of the client's address, by which limits are counted."""
    return network_of(address_of(request))


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise A2gRefused(
            Code.AUTH_REQUIRED,
            "send Authorization: Bearer TOKEN; POST /api/auth/guest returns a token",
        )
    return token.strip()
