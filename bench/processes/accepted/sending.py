"""Sends calls over gRPC, and frames over WebSockets, as large as they are taken."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import grpc
from a2a.types import a2a_pb2, a2a_pb2_grpc
from accepted.calls import Frames
from casino_agentkit.protocol import INPUT_LIMIT
from google.protobuf.json_format import MessageToJson, ParseDict
from support.attack.large_calls import NUMBER, Call, Growth, Victim, says_refused
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

_FRAMES: Final = 200
"""Frames of one connection: a socket that sends more at once is closed."""


class GrpcCaller:
    """Sends the HTTP+JSON form of calls over gRPC to the agent of a tenant."""

    def __init__(self, port: int, tenant: str = "") -> None:
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self._stub = a2a_pb2_grpc.A2AServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._tenant = tenant

    def send(self, call: Call) -> tuple[int, bytes]:
        """Return status 200 and the reply, or status 0 and the details of the refusal."""
        request = ParseDict(json.loads(call.body), a2a_pb2.SendMessageRequest())
        request.tenant = self._tenant
        request.message.message_id += "m" * (INPUT_LIMIT - request.ByteSize() - 4)
        token = call.headers.get("Authorization")
        metadata = [("authorization", token)] if token else []
        try:
            return 200, MessageToJson(self._stub.SendMessage(request, metadata=metadata)).encode()
        except grpc.RpcError as error:
            return 0, str(error.details()).encode()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()


def send_frames(target: Victim, frames: Frames, first: int, count: int) -> Growth:
    """Send the largest frame to a WebSocket, again and again; open another when it is closed."""
    reply, first_mib, sent, accepted = "", 0.0, 0, 0
    url = target.url.replace("http", "ws") + frames.path
    frames.begin()
    while sent < count:
        try:
            with connect(url, proxy=None, additional_headers=dict(frames.headers)) as socket:
                for frame in frames.first:
                    socket.send(frame)
                for _ in range(min(count - sent, _FRAMES)):
                    chosen = _chosen(socket, frames) if frames.awaited else {}
                    sent += 1
                    frame = frames.frame
                    for text, value in {NUMBER: f"{sent:06}", **chosen}.items():
                        frame = frame.replace(text, value)
                    socket.send(frame)
                    reply, is_accepted = _message(socket, frames.accepted)
                    accepted += is_accepted
                    first_mib = target.mib() if sent <= first else first_mib
        except (WebSocketException, OSError) as error:
            reply = repr(error)
            sent += 1
            first_mib = target.mib() if sent <= first else first_mib
    return Growth(0, reply.encode(), first_mib, target.mib(), accepted)


def _chosen(socket: ClientConnection, frames: Frames) -> Mapping[str, str]:
    """Return what a frame says to the message that it answers; raises TimeoutError."""
    message, is_there = _message(socket, frames.awaited)
    if not is_there:
        raise TimeoutError(f"nothing to answer: {message[:200]}")
    return frames.chosen(message)


def _message(socket: ClientConnection, text: str) -> tuple[str, bool]:
    """Return the next message with a text, and whether it came; invitations are accepted.

    Without a text, return the next message at once, or nothing.
    """
    message = ""
    with suppress(TimeoutError):  # not every frame is answered
        while True:
            message = str(socket.recv(timeout=5 if text else 0.02))
            if '"signup"' in message:
                answer = {"id": json.loads(message)["id"], "data": {"displayName": "Bot"}}
                socket.send(json.dumps(answer))
            elif text and text in message:
                return message, True
            elif not text or says_refused(message.encode()):
                break
    return message, False
