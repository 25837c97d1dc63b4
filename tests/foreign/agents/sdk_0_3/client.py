"""A client of A2A 0.3 that asks a lobby for its rooms: `client.py LOBBY_URL`; prints the reply."""

import asyncio
import json
import sys
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import DataPart, Message, Part, Role

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"


async def main(lobby: str) -> None:
    """Read the card, call its skill `listRooms`, and print the output."""
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, lobby).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)
        message = Message(
            message_id=str(uuid4()),
            role=Role.user,
            parts=[Part(root=DataPart(data={}))],
            extensions=[EXTENSION],
            metadata={EXTENSION: {"skill": "listRooms"}},
        )
        async for reply in client.send_message(message, extensions=[EXTENSION]):
            assert isinstance(reply, Message), reply
            (part,) = reply.parts
            assert isinstance(part.root, DataPart), part
            sys.stdout.write(json.dumps(part.root.data))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
