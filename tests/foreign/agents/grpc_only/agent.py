"""A player that speaks gRPC only; its card is served over HTTP: `agent.py PORT address|url`.

The second argument says how the card writes the interface: `host:port`, as the SDK's samples and
its client do, or as an absolute URL, as the protocol asks.
"""

import asyncio
import json
import sys

import grpc
import uvicorn
from a2a.helpers.proto_helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from a2a.types.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from starlette.applications import Starlette


def reply_to(question: str) -> str:
    """Check, else call, else fold; the input is the first JSON object of the question."""
    asked, _end = json.JSONDecoder().raw_decode(question, question.index("{"))
    if "legalActions" not in asked:
        return json.dumps({"displayName": "gRPC"})
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


async def main(port: int, form: str) -> None:
    """Serve on loopback, gRPC on a port of its own."""
    server = grpc.aio.server()
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    interface = AgentInterface(
        url=address if form == "address" else f"http://{address}",
        protocol_binding="GRPC",
        protocol_version="1.0",
    )
    card = AgentCard(
        name="gRPC",
        description="Plays poker.",
        version="1.0.0",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="poker", name="Poker", description="Plays.", tags=["poker"])],
    )
    handler = DefaultRequestHandler(
        agent_executor=PokerPlayer(), task_store=InMemoryTaskStore(), agent_card=card
    )
    add_A2AServiceServicer_to_server(GrpcHandler(handler), server)
    await server.start()
    app = Starlette(routes=create_agent_card_routes(card))
    await uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")
    ).serve()
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
