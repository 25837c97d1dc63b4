"""Push notifications of tasks, sent over a `Transport` so that its address policy holds."""

from typing import Final

import httpx
from a2a.server.context import ServerCallContext
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore
from a2a.types import TaskPushNotificationConfig
from a2a.utils.errors import InvalidParamsError
from casino_agentkit.agent import PushNotifications
from casino_agentkit.client.transport import Transport

_MOST_ADDRESSES: Final = 8
"""Maximum number of addresses of one task: each update goes to all of them."""
_DEADLINE_S: Final = 5.0
_OWN_HEADERS: Final = frozenset({"host", "content-length", "connection", "accept-encoding"})


def push_over(transport: Transport) -> PushNotifications:
    """Return push notifications that are sent over a transport, kept in memory."""
    configs = _BoundedConfigs()
    client = httpx.AsyncClient(transport=_Bridge(transport), trust_env=False)
    return PushNotifications(configs, BasePushNotificationSender(client, configs))


class _Bridge(httpx.AsyncBaseTransport):
    """Sends a notification through a `Transport`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the status; raises AgentError, which the SDK logs."""
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() not in _OWN_HEADERS
        }
        reply = await self._transport.send(
            request.method, str(request.url), headers, await request.aread(), _DEADLINE_S
        )
        return httpx.Response(reply.status, request=request)


class _BoundedConfigs(InMemoryPushNotificationConfigStore):
    """Keeps a bounded number of addresses for each task."""

    async def set_info(
        self,
        task_id: str,
        notification_config: TaskPushNotificationConfig,
        context: ServerCallContext,
    ) -> TaskPushNotificationConfig:
        """Keep an address. Raises InvalidParamsError if the task has too many."""
        kept = await self.get_info(task_id, context)
        is_new = notification_config.id not in {config.id for config in kept}
        if is_new and len(kept) >= _MOST_ADDRESSES:
            raise InvalidParamsError(f"a task notifies at most {_MOST_ADDRESSES} addresses")
        stored: TaskPushNotificationConfig = await super().set_info(
            task_id, notification_config, context
        )
        return stored
