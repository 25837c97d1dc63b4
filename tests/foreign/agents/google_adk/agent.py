"""A player of Google's Agent Development Kit, an agent without a model: `agent.py PORT`."""

import json
import sys
from collections.abc import AsyncGenerator

import uvicorn
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import BaseAgent, InvocationContext
from google.adk.events import Event
from google.genai import types


def reply_to(question: str) -> str:
    """Check, else call, else fold; the input is the first JSON object of the question."""
    asked, _end = json.JSONDecoder().raw_decode(question, question.index("{"))
    if "legalActions" not in asked:
        return json.dumps({"displayName": "ADK"})
    legal = asked["legalActions"]
    return json.dumps({"action": next(one for one in ("check", "call", "fold") if one in legal)})


class PokerPlayer(BaseAgent):
    """Answers the text of the newest message."""

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        """Yield one event with the answer."""
        parts = (ctx.user_content.parts if ctx.user_content else None) or []
        question = next(part.text for part in parts if part.text)
        answer = types.Content(role="model", parts=[types.Part(text=reply_to(question))])
        yield Event(author=self.name, invocation_id=ctx.invocation_id, content=answer)


def main(port: int) -> None:
    """Serve on loopback."""
    player = PokerPlayer(name="adk_player", description="Plays poker.")
    app = to_a2a(player, host="127.0.0.1", port=port)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
