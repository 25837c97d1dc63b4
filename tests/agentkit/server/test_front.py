"""The fast front: slashes, extension header, body limits, disconnects and refusals."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino_agentkit.protocol import EXTENSION, REST_PATH, RPC_PATH
from support.request_shapes import SHAPES, VERSION, changed, direct, front, part, post


class TestGuards:
    """Checks that the fast front makes before the SDK sees a request."""

    async def test_the_path_is_answered_with_and_without_slash(self) -> None:
        for app in (front(), direct()):
            reply = await post(app, SHAPES["plain"], VERSION, RPC_PATH + "/")
            assert "result" in reply.json()

    async def test_the_activated_extension_is_echoed_on_every_path(self) -> None:
        """The header may list other extensions."""
        headers = {**VERSION, "A2A-Extensions": f"https://other/x, {EXTENSION}"}
        for shape in ("plain", "unknown task", "integer as 6.5"):
            reply = await post(front(), SHAPES[shape], headers)
            assert reply.headers["a2a-extensions"] == EXTENSION

    async def test_the_extension_is_not_echoed_unasked(self) -> None:
        """Only extensions that the client activated are named."""
        assert "a2a-extensions" not in (await post(front(), SHAPES["plain"], VERSION)).headers

    @pytest.mark.parametrize("path", [RPC_PATH, REST_PATH + "/message:send", "/v1/anything"])
    async def test_a_body_over_one_mebibyte_is_refused(self, path: str) -> None:
        body = changed(lambda r: part(r)["data"].update(dish="x" * 2**20))
        reply = await post(front(), body, VERSION, path)
        assert reply.status_code == 413
        assert reply.headers["content-type"] == "application/problem+json"

    async def test_a_body_just_below_the_limit_is_taken(self) -> None:
        empty = changed(lambda r: part(r)["data"].update(dish=""))
        fill = 2**20 - len(empty)
        body = changed(lambda r: part(r)["data"].update(dish="x" * fill))
        assert len(body) == 2**20
        assert "result" in (await post(front(), body, VERSION)).json()

    async def test_a_body_in_chunks_is_read_and_bounded(self) -> None:
        async def chunks(fill: int) -> AsyncIterator[bytes]:
            body = changed(lambda r: part(r)["data"].update(dish="x" * fill))
            for start in range(0, len(body), 65_536):
                yield body[start : start + 65_536]

        transport = httpx.ASGITransport(front())
        async with httpx.AsyncClient(transport=transport, base_url="http://sample") as http:
            small = await http.post(RPC_PATH, content=chunks(100_000), headers=VERSION)
            assert "result" in small.json()
            large = await http.post(RPC_PATH, content=chunks(3 * 2**20), headers=VERSION)
            assert large.status_code == 413

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

    async def test_a_fault_of_the_entrypoint_shows_no_internals(self) -> None:
        """The exception's text is only logged."""
        for app in (front(), direct()):
            reply = await post(app, SHAPES["the entrypoint fails"], VERSION)
            assert reply.json()["error"]["code"] == -32603
            assert "recipe" not in reply.text

    async def test_a_refusal_carries_its_reason(self) -> None:
        """Code -32004 has a reason for programs and a sentence for people."""
        error = (await post(front(), SHAPES["refused by the entrypoint"], VERSION)).json()["error"]
        assert error["code"] == -32004
        assert error["message"] == "There is no fish today; order soup."
        assert error["data"][0]["metadata"]["reason"] == "NO_FISH"

    async def test_each_fault_of_an_input_is_an_entry(self) -> None:
        body = changed(lambda r: part(r).update(data={"dish": "", "plates": 0, "extras": [1]}))
        error = (await post(front(), body, VERSION)).json()["error"]
        assert error["code"] == -32602
        violations = error["data"][1]["fieldViolations"]
        assert [violation["field"] for violation in violations] == ["dish", "plates", "extras.0"]
        assert all(violation["description"] for violation in violations)
