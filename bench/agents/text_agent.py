"""An agent of another framework: its card has no extension, it reads text and answers in text.

`python bench/agents/text_agent.py PORT` serves it.
"""

import sys
from typing import Any

import orjson
import uvicorn

_ANSWER = 'I think I will stay in.\n\n```json\n{"action": "call"}\n```\n'


class TextAgent:
    """Answers every question with `call`, in Markdown."""

    def __init__(self, url: str) -> None:
        interface = {"url": f"{url}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        self._card = {
            "name": "Text",
            "description": "Reads and writes text.",
            "version": "1",
            "supportedInterfaces": [interface],
            "capabilities": {},
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "talk", "name": "talk", "description": "Talks.", "tags": ["talk"]}],
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the card, or answer a message that has a question in a text."""
        if scope["type"] != "http":
            return
        message = await receive()
        body = message["body"]
        while message.get("more_body"):
            message = await receive()
            body += message["body"]
        content = self._reply(orjson.loads(body)) if scope["method"] == "POST" else self._card
        reply = orjson.dumps(content)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(reply)).encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": reply})

    def _reply(self, call: Any) -> dict[str, Any]:
        text = call["params"]["message"]["parts"][0]["text"]
        if "legalActions" not in text:
            raise ValueError("the text holds no question")
        message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": _ANSWER}]}
        return {"jsonrpc": "2.0", "id": call["id"], "result": {"message": message}}


def main() -> None:
    """Serve the agent."""
    port = int(sys.argv[1])
    uvicorn.run(
        TextAgent(f"http://127.0.0.1:{port}"),
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=75,
    )


if __name__ == "__main__":
    main()
