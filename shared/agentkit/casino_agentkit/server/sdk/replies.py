"""Replies of the SDK's routes, amended: whole numbers as integers, and status 415.

The SDK writes the doubles of protobuf's `Value`: 200 as `200.0`, which typed readers refuse. And
it answers a wrong media type with status 400; A2A 1.0, section 5.4, requires 415.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, Final, cast

import orjson
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse
from starlette.responses import Response

from casino_agentkit.json_numbers import whole_numbers

_WRONG_TYPE: Final = b"CONTENT_TYPE_NOT_SUPPORTED"


def amended(response: Response) -> Response:
    """Return a reply of the SDK, amended in place."""
    if isinstance(response, EventSourceResponse):
        response.body_iterator = _events(cast(AsyncGenerator[Any, None], response.body_iterator))
        return response
    body = bytes(response.body)
    if response.status_code == HTTPStatus.BAD_REQUEST and _WRONG_TYPE in body:
        body = _with_status(response, orjson.loads(body), body)
    _set_body(response, _restored(body))
    return response


def _with_status(response: Response, content: Any, body: bytes) -> bytes:
    """Set status 415 if it is the error of a wrong media type, and return the body."""
    reasons = [detail.get("reason") for detail in content["error"]["details"]]
    if _WRONG_TYPE.decode() not in reasons:
        return body
    response.status_code = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    content["error"]["code"] = response.status_code
    return orjson.dumps(content)


def _set_body(response: Response, body: bytes) -> None:
    if body != response.body:
        response.body = body
        response.headers["content-length"] = str(len(body))


def _restored(text: bytes) -> bytes:
    """Return a JSON text with its whole numbers as integers; `.0` in a string changes nothing."""
    if b".0" not in text:
        return text
    return orjson.dumps(whole_numbers(orjson.loads(text)))


async def _events(events: AsyncGenerator[Any, None]) -> AsyncIterator[Any]:
    """Yield server-sent events of the SDK's three kinds, their data amended."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, ServerSentEvent):
                event.data = _text(event.data)
                yield event
            elif isinstance(event, dict):
                yield event | {"data": _text(event["data"])}
            else:
                yield _text(event)


def _text(data: Any) -> str:
    return _restored(str(data).encode()).decode()
