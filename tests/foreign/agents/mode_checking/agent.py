"""A player that refuses what is not text, as its card says: `agent.py PORT`."""

import json
import sys

import uvicorn
from a2a.helpers.proto_helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


def reply_to(question: str) -> str:
    """Check, else call, else fold; the input is the first JSON object of the question."""
    asked, _end = json.JSONDecoder().raw_decode(question, question.index("{"))
    if "legalActions" not in asked:
        return json.dumps({"displayName": "Text only"})
    legal = asked["legalActions"]
    return json.dumps({"action": next(one for one in ("check", "call", "fold") if one in legal)})


class PokerPlayer(AgentExecutor):
    """Answers with a message."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer the text of a message."""
        answer = reply_to(context.get_user_input())
        await event_queue.enqueue_event(new_text_message(answer, context_id=context.context_id))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Refuse: every answer is ready at once."""
        raise NotImplementedError


def main(port: int) -> None:
    """Serve on loopback."""
    interface = AgentInterface(
        url=f"http://127.0.0.1:{port}/", protocol_binding="JSONRPC", protocol_version="1.0"
    )
    card = AgentCard(
        name="Text only",
        description="Plays poker.",
        version="1.0.0",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="poker", name="Poker", description="Plays.", tags=["poker"])],
    )
    handler = DefaultRequestHandler(
        agent_executor=PokerPlayer(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        validate_input_modes=True,
    )
    routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
