"""A task belongs to whoever made it: others get, for each of its methods, what an unknown one gets.

By the token, and without one by the network; behind a proxy a network says nothing.
"""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx
import pytest
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    SubscribeToTaskRequest,
    Task,
    TaskState,
    TaskStatus,
)
from casino_agentkit import Agent, HttpReply, Service
from google.protobuf.json_format import MessageToDict
from grpc.aio import AioRpcError
from starlette.authentication import SimpleUser
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send
from support.players.grpc_side import channel, serving
from support.push import push_over

UNKNOWN = str(uuid4())
SAID = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "tea"}]}
OLDER_SAID = {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "tea"}]}
PUSH = {"id": "p", "url": "http://watcher.example/x", "token": "t"}

RPC: dict[str, dict[str, Any]] = {
    "GetTask": {"id": "ID"},
    "CancelTask": {"id": "ID"},
    "SubscribeToTask": {"id": "ID"},
    "SendMessage": {"message": {**SAID, "taskId": "ID"}},
    "SendStreamingMessage": {"message": {**SAID, "taskId": "ID"}},
    "CreateTaskPushNotificationConfig": {**PUSH, "taskId": "ID"},
    "GetTaskPushNotificationConfig": {"taskId": "ID", "id": "p"},
    "ListTaskPushNotificationConfigs": {"taskId": "ID"},
    "DeleteTaskPushNotificationConfig": {"taskId": "ID", "id": "p"},
}
OLDER: dict[str, dict[str, Any]] = {
    "tasks/get": {"id": "ID"},
    "tasks/cancel": {"id": "ID"},
    "tasks/resubscribe": {"id": "ID"},
    "message/send": {"message": {**OLDER_SAID, "taskId": "ID"}},
    "message/stream": {"message": {**OLDER_SAID, "taskId": "ID"}},
    "tasks/pushNotificationConfig/set": {"taskId": "ID", "pushNotificationConfig": PUSH},
    "tasks/pushNotificationConfig/get": {"id": "ID", "pushNotificationConfigId": "p"},
    "tasks/pushNotificationConfig/list": {"id": "ID"},
    "tasks/pushNotificationConfig/delete": {"id": "ID", "pushNotificationConfigId": "p"},
}
REST: list[tuple[str, str, Any]] = [
    ("GET", "/tasks/ID", None),
    ("POST", "/tasks/ID:cancel", {}),
    ("GET", "/tasks/ID:subscribe", None),
    ("POST", "/tasks/ID:subscribe", {}),
    ("POST", "/message:send", {"message": {**SAID, "taskId": "ID"}}),
    ("POST", "/message:stream", {"message": {**SAID, "taskId": "ID"}}),
    ("POST", "/tasks/ID/pushNotificationConfigs", PUSH),
    ("GET", "/tasks/ID/pushNotificationConfigs/p", None),
    ("GET", "/tasks/ID/pushNotificationConfigs", None),
    ("DELETE", "/tasks/ID/pushNotificationConfigs/p", None),
]
OWNERS: dict[str, tuple[str, dict[str, str]]] = {
    "a token": ("192.0.2.1", {"authorization": "Bearer sesame"}),
    "no token": ("192.0.2.1", {}),
}
OTHERS: dict[str, tuple[str, dict[str, str]]] = {
    "another token": ("192.0.2.1", {"authorization": "Bearer simsim"}),
    "no token, another network": ("192.0.2.2", {}),
    "a forwarded owner": (
        "192.0.2.2",
        {"x-forwarded-for": "192.0.2.1", "forwarded": "for=192.0.2.1"},
    ),
    "the token elsewhere": ("192.0.2.2", {"x-api-key": "sesame", "cookie": "sesame"}),
}


class Endless(AgentExecutor):
    """Works until it is cancelled."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        status = TaskStatus(state=TaskState.TASK_STATE_WORKING)
        assert context.task_id
        assert context.context_id
        await event_queue.enqueue_event(
            Task(id=context.task_id, context_id=context.context_id, status=status)
        )
        await asyncio.Event().wait()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError


class Nowhere:
    """A transport that nobody hears."""

    async def send(
        self,
        method: str,  # noqa: ARG002
        url: str,  # noqa: ARG002
        headers: Mapping[str, str],  # noqa: ARG002
        body: bytes,  # noqa: ARG002
        timeout_s: float,  # noqa: ARG002
    ) -> HttpReply:
        return HttpReply(200, b"")

    async def check_link(self, source: str, target: str) -> None:
        """Allow every link."""

    async def close(self) -> None:
        """Hold nothing."""


class AllAreOne:
    """The defence switched off: every caller is the same user."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "user": SimpleUser("all")}, receive, send)


def endless() -> Agent:
    return Agent("Endless", "Works.", executor=Endless(), streaming=True, push=push_over(Nowhere()))


