"""What a server reads as a typed call, and what it passes to an executor."""

import json
from typing import Any

import httpx
import pytest
from casino_agentkit import Service
from casino_agentkit.protocol import EXTENSION, REST_PATH
from support.http_json import SOUP, VERSION, message, output, send, violations
from support.players.grpc_side import kitchen
from support.players.sample_agent import SampleAgent
from support.request_shapes import post


@pytest.mark.parametrize(
    "said",
    [
        message(metadata={EXTENSION: {"skill": "order"}}),
        message(metadata={"skillId": "order"}),
        message(metadata={"skill": "order"}),
        message(metadata={EXTENSION: {"skill": "order"}, "skillId": "order", "skill": "order"}),
        message(parts=[{"data": {"skill": "order", "input": SOUP}}]),
        message(metadata={"skillId": "order"}, parts=[{"text": '{"dish": "soup", "plates": 2}'}]),
        message(parts=[{"text": '{"skill": "order", "input": {"dish": "soup", "plates": 2}}'}]),
        message(metadata={"skill": "order"}, parts=[{"text": "please"}, {"data": SOUP}]),
    ],
)
async def test_the_skill_and_the_input_may_stand_in_many_places(said: dict[str, Any]) -> None:
    assert output(await send(SampleAgent().app(), said)) == {
        "dish": "soup",
        "total": 2,
        "number": 1,
    }


@pytest.mark.parametrize(
    ("said", "field"),
    [
        (message(metadata={"skillId": "order", "skill": "ask"}), "metadata.skill"),
        (
            message(
                metadata={"skillId": "ask"}, parts=[{"data": {"skill": "order", "input": SOUP}}]
            ),
            "parts.data.skill",
        ),
        (message(metadata={"skill": "dance"}), "metadata.skill"),
        (message(metadata={EXTENSION: "order"}), f"metadata.{EXTENSION}"),
        (message(metadata={"skill": "order"}, parts=[{"text": "soup"}]), "parts"),
        (message(metadata={"skill": "order"}, parts=[{"url": "http://x/y"}]), "parts"),
        (message(metadata={"skill": "order"}, parts=[{"data": {}}, {"data": {}}]), "parts"),
    ],
)
async def test_what_cannot_be_a_call_is_refused_by_field(said: dict[str, Any], field: str) -> None:
    """The violation names the field and what it must be."""
    assert field in violations(await send(SampleAgent().app(), said))


async def test_agents_and_tenants_do_not_share_addresses() -> None:
    """The SDK's tenant routes would match every path of two parts."""
    agents = {f"/samples/{number}": SampleAgent().agent for number in (1, 2)}
    app = Service(agents).asgi()
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://samples"
    ) as http:
        for base_path in agents:
            assert (await http.get(f"{base_path}/.well-known/agent-card.json")).status_code == 200
            for tenant in ("", "/north"):
                url = f"{base_path}{REST_PATH}{tenant}/message:send"
                said = message(metadata={"skillId": "order"})
                reply = await http.post(url, json={"message": said}, headers=VERSION)
                assert output(reply.json())["dish"] == "soup"
        assert (await http.get("/anything/else")).status_code == 404


async def test_a_message_without_skill_is_refused_with_the_extension() -> None:
    answer = await send(SampleAgent().app(), message())
    assert EXTENSION in answer["error"]["message"]
    assert "order, ask" in answer["error"]["message"]


async def test_a_wrong_typed_call_is_refused_before_the_stream() -> None:
    """The refusal is one error, in the words of the other method."""
    said = message(metadata={"skillId": "order"}, parts=[{"data": {}}])
    call = {"jsonrpc": "2.0", "id": 1, "params": {"message": said}}
    answers = [
        (await post(Service({"": kitchen()}).asgi(), json.dumps(call).encode(), VERSION)).json()
        for call["method"] in ("SendMessage", "SendStreamingMessage")
    ]
    assert answers[0]["error"]["code"] == -32602
    assert answers[0] == answers[1]


class TestInference:
    async def test_the_required_keys_decide(self) -> None:
        app = SampleAgent(infers_skill=True).app()
        assert output(await send(app, message()))["dish"] == "soup"
        asked = message(parts=[{"text": '{"topic": "salt"}'}])
        assert output(await send(app, asked)) == {"text": "about salt"}

    @pytest.mark.parametrize("data", [{}, {"dish": "soup"}, {**SOUP, "topic": "x"}, [], "x", 7])
    async def test_no_or_two_fitting_entrypoints_are_no_call(self, data: object) -> None:
        answer = await send(SampleAgent(infers_skill=True).app(), message(parts=[{"data": data}]))
        assert EXTENSION in answer["error"]["message"]
