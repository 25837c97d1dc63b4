"""Conditional GET by `If-None-Match`."""

import pytest
from casino_agentkit.server.page_files import conditional_response, entity_tag
from starlette.requests import Request
from starlette.responses import Response

CONTENT = b"the content"
TAG = entity_tag(CONTENT)


def respond(*cached: bytes, etag: str = TAG) -> Response:
    """Respond to a request with these `If-None-Match` headers."""
    headers = [(b"if-none-match", value) for value in cached]
    request = Request({"type": "http", "method": "GET", "headers": headers})
    return conditional_response(
        request, CONTENT, etag, media_type="text/plain", headers={"Cache-Control": "no-cache"}
    )


def test_a_tag_is_quoted_and_names_its_content() -> None:
    assert entity_tag(bytes(CONTENT)) == TAG
    assert entity_tag(CONTENT + b"!") != TAG
    assert TAG[0] == TAG[-1] == '"'
    assert TAG[1:-1].isalnum()


@pytest.mark.parametrize(
    "cached",
    [
        [TAG],
        [f"W/{TAG}"],
        [f'"other",{TAG}'],
        [f'W/"other" , W/{TAG}, "third"'],
        [f'"a,b", {TAG}'],
        ['"other"', TAG],
        ["*"],
        [" * "],
    ],
    ids=str,
)
def test_a_cached_version_is_not_sent_again(cached: list[str]) -> None:
    """304 has the headers of the response, with the tag, and no content."""
    response = respond(*(value.encode("latin-1") for value in cached))
    assert (response.status_code, response.body) == (304, b"")
    assert response.headers["etag"] == TAG
    assert response.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "cached",
    [
        [],
        [""],
        ['"other"'],
        [TAG.strip('"')],
        [f'"x{TAG[1:]}'],
        [f'{TAG[:-1]}x"'],
        [f'"other, {TAG[1:]}'],
        [f'"{TAG[1:-1]},{TAG[1:]}'],
        ['"*"'],
        ["*, *"],
        ['"' * 3_000],
    ],
    ids=lambda cached: str(cached)[:40],
)
def test_any_other_version_is_sent(cached: list[str]) -> None:
    """A tag must be equal as a whole: a part of another tag, or without quotes, is another."""
    response = respond(*(value.encode("latin-1") for value in cached))
    assert (response.status_code, response.body) == (200, CONTENT)
    assert response.headers["etag"] == TAG
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["content-type"] == "text/plain; charset=utf-8"


def test_a_tag_may_contain_a_comma() -> None:
    assert respond(b'"a,b"', etag='"a,b"').status_code == 304
    assert respond(b'"a,b"', etag='"a').status_code == 200
