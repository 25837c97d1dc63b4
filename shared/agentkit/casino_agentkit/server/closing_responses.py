"""Complete HTTP responses that are sent before a connection is closed."""

from http import HTTPStatus

import orjson

from casino_agentkit.server.connections import Cut


def closing_response(status: HTTPStatus, detail: str) -> bytes:
    """Return a complete HTTP response that closes its connection."""
    problem = orjson.dumps(
        {"type": "about:blank", "title": status.phrase, "status": status, "detail": detail}
    )
    later = b"retry-after: 5\r\n" if status is HTTPStatus.SERVICE_UNAVAILABLE else b""
    return (
        b"HTTP/1.1 %d %s\r\ncontent-type: application/problem+json\r\ncontent-length: %d\r\n"
        b"connection: close\r\n%s\r\n%s"
    ) % (status, status.phrase.encode(), len(problem), later, problem)


TOO_MANY_CONNECTIONS = closing_response(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "Too many connections are open, in total or from your address; close some, or retry later.",
)
BAD_UPGRADE = closing_response(
    HTTPStatus.BAD_REQUEST,
    "The request for a WebSocket cannot be read: send GET with Sec-WebSocket-Key and"
    " Sec-WebSocket-Version: 13 (RFC 6455, section 4.1).",
)
RESPONSES: dict[Cut, bytes] = {
    "slow_head": closing_response(
        HTTPStatus.REQUEST_TIMEOUT, "The request's headers took too long."
    ),
    "large_head": closing_response(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request's URL and headers are too large."
    ),
    "slow_body": closing_response(HTTPStatus.REQUEST_TIMEOUT, "The request's body took too long."),
    "large_body": closing_response(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request's body takes too many bytes to send."
    ),
}
