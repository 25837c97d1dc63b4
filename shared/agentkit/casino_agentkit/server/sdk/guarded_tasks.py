"""The SDK's request handler, whose task methods admit only callers that a rule admits."""

from collections.abc import AsyncGenerator

from a2a.server.agent_execution import AgentExecutor
from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
    ListTasksRequest,
    ListTasksResponse,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import UnsupportedOperationError

from casino_agentkit.agent import PushNotifications
from casino_agentkit.authority import Rule, caller
from casino_agentkit.errors import CommandRefused
from casino_agentkit.server.sdk.recent_tasks import RecentTasks


def admit(who: Rule) -> None:
    """Check the caller of this request. Raises UnsupportedOperationError with the reason."""
    try:
        who.admit(caller(), None)
    except CommandRefused as refusal:
        reason = {"reason": refusal.reason}
        raise UnsupportedOperationError(refusal.message, reason) from refusal


class GuardedTasks(DefaultRequestHandler):
    """Checks `who` before every method of a task. All raise UnsupportedOperationError."""

    def __init__(
        self,
        who: Rule,
        executor: AgentExecutor,
        card: AgentCard,
        push: PushNotifications | None = None,
    ) -> None:
        self._tasks_who = who
        super().__init__(
            agent_executor=executor,
            task_store=RecentTasks(),
            agent_card=card,
            push_config_store=push.configs if push else None,
            push_sender=push.sender if push else None,
        )

    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        """Return a task."""
        admit(self._tasks_who)
        task: Task | None = await super().on_get_task(params, context)
        return task

    async def on_list_tasks(
        self, params: ListTasksRequest, context: ServerCallContext
    ) -> ListTasksResponse:
        """Return the caller's tasks; of one without a token behind a proxy, none."""
        admit(self._tasks_who)
        sender = caller()
        if sender.is_forwarded and not sender.token:
            return ListTasksResponse(page_size=params.page_size)
        tasks: ListTasksResponse = await super().on_list_tasks(params, context)
        return tasks

    async def on_cancel_task(
        self, params: CancelTaskRequest, context: ServerCallContext
    ) -> Task | None:
        """Cancel a task."""
        admit(self._tasks_who)
        task: Task | None = await super().on_cancel_task(params, context)
        return task

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Stream a task's events."""
        admit(self._tasks_who)
        async for event in super().on_subscribe_to_task(params, context):
            yield event

    async def on_create_task_push_notification_config(
        self, params: TaskPushNotificationConfig, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        """Keep an address that gets a task's updates."""
        admit(self._tasks_who)
        kept: TaskPushNotificationConfig = await super().on_create_task_push_notification_config(
            params, context
        )
        return kept

    async def on_get_task_push_notification_config(
        self, params: GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        """Return such an address."""
        admit(self._tasks_who)
        kept: TaskPushNotificationConfig = await super().on_get_task_push_notification_config(
            params, context
        )
        return kept

    async def on_list_task_push_notification_configs(
        self, params: ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> ListTaskPushNotificationConfigsResponse:
        """Return the addresses of a task."""
        admit(self._tasks_who)
        kept: ListTaskPushNotificationConfigsResponse = (
            await super().on_list_task_push_notification_configs(params, context)
        )
        return kept

    async def on_delete_task_push_notification_config(
        self, params: DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        """Forget such an address."""
        admit(self._tasks_who)
        await super().on_delete_task_push_notification_config(params, context)
