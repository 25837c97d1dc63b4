"""One outcome on every path: the fast front, the direct handler and the stock SDK agree.

Each shape is a request that a fast path is tempted to treat differently from the SDK.
"""

from typing import Any

import httpx
import pytest
from casino_agentkit.protocol import EXTENSION, INPUT_LIMIT, REST_PATH, RPC_PATH
from casino_agentkit.server.call_execution import recognise
from support.players.sample_agent import SampleAgent
from support.request_shapes import SHAPES, VERSION, changed, direct, front, part, post, stock

INLINE = {
    "plain",
    "id: integer",
    "id: quotes and umlauts",
    "empty configuration",
    "contextId",
    "part: no mediaType",
    "data: null",
    "data: a list",
    "integer as 6.0",
    "integer as 6.5",
    "integer as a string",
    "largest exact integer",
    "2**53 + 1",
    "2**64",
    "unknown key in the input",
    "missing key in the input",
    "refused by the entrypoint",
    "refused with violations",
    "the entrypoint fails",
}
UNREADABLE = {
    "not JSON",
    "empty body",
    "params: a list",
    "contextId: a number",
    "extensions: a string",
    "part: data and text",
}
"""Of these only the id and the code are the SDK's; the words are ours."""
VERSIONS = [
    *((), ("0.3",), ("1.0",), ("1.0.3",), ("1.1",), ("1",), ("10.0",), ("x",)),
    *(("1.0", "0.3"), ("0.3", "1.0"), ("", "1.0"), ("1.0", "1.0")),
]


def outcome(reply: httpx.Response) -> object:
    """Return what must agree: the id, the error, or the answer and a context id that was given."""
    if reply.status_code != 200:
        return f"HTTP {reply.status_code}"
    answer = reply.json()
    if "error" in answer:
        return answer["id"], answer["error"]["code"], answer["error"]["message"]
    said = answer["result"]["message"]
    assert said["messageId"]
    assert said["role"] == "ROLE_AGENT"
    assert said["extensions"] == [EXTENSION]
    context = said["contextId"] if said["contextId"].startswith("ctx-") else "new"
    return answer["id"], said["parts"], context


@pytest.mark.parametrize("shape", SHAPES)
async def test_every_path_has_the_same_outcome(shape: str) -> None:
    """The fast front never answers what the SDK would answer differently."""
    outcomes = [
        outcome(await post(app, SHAPES[shape], VERSION)) for app in (front(), direct(), stock())
    ]
    assert outcomes[0] == outcomes[1]
    if shape in UNREADABLE:  # the SDK says so in Python's words
        assert isinstance(outcomes[0], tuple)
        assert isinstance(outcomes[2], tuple)
        assert outcomes[0][:2] == outcomes[2][:2]
    else:
        assert outcomes[0] == outcomes[2]


@pytest.mark.parametrize("versions", VERSIONS, ids=str)
async def test_every_path_treats_versions_alike(versions: tuple[str, ...]) -> None:
    headers = httpx.Headers([("A2A-Version", version) for version in versions])
    outcomes = [
        outcome(await post(app, SHAPES["plain"], headers)) for app in (front(), direct(), stock())
    ]
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("shape", SHAPES)
def test_only_whitelisted_shapes_are_answered_inline(shape: str) -> None:
    assert (recognise(SHAPES[shape], SampleAgent().agent) is not None) == (shape in INLINE)


@pytest.mark.parametrize("text", [b"\xff", b"\xed\xa0\x80"])
async def test_invalid_utf_8_is_refused_in_a_member_that_a_later_one_replaces(text: bytes) -> None:
    """A parser that skips the first one does not see it."""
    first = changed(lambda r: part(r)["data"].update(dish="?")).replace(b"?", text)
    body = b"{%b,%b" % (first[1:-1], SHAPES["plain"][1:])
    assert recognise(body, SampleAgent().agent) is None
    for app in (front(), direct()):
        error = (await post(app, body, VERSION)).json()["error"]
        assert (error["code"], "UTF-8" in error["message"]) == (-32700, True)


LARGE_AT = {
    RPC_PATH: ("application/json", "error", "message"),
    REST_PATH + "/message:send": ("application/json", "error", "message"),
    "/entrypoints/order/invoke": ("application/json", "error", "message"),
    "/v1/anything": ("application/problem+json", "detail"),
}
"""Media type of the refusal at each interface, and where the text is in it."""


class TestGuards:
    """Checks that the fast front makes before the SDK sees a request."""

    async def test_the_activated_extension_is_echoed_on_every_path(self) -> None:
        """The header may list other extensions."""
        headers = {**VERSION, "A2A-Extensions": f"https://other/x, {EXTENSION}"}
        for shape in ("plain", "unknown task", "integer as 6.5"):
            reply = await post(front(), SHAPES[shape], headers)
            assert reply.headers["a2a-extensions"] == EXTENSION

    async def test_the_extension_is_not_echoed_unasked(self) -> None:
        """Only extensions that the client activated are named."""
        assert "a2a-extensions" not in (await post(front(), SHAPES["plain"], VERSION)).headers

    @pytest.mark.parametrize("path", LARGE_AT)
    async def test_a_body_over_64_kib_is_refused_as_its_interface_does(self, path: str) -> None:
        body = changed(lambda r: part(r)["data"].update(dish="x" * INPUT_LIMIT))
        reply = await post(front(), body, VERSION, path)
        assert reply.status_code == 413
        media_type, *place = LARGE_AT[path]
        assert reply.headers["content-type"] == media_type
        said = reply.json()
        for name in place:
            said = said[name]
        assert said == f"The body may have at most {INPUT_LIMIT} bytes here."

    async def test_a_client_that_goes_away_is_not_answered(self) -> None:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        for received in (
            [{"type": "http.disconnect"}],
            [
                {"type": "http.request", "body": b"{", "more_body": True},
                {"type": "http.disconnect"},
            ],
        ):
            messages = iter(received)

            async def receive(messages: Any = messages) -> Any:
                return next(messages)

            scope = {"type": "http", "method": "POST", "path": RPC_PATH, "headers": []}
            await front()(scope, receive, send)
        assert sent == []
