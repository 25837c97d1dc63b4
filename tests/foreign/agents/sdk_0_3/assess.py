"""Ask an evaluator for an assessment, as the client of AgentBeats does.

`assess.py URL REQUEST [KEY]`: the request is JSON; prints what the task said, one JSON line.
"""

import asyncio
import json
import sys
from typing import Any
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    DataPart,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskStatusUpdateEvent,
    TextPart,
)


def texts_of(message: Message | None) -> list[str]:
    """Return the texts of a message."""
    parts = [part.root for part in message.parts] if message else []
    return [part.text for part in parts if isinstance(part, TextPart)]


def artifacts_of(task: Task) -> dict[str, Any]:
    """Return the data of each artifact by its name."""
    return {
        str(artifact.name): part.root.data
        for artifact in task.artifacts or []
        for part in artifact.parts
        if isinstance(part.root, DataPart)
    }


async def main(url: str, request: str, key: str) -> None:
    """Send the request and read the stream to its end."""
    headers = {"X-API-Key": key} if key else {}
    async with httpx.AsyncClient(timeout=120, headers=headers) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=True)).create(card)
        message = Message(
            kind="message",
            role=Role.user,
            parts=[Part(TextPart(kind="text", text=request))],
            message_id=uuid4().hex,
        )
        task: Task | None = None
        messages: list[str] = []
        streamed: list[str] = []
        async for event in client.send_message(message):
            assert isinstance(event, tuple), event
            task, update = event
            if isinstance(update, TaskStatusUpdateEvent):
                messages += texts_of(update.status.message)
            elif isinstance(update, TaskArtifactUpdateEvent):
                streamed.append(str(update.artifact.name))
    assert task is not None
    printed = {
        "state": task.status.state.value,
        "messages": messages,
        "streamed": streamed,
        "artifacts": artifacts_of(task),
    }
    sys.stdout.write(json.dumps(printed) + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""))
