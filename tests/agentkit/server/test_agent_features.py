"""What an agent may offer besides entrypoints, each on its card and behind it, on every binding."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
from a2a.client import ClientCallContext
from a2a.types import (
    AgentCard,
    AgentExtension,
    AgentSkill,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    HTTPAuthSecurityScheme,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SecurityRequirement,
    SecurityScheme,
    SendMessageConfiguration,
    SendMessageRequest,
    StringList,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import (
    ExtensionSupportRequiredError,
    InvalidParamsError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from casino_agentkit import ANYONE, Agent, HttpReply, KeyRule, Scheme, Service
from casino_agentkit.agent import ExtendedCard, Security
from casino_agentkit.protocol import CARD_PATH
from google.protobuf.json_format import MessageToDict
from support.players.grpc_side import SOUP, SdkCaller, kitchen, message, serving
from support.players.sample_agent import SampleAgent, Waiter
from support.push import push_over

KEY = {"authorization": "Bearer sesame"}
RULE = KeyRule(Scheme("key", "the kitchen's key"), lambda _: "sesame")
TEA = Message(message_id="m", role=Role.ROLE_USER, parts=[Part(text="tea")])
BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"]


async def card_of(agent: Agent) -> dict[str, Any]:
    transport = httpx.ASGITransport(Service({"": agent}).asgi())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        card: dict[str, Any] = (await http.get(CARD_PATH)).json()
        return card


async def callers(agent: Agent, binding: str, *, streaming: bool = False) -> AsyncIterator[Any]:
    async with serving({"": agent}) as service:
        caller = SdkCaller(service, binding, streaming=streaming)
        try:
            yield await caller.client()
        finally:
            await caller.close()


async def sent(client: Any, request: SendMessageRequest, **headers: str) -> Any:
    context = ClientCallContext(service_parameters=headers)
    (reply,) = [reply async for reply in client.send_message(request, context=context)]
    return reply


class TestCard:
    async def test_an_executor_alone_is_a_skill(self) -> None:
        """A2A requires one; the extension of typed entrypoints is not declared."""
        card = await card_of(Agent("Waiter", "Serves.", executor=Waiter()))
        (skill,) = card["skills"]
        assert (skill["name"], skill["description"]) == ("Waiter", "Serves.")
        assert skill["id"]
        assert skill["tags"]
        assert not card["capabilities"].get("extensions")
        assert card["defaultInputModes"] == ["application/json", "text/plain"]

    async def test_declared_skills_stand_beside_entrypoints(self) -> None:
        skill = AgentSkill(id="serve", name="Serve", description="Serves tea.", tags=["tea"])
        agent = Agent("Waiter", "Serves.", executor=Waiter(), skills=[skill])
        agent.entrypoint("order", who=ANYONE)(SampleAgent().order)
        assert [one["id"] for one in (await card_of(agent))["skills"]] == ["order", "serve"]

    async def test_security_is_declared(self) -> None:
        scheme = SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="Basic"))
        needed = SecurityRequirement(schemes={"door": StringList()})
        security = Security({"door": scheme}, [needed])
        agent = Agent("W", "S.", executor=Waiter(), security=security, tasks_who=RULE)
        card = await card_of(agent)
        assert set(card["securitySchemes"]) == {"door", "key"}
        assert card["securityRequirements"] == [{"schemes": {"door": {}}}]
        assert card["skills"][0]["securityRequirements"] == [{"schemes": {"key": {}}}]

    async def test_capabilities_are_those_that_are_offered(self) -> None:
        plain = (await card_of(Agent("W", "S.", executor=Waiter())))["capabilities"]
        assert not plain.get("pushNotifications")
        assert not plain.get("extendedAgentCard")
        agent = Agent(
            "W",
            "S.",
            executor=Waiter(),
            push=push_over(Receiver()),
            extended_card=ExtendedCard(RULE, lambda card: card),
            required_extensions=[AgentExtension(uri="https://x/y")],
        )
        offered = (await card_of(agent))["capabilities"]
        assert (offered["pushNotifications"], offered["extendedAgentCard"]) == (True, True)
        assert offered["extensions"] == [{"uri": "https://x/y", "required": True}]


@pytest.mark.parametrize("binding", BINDINGS)
class TestBehind:
    @pytest.mark.parametrize("streaming", [True, False])
    async def test_a_typed_call_is_one_message_on_both_methods(
        self, binding: str, *, streaming: bool
    ) -> None:
        """The SDK's client streams by default; the executor does not see the call."""
        async for client in callers(kitchen(), binding, streaming=streaming):
            reply = await sent(client, message(SOUP, "order"))
            assert MessageToDict(reply.message.parts[0].data)["dish"] == "soup"

    async def test_an_executor_streams(self, binding: str) -> None:
        async for client in callers(kitchen(), binding, streaming=True):
            replies = client.send_message(SendMessageRequest(message=TEA))
            kinds = [reply.WhichOneof("payload") async for reply in replies]
        assert kinds == ["task", "status_update", "artifact_update", "status_update"]

    async def test_tasks_admit_callers_of_their_rule(self, binding: str) -> None:
        agent = Agent("W", "S.", executor=Waiter(), tasks_who=RULE)
        async for client in callers(agent, binding):
            request = SendMessageRequest(message=TEA)
            with pytest.raises(UnsupportedOperationError, match="kitchen's key"):
                await sent(client, request)
            task = (await sent(client, request, **KEY)).task
            with pytest.raises(UnsupportedOperationError, match="kitchen's key"):
                await client.get_task(GetTaskRequest(id=task.id))
            context = ClientCallContext(service_parameters=KEY)
            assert (await client.get_task(GetTaskRequest(id=task.id), context=context)).id

    async def test_callers_see_their_own_tasks(self, binding: str) -> None:
        """By the token that they send."""
        async for client in callers(Agent("W", "S.", executor=Waiter()), binding):
            task = (await sent(client, SendMessageRequest(message=TEA), **KEY)).task
            own = ClientCallContext(service_parameters=KEY)
            other = ClientCallContext(service_parameters={"authorization": "Bearer simsim"})
            listed = await client.list_tasks(ListTasksRequest(), context=own)
            assert [one.id for one in listed.tasks] == [task.id]
            assert not (await client.list_tasks(ListTasksRequest(), context=other)).tasks
            with pytest.raises(TaskNotFoundError):
                await client.get_task(GetTaskRequest(id=task.id), context=other)

    async def test_the_extended_card_has_its_own_rule(self, binding: str) -> None:
        def extend(card: AgentCard) -> AgentCard:
            card.description += " Also at night."
            return card

        agent = Agent("W", "S.", executor=Waiter(), extended_card=ExtendedCard(RULE, extend))
        async for client in callers(agent, binding):
            with pytest.raises(UnsupportedOperationError, match="kitchen's key"):
                await client.get_extended_agent_card(GetExtendedAgentCardRequest())
            for _ in range(2):
                card = await client.get_extended_agent_card(
                    GetExtendedAgentCardRequest(), context=ClientCallContext(service_parameters=KEY)
                )
                assert card.description == "S. Also at night."

    async def test_a_required_extension_must_be_activated(self, binding: str) -> None:
        extension = AgentExtension(uri="https://x/y")
        agent = Agent("W", "S.", executor=Waiter(), required_extensions=[extension])
        agent.entrypoint("ask", who=ANYONE)(SampleAgent().ask)
        typed = Message(message_id="m", role=Role.ROLE_USER, parts=[Part(text='{"topic": "t"}')])
        typed.metadata.update({"skillId": "ask"})
        async for client in callers(agent, binding):
            for said, kind in ((TEA, "task"), (typed, "message")):
                request = SendMessageRequest(message=said)
                with pytest.raises(ExtensionSupportRequiredError, match="https://x/y"):
                    await sent(client, request)
                header = {"A2A-Extensions": "https://x/y"}
                assert (await sent(client, request, **header)).HasField(kind)

    async def test_a_task_notifies_a_bounded_number_of_addresses(self, binding: str) -> None:
        """Over the transport, so that its address policy holds."""
        receiver = Receiver()
        agent = Agent("W", "S.", executor=Waiter(), push=push_over(receiver))
        address = TaskPushNotificationConfig(id="a", url="http://watcher/x", token="t-1")
        configuration = SendMessageConfiguration(task_push_notification_config=address)
        request = SendMessageRequest(message=TEA, configuration=configuration)
        async for client in callers(agent, binding):
            task = (await sent(client, request)).task
            assert {(url, token) for url, token, _ in receiver.received} == {
                ("http://watcher/x", "t-1")
            }
            assert b"TASK_STATE_COMPLETED" in receiver.received[-1][2]
            more = [
                TaskPushNotificationConfig(task_id=task.id, id=str(number), url="http://watcher/y")
                for number in range(8)
            ]
            for one in more[:7]:
                await client.create_task_push_notification_config(one)
            with pytest.raises(InvalidParamsError, match="at most 8"):
                await client.create_task_push_notification_config(more[7])


class Receiver:
    """A transport whose other end takes notifications."""

    def __init__(self) -> None:
        self.received: list[tuple[str, str, bytes]] = []

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        assert (method, timeout_s > 0) == ("POST", True)
        self.received.append((url, headers.get("x-a2a-notification-token", ""), body))
        return HttpReply(200, b"")

    async def check_link(self, source: str, target: str) -> None:
        """Allow every link."""

    async def close(self) -> None:
        """Hold nothing."""
