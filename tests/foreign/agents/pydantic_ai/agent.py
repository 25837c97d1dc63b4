"""A player of pydantic-ai, served by its A2A bridge: `agent.py PORT`.

Its model is a function, so that it needs no language model and always decides the same.
"""

import json
import sys

import uvicorn
from fasta2a.pydantic_ai import agent_to_a2a
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def reply_to(question: str) -> str:
    """Check, else call, else fold; the input is the first JSON object of the question."""
    asked, _end = json.JSONDecoder().raw_decode(question, question.index("{"))
    if "legalActions" not in asked:
        return json.dumps({"displayName": "Pydantic AI"})
    legal = asked["legalActions"]
    return json.dumps({"action": next(one for one in ("check", "call", "fold") if one in legal)})


def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """Answer the newest prompt of the conversation."""
    prompts = [part for part in messages[-1].parts if isinstance(part, UserPromptPart)]
    return ModelResponse(parts=[TextPart(reply_to(str(prompts[-1].content)))])


def main(port: int) -> None:
    """Serve on loopback."""
    app = agent_to_a2a(
        Agent(FunctionModel(model), name="Pydantic AI"), url=f"http://127.0.0.1:{port}/"
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
