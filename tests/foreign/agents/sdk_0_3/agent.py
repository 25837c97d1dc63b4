"""A player of the A2A SDK before 1.0, which speaks A2A 0.3: `agent.py PORT message|task`."""

import json
import sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, Part, TextPart
from a2a.utils import new_agent_text_message, new_task


def reply_to(question: str) -> str:
    """Check, else call, else fold; the input is the first JSON object of the question."""
    asked, _end = json.JSONDecoder().raw_decode(question, question.index("{"))
    if "legalActions" not in asked:
        return json.dumps({"displayName": "SDK 0.3"})
    legal = asked["legalActions"]
    return json.dumps({"action": next(one for one in ("check", "call", "fold") if one in legal)})


class PokerPlayer(AgentExecutor):
    """Answers with a message, or with the artifact of a task."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer the text of a message."""
        answer = reply_to(context.get_user_input())
        if self._kind == "message":
            await event_queue.enqueue_event(
                new_agent_text_message(answer, context_id=context.context_id)
            )
            return
        assert context.message
        task = new_task(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await updater.add_artifact([Part(root=TextPart(text=answer))])
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Refuse: every answer is ready at once."""
        raise NotImplementedError


def main(port: int, kind: str) -> None:
    """Serve on loopback."""
    card = AgentCard(
        name="SDK 0.3",
        description="Plays poker.",
        url=f"http://127.0.0.1:{port}/",
        version="1.0.0",
        default_input_modes=["text"],
        default_output_modes=["text"],
        capabilities=AgentCapabilities(streaming=False),
        skills=[AgentSkill(id="poker", name="Poker", description="Plays.", tags=["poker"])],
    )
    handler = DefaultRequestHandler(
        agent_executor=PokerPlayer(kind), task_store=InMemoryTaskStore()
    )
    app = A2AStarletteApplication(agent_card=card, http_handler=handler).build()
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
