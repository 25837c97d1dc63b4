"""An executor beside entrypoints: tasks and streams, and typed calls on both methods."""

import httpx
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest
from casino_agentkit import ANYONE, Agent, Service
from casino_agentkit.protocol import RPC_PATH
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from starlette.types import ASGIApp
from support.http_json import SOUP, VERSION, message, output, send
from support.players.sample_agent import SampleAgent, Waiter


class TestExecutor:
    """An agent may have an executor beside its entrypoints."""

    @pytest.fixture
    def app(self) -> ASGIApp:
        sample = SampleAgent()
        agent = Agent("Both", "Cooks and serves.", executor=Waiter(), streaming=True)
        agent.entrypoint("order", who=ANYONE)(sample.order)
        return Service({"": agent}).asgi()

    async def test_what_is_no_typed_call_becomes_a_task(self, app: ASGIApp) -> None:
        """The executor answers with a task, which can be read again."""
        answer = await send(app, message(parts=[{"text": "hello"}]))
        assert answer["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
        assert answer["task"]["artifacts"][0]["parts"][0]["text"] == "served: hello"
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://sample"
        ) as http:
            task_id = answer["task"]["id"]
            body = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task_id}}
            reply = await http.post(RPC_PATH, json=body, headers=VERSION)
            assert reply.json()["result"]["id"] == task_id

    async def test_typed_calls_are_still_typed(self, app: ASGIApp) -> None:
        """A message that names a skill does not reach the executor."""
        answer = await send(app, message(metadata={"skillId": "order"}))
        assert output(answer)["dish"] == "soup"

    @pytest.mark.parametrize("streaming", [True, False])
    async def test_the_stock_client_reaches_the_entrypoint(
        self, app: ASGIApp, *, streaming: bool
    ) -> None:
        """The SDK's client streams by default; a typed call is one Message on both methods."""
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://sample"
        ) as http:
            for binding in ("JSONRPC", "HTTP+JSON"):
                config = ClientConfig(
                    streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding]
                )
                client = await ClientFactory(config).create_from_url("http://sample")
                part = Part(data=ParseDict(SOUP, Value()), media_type="application/json")
                said = Message(message_id="m", role=Role.ROLE_USER, parts=[part])
                said.metadata.update({"skillId": "order"})
                replies = [
                    reply async for reply in client.send_message(SendMessageRequest(message=said))
                ]
                assert [reply.WhichOneof("payload") for reply in replies] == ["message"]
                assert MessageToDict(replies[0].message.parts[0].data)["dish"] == "soup"

    async def test_a_wrong_typed_call_is_refused_before_the_stream(self, app: ASGIApp) -> None:
        """The refusal is one error, in the words of the other method."""
        said = message(metadata={"skillId": "order"}, parts=[{"data": {}}])
        body = {"jsonrpc": "2.0", "id": 1, "params": {"message": said}}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://sample"
        ) as http:
            answers = [
                (await http.post(RPC_PATH, json=body | {"method": method}, headers=VERSION)).json()
                for method in ("SendMessage", "SendStreamingMessage")
            ]
        assert answers[0]["error"]["code"] == -32602
        assert answers[0] == answers[1]

    async def test_the_executor_streams(self, app: ASGIApp) -> None:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://sample"
        ) as http:
            config = ClientConfig(streaming=True, httpx_client=http)
            client = await ClientFactory(config).create_from_url("http://sample")
            said = Message(message_id="m", role=Role.ROLE_USER, parts=[Part(text="tea")])
            kinds = [
                reply.WhichOneof("payload")
                async for reply in client.send_message(SendMessageRequest(message=said))
            ]
        assert kinds == ["task", "status_update", "artifact_update", "status_update"]
