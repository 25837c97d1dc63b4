"""Conditional GET: entity tags, `If-None-Match` and 304 (RFC 9110, section 13.1.2)."""

import hashlib
import re
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

_ENTITY_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')
"""RFC 9110, section 8.8.3; `If-None-Match` compares weakly, so `W/` is dropped."""


def entity_tag(content: bytes) -> str:
    """Return the entity tag of a content, with its quotes."""
    return f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'


def conditional_response(
    request: Request,
    content: bytes | str,
    etag: str,
    *,
    media_type: str,
    headers: Mapping[str, str],
) -> Response:
    """Return the content with its `ETag`, or 304 if the client has this version of it."""
    headers = {**headers, "ETag": etag}
    if _is_cached(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)


def _is_cached(request: Request, etag: str) -> bool:
    cached = ",".join(request.headers.getlist("if-none-match"))
    return cached.strip() == "*" or etag in _ENTITY_TAG.findall(cached)
