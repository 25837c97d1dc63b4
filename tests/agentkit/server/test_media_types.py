"""Media types that a server takes: JSON for typed calls, the input modes for an executor."""

import json
from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent, Service
from casino_agentkit.protocol import REST_PATH
from support.http_json import SOUP, VERSION, message, output, send
from support.players.sample_agent import SampleAgent, Waiter
from support.request_shapes import post


class TestMediaTypes:
    """A media type other than JSON is refused with -32005 or status 415."""

    @pytest.mark.parametrize(
        "part",
        [
            {"data": SOUP, "mediaType": "application/xml"},
            {"data": SOUP, "mediaType": "text/plain"},
            {"text": "<order/>", "mediaType": "text/xml"},
            {"raw": "AAAA", "mediaType": "image/png"},
            {"url": "http://x/y", "mediaType": "image/png"},
        ],
    )
    @pytest.mark.parametrize("metadata", [{"skillId": "order"}, {}])
    async def test_a_part_of_another_type_is_refused(
        self, part: dict[str, Any], metadata: dict[str, Any]
    ) -> None:
        app = SampleAgent().app()
        said = message(metadata=metadata, parts=[part])
        refused = (await send(app, said))["error"]
        assert (refused["code"], refused["details"][0]["reason"]) == (
            415,
            "CONTENT_TYPE_NOT_SUPPORTED",
        )
        body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": said}}
        reply = await post(app, json.dumps(body).encode(), VERSION)
        error = reply.json()["error"]
        assert error["code"] == -32005
        assert error["message"] == refused["message"]
        assert part["mediaType"] in error["message"]
        assert error["message"].endswith("send application/json")

    @pytest.mark.parametrize("stated", ["application/json; charset=utf-8", "Application/JSON"])
    async def test_other_spellings_of_json_are_json(self, stated: str) -> None:
        said = message(metadata={"skill": "order"}, parts=[{"data": SOUP, "mediaType": stated}])
        assert output(await send(SampleAgent().app(), said))["dish"] == "soup"

    async def test_a_body_of_another_type_is_refused(self) -> None:
        """Where it cannot be read; JSON with another type, as of curl, is taken."""
        app = SampleAgent().app()
        headers = {**VERSION, "Content-Type": "text/plain"}
        said = {"message": message(metadata={"skill": "order"})}
        rest = REST_PATH + "/message:send"
        refused = await post(app, b"soup, please", headers, rest)
        assert (refused.status_code, refused.json()["error"]["code"]) == (415, 415)
        assert refused.json()["error"]["message"].endswith("send application/json")
        assert (await post(app, b"soup", headers)).json()["error"]["code"] == -32005
        assert (await post(app, b"soup", VERSION)).json()["error"]["code"] == -32700
        assert output((await post(app, json.dumps(said).encode(), headers, rest)).json())

    @pytest.mark.parametrize(
        ("modes", "part", "accepted"),
        [
            ((), {"text": "hello", "mediaType": "text/plain"}, True),
            ((), {"raw": "AAAA", "mediaType": "image/png"}, False),
            (("image/png",), {"raw": "AAAA", "mediaType": "image/png; q=1"}, True),
            (("image/*",), {"raw": "AAAA", "mediaType": "image/png"}, True),
            (("*/*",), {"raw": "AAAA", "mediaType": "image/png"}, True),
            (("image/png",), {"text": "hello", "mediaType": "text/plain"}, False),
            (("image/png",), {"text": "hello"}, True),
        ],
    )
    async def test_the_executor_gets_its_input_modes_only(
        self, modes: tuple[str, ...], part: dict[str, Any], *, accepted: bool
    ) -> None:
        """Another media type is refused with those that the card declares."""
        agent = Agent("Both", "Cooks and serves.", executor=Waiter(), input_modes=modes)
        agent.entrypoint("order", who=ANYONE)(SampleAgent().order)
        answer = await send(Service({"": agent}).asgi(), message(parts=[part]))
        if accepted:
            assert answer["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
        else:
            assert answer["error"]["code"] == 415
            named = modes or ("application/json", "text/plain")
            assert answer["error"]["message"].endswith("send " + " or ".join(named))