class Person:
    """A caller with an address and headers."""

    def __init__(self, service: Service, address: str, headers: dict[str, str]) -> None:
        self.headers = headers
        transport = httpx.ASGITransport(service.asgi(), client=(address, 4_711))
        self._http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")

    async def rpc(self, method: str, params: Any, version: str = "1.0") -> str:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {**self.headers, "A2A-Version": version}
        reply = await self._http.post("/a2a/jsonrpc", json=body, headers=headers)
        return reply.text

    async def begin(self) -> str:
        """Return the id of a new task, with an address to notify."""
        params = {"message": SAID, "configuration": {"returnImmediately": True}}
        reply = httpx.Response(200, text=await self.rpc("SendMessage", params)).json()
        task_id: str = reply["result"]["task"]["id"]
        await self.rpc("CreateTaskPushNotificationConfig", {**PUSH, "taskId": task_id})
        return task_id

    async def answers(self, task_id: str) -> dict[str, str]:
        """Return what each method answers for a task, without its id."""
        answers = {}
        for version, methods in (("1.0", RPC), ("0.3", OLDER)):
            for method, params in methods.items():
                answers[method] = await self.rpc(method, _with(params, task_id), version)
        for method, path, body in REST:
            reply = await self._http.request(
                method,
                "/a2a/rest" + path.replace("ID", task_id),
                json=_with(body, task_id),
                headers={**self.headers, "A2A-Version": "1.0"},
            )
            answers[f"{method} {path}"] = f"{reply.status_code} {reply.text}"
        return {name: answer.replace(task_id, "ID") for name, answer in answers.items()}

    async def lists(self) -> str:
        rest = await self._http.get(
            "/a2a/rest/tasks", headers={**self.headers, "A2A-Version": "1.0"}
        )
        return await self.rpc("ListTasks", {}) + rest.text


def _with(params: Any, task_id: str) -> Any:
    if isinstance(params, dict):
        return {name: _with(value, task_id) for name, value in params.items()}
    return task_id if params == "ID" else params


@pytest.mark.parametrize("third_party", OTHERS)
@pytest.mark.parametrize("owner", OWNERS)
async def test_to_others_a_task_is_unknown(owner: str, third_party: str) -> None:
    """On JSON-RPC, HTTP+JSON and A2A 0.3; the owner still has it."""
    service = Service({"": endless()})
    own, other = Person(service, *OWNERS[owner]), Person(service, *OTHERS[third_party])
    task_id = await own.begin()
    assert await other.answers(task_id) == await other.answers(UNKNOWN)
    assert task_id not in await other.lists()
    assert (await own.lists()).count(task_id) == 2
    kept = await own.rpc("ListTaskPushNotificationConfigs", {"taskId": task_id})
    assert PUSH["url"] in kept
    assert "TASK_STATE_WORKING" in await own.rpc("GetTask", {"id": task_id})


async def test_nobody_lists_the_tasks_of_a_proxy() -> None:
    """All its callers without a token have its address; they get a task by its id alone."""
    service = Service({"": endless()})
    passed_on = {"x-forwarded-for": "203.0.113.7"}
    own = Person(service, "127.0.0.1", passed_on)
    task_id = await own.begin()
    for headers in (passed_on, {"via": "1.1 proxy"}, {"cf-connecting-ip": "203.0.113.8"}):
        assert task_id not in await Person(service, "127.0.0.1", headers).lists()
    assert "TASK_STATE_WORKING" in await own.rpc("GetTask", {"id": task_id})
    keyed = Person(service, "127.0.0.1", {**passed_on, "authorization": "Bearer sesame"})
    assert await keyed.begin() in await keyed.lists()


async def test_without_owners_a_third_party_has_every_task() -> None:
    """The attack that owners are against."""
    service = Service({"": endless()}, middleware=[Middleware(AllAreOne)])
    own, other = Person(service, *OWNERS["a token"]), Person(service, "192.0.2.2", {})
    task_id = await own.begin()
    assert (await other.lists()).count(task_id) == 2
    assert PUSH["url"] in await other.rpc("ListTaskPushNotificationConfigs", {"taskId": task_id})
    assert task_id in await other.rpc("GetTask", {"id": task_id})


async def test_over_grpc_too() -> None:
    own, others = [("authorization", "Bearer sesame")], [[], [("authorization", "Bearer simsim")]]
    async with serving({"": endless()}) as service, channel(service) as stub:
        person = Person(service, "127.0.0.1", {"authorization": "Bearer sesame"})
        task_id = await person.begin()
        assert (await stub.GetTask(GetTaskRequest(id=task_id), metadata=own)).id == task_id
        for other in others:
            listed = await stub.ListTasks(ListTasksRequest(), metadata=other)
            assert task_id not in str(MessageToDict(listed))
            for method, request in (
                (stub.GetTask, GetTaskRequest),
                (stub.CancelTask, CancelTaskRequest),
            ):
                details = []
                for each in (task_id, UNKNOWN):
                    with pytest.raises(AioRpcError) as refused:
                        await method(request(id=each), metadata=other)
                    details.append((refused.value.code(), refused.value.details()))
                assert details[0] == details[1]
            with pytest.raises(AioRpcError, match="NOT_FOUND"):
                await stub.SubscribeToTask(
                    SubscribeToTaskRequest(id=task_id), metadata=other
                ).read()
            with pytest.raises(AioRpcError, match="NOT_FOUND"):
                await stub.ListTaskPushNotificationConfigs(
                    ListTaskPushNotificationConfigsRequest(task_id=task_id), metadata=other
                )
        listed = await stub.ListTasks(ListTasksRequest(), metadata=own)
        assert [task.id for task in listed.tasks] == [task_id]
