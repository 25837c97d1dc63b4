"""Liberal reading: what a server takes as a typed call, and what it hands to an executor."""

from typing import Any

import httpx
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest
from casino_agentkit import ANYONE, Agent, Service
from casino_agentkit.protocol import EXTENSION, REST_PATH, RPC_PATH
from starlette.types import ASGIApp
from support.players.sample_agent import Order, SampleAgent, Waiter

SOUP = {"dish": "soup", "plates": 2}
VERSION = {"A2A-Version": "1.0"}


def message(**fields: Any) -> dict[str, Any]:
    """Return a message; parts default to the order as data."""
    return {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": SOUP}], **fields}


async def send(app: ASGIApp, said: dict[str, Any]) -> dict[str, Any]:
    """Send a message over HTTP+JSON and return the answer."""
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://kitchen"
    ) as http:
        url = REST_PATH + "/message:send"
        answer: dict[str, Any] = (
            await http.post(url, json={"message": said}, headers=VERSION)
        ).json()
    return answer


def output(answer: dict[str, Any]) -> Any:
    """Return the output of a typed reply."""
    (part,) = answer["message"]["parts"]
    return part["data"]


def violations(answer: dict[str, Any]) -> dict[str, str]:
    """Return field → description of a refusal."""
    assert answer["error"]["code"] == 400
    return {
        fault["field"]: fault["description"]
        for detail in answer["error"]["details"]
        for fault in detail.get("fieldViolations", [])
    }


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
    """Whoever means a typed call makes one."""
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
    """The fault is named, with what would be right."""
    assert field in violations(await send(SampleAgent().app(), said))


async def test_several_agents_and_tenants_do_not_catch_each_other_s_addresses() -> None:
    """The SDK would serve its tenants at the root, over every address of two parts."""
    agents = {f"/kitchens/{number}": SampleAgent().agent for number in (1, 2)}
    app = Service(agents).asgi()
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://kitchens"
    ) as http:
        for base_path in agents:
            assert (await http.get(f"{base_path}/.well-known/agent-card.json")).status_code == 200
            for tenant in ("", "/north"):
                url = f"{base_path}{REST_PATH}{tenant}/message:send"
                said = message(metadata={"skillId": "order"})
                reply = await http.post(url, json={"message": said}, headers=VERSION)
                assert output(reply.json())["dish"] == "soup"
        assert (await http.get("/anything/else")).status_code == 404


async def test_a_message_without_skill_is_told_the_extension() -> None:
    """The error teaches how to call the agent."""
    answer = await send(SampleAgent().app(), message())
    assert EXTENSION in answer["error"]["message"]
    assert "order, ask" in answer["error"]["message"]


class TestInference:
    """An agent may let callers leave the skill out."""

    async def test_the_required_keys_decide(self) -> None:
        """An order has dish and plates, a question has a topic."""
        app = SampleAgent(infers_skill=True).app()
        assert output(await send(app, message()))["dish"] == "soup"
        asked = message(parts=[{"text": '{"topic": "salt"}'}])
        assert output(await send(app, asked)) == {"text": "about salt"}

    @pytest.mark.parametrize("data", [{}, {"dish": "soup"}, {**SOUP, "topic": "x"}, [], "x", 7])
    async def test_no_or_two_fitting_entrypoints_are_no_call(self, data: object) -> None:
        """Nothing is guessed."""
        answer = await send(SampleAgent(infers_skill=True).app(), message(parts=[{"data": data}]))
        assert EXTENSION in answer["error"]["message"]


class TestExecutor:
    """An agent of the kit may serve all of A2A beside its entrypoints."""

    @pytest.fixture
    def app(self) -> ASGIApp:
        """Return a kitchen with a waiter for everything else."""
        kitchen = SampleAgent()
        agent = Agent("Both", "Cooks and serves.", executor=Waiter(), streaming=True)
        agent.entrypoint("order", who=ANYONE)(kitchen.order)
        return Service({"": agent}).asgi()

    async def test_what_is_no_typed_call_becomes_a_task(self, app: ASGIApp) -> None:
        """The executor answers with a Task, which can be read again."""
        answer = await send(app, message(parts=[{"text": "hello"}]))
        assert answer["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
        assert answer["task"]["artifacts"][0]["parts"][0]["text"] == "served: hello"
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://kitchen"
        ) as http:
            task_id = answer["task"]["id"]
            body = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task_id}}
            reply = await http.post(RPC_PATH, json=body, headers=VERSION)
            assert reply.json()["result"]["id"] == task_id

    async def test_typed_calls_are_still_typed(self, app: ASGIApp) -> None:
        """Naming the skill makes the difference."""
        answer = await send(app, message(metadata={"skillId": "order"}))
        assert output(answer)["dish"] == "soup"

    async def test_it_streams(self, app: ASGIApp) -> None:
        """The SDK's client sees the updates one by one."""
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://kitchen"
        ) as http:
            config = ClientConfig(streaming=True, httpx_client=http)
            client = await ClientFactory(config).create_from_url("http://kitchen")
            said = Message(message_id="m", role=Role.ROLE_USER, parts=[Part(text="tea")])
            kinds = [
                reply.WhichOneof("payload")
                async for reply in client.send_message(SendMessageRequest(message=said))
            ]
        assert kinds == ["task", "status_update", "artifact_update", "status_update"]


def test_the_order_of_the_kitchen_needs_two_keys() -> None:
    """The inference tests rest on it."""
    assert SampleAgent().agent.entrypoints["order"].required == {"dish", "plates"}
    assert Order.model_validate(SOUP).plates == 2
