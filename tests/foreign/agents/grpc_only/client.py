"""A client that speaks gRPC only and asks a lobby for its rooms: `client.py LOBBY_URL`.

It reads the lobby's card over HTTP, and prints the reply.
"""

import asyncio
import sys
from uuid import uuid4

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.helpers.proto_helpers import new_data_part
from a2a.types import Message, Role, SendMessageRequest
from google.protobuf.json_format import MessageToJson

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"


async def main(lobby: str) -> None:
    """Read the card, call its skill `listRooms`, and print the output."""
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, lobby).get_agent_card()
    config = ClientConfig(
        streaming=False,
        supported_protocol_bindings=["GRPC"],
        grpc_channel_factory=grpc.aio.insecure_channel,
    )
    client = ClientFactory(config).create(card)
    message = Message(
        message_id=str(uuid4()),
        role=Role.ROLE_USER,
        parts=[new_data_part({})],
        extensions=[EXTENSION],
    )
    message.metadata.update({EXTENSION: {"skill": "listRooms"}})
    context = ClientCallContext(service_parameters={"A2A-Extensions": EXTENSION})
    request = SendMessageRequest(message=message)
    async for reply in client.send_message(request, context=context):
        (part,) = reply.message.parts
        sys.stdout.write(MessageToJson(part.data))
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
