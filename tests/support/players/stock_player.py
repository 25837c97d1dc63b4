"""A player made with the A2A SDK alone: a Task per question, the answer as text.

`python -m support.players.stock_player` is an agent of any framework to the casino.
"""

import asyncio
import json
import re
import socket
import sys
from urllib.parse import urlsplit

import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Part,
    Task,
    TaskState,
    TaskStatus,
)
from starlette.applications import Starlette


class Reader(AgentExecutor):
    """Reads the question in the text, and answers in Markdown."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer with a Task that has a text artifact."""
        assert context.task_id
        assert context.context_id
        status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
        await event_queue.enqueue_event(
            Task(id=context.task_id, context_id=context.context_id, status=status)
        )
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        await updater.add_artifact([Part(text=self.answer(context.get_user_input()))])
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError

    @staticmethod
    def answer(text: str) -> str:
        found = re.search(r"Input:\n(\{.*?\})\n\nSchema", text, re.DOTALL)
        assert found
        question = json.loads(found[1])
        if "legalActions" not in question:
            return f"Gladly!\n```json\n{json.dumps({'displayName': 'Stock'})}\n```"
        action = "check" if "check" in question["legalActions"] else "call"
        return f"I think I will stay in.\n\n```json\n{json.dumps({'action': action})}\n```\n"


def stock_app(
    executor: AgentExecutor, url: str, binding: str = "JSONRPC", version: str = "1.0"
) -> Starlette:
    """Return an agent built with the SDK alone, reached by one binding at a URL."""
    card = AgentCard(
        name="Stock",
        description="Plays poker, or anything.",
        version="1",
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding=binding, protocol_version=version)
        ],
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="talk", name="talk", description="Talks.", tags=["talk"])],
    )
    handler = DefaultRequestHandler(
        agent_executor=executor, task_store=InMemoryTaskStore(), agent_card=card
    )
    path, is_old = urlsplit(url).path, version.startswith("0")
    routes = (
        create_rest_routes(handler, path_prefix=path, enable_v0_3_compat=is_old)
        if binding == "HTTP+JSON"
        else create_jsonrpc_routes(handler, path, enable_v0_3_compat=is_old)
    )
    return Starlette(routes=[*create_agent_card_routes(card), *routes])


def main() -> None:
    """Serve on a free port until standard input ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = stock_app(Reader(), f"{base}/a2a")
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))

    async def run() -> None:
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        announced = {"url": base, "cards": [f"{base}/.well-known/agent-card.json"]}
        sys.stdout.write(json.dumps(announced) + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.buffer.read)
        server.should_exit = True
        await serving

    asyncio.run(run())


if __name__ == "__main__":
    main()
