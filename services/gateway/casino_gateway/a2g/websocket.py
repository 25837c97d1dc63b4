"""`WS /ws`: frames in, frames out."""

import asyncio
from collections.abc import Callable

from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from casino_gateway.a2g.codes import Code
from casino_gateway.a2g.connection import Connection
from casino_gateway.a2g.conversation import Conversation
from casino_gateway.a2g.games import Games

SERVER_ID = "a2a-casino"
_SECRETS = frozenset({"token", "access_token", "authorization", "bearer", "key", "sessionid"})
"""Query parameters that clients of other servers put secrets into; logs would keep them."""

Start = Callable[[Connection], Conversation]


class SocketEndpoint:
    """Serves sockets: each has a conversation; `start` makes one."""

    def __init__(self, start: Start, games: Games, authentication_s: float) -> None:
        self._start = start
        self._games = games
        self._authentication_s = authentication_s

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one socket until it is closed."""
        if _SECRETS & {name.lower() for name in websocket.query_params}:
            await websocket.send_denial_response(_refusal_of_secrets())
            return
        await websocket.accept()
        connection = Connection()
        conversation = self._start(connection)
        conversation.begin(SERVER_ID, await self._games.supported())
        sending = asyncio.create_task(connection.send_all(websocket))
        reading = asyncio.create_task(self._read(websocket, conversation))
        full = asyncio.create_task(connection.is_full.wait())
        tasks = {sending, reading, full}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            conversation.end()
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in ended:
            if isinstance(outcome, Exception) and not isinstance(outcome, WebSocketDisconnect):
                raise outcome

    async def _read(self, websocket: WebSocket, conversation: Conversation) -> None:
        try:
            async with asyncio.timeout(self._authentication_s):
                while conversation.session is None:
                    await conversation.take(await _frame(websocket))
        except TimeoutError:
            conversation.late()
            await asyncio.Event().wait()  # until the error is sent, and the socket closed
        while True:
            await conversation.take(await _frame(websocket))


async def _frame(websocket: WebSocket) -> str | bytes:
    """Return the next frame. Raises WebSocketDisconnect."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005), message.get("reason"))
    text: str | None = message.get("text")
    return message.get("bytes") or b"" if text is None else text


def _refusal_of_secrets() -> JSONResponse:
    return JSONResponse(
        {
            "code": Code.AUTH_INVALID,
            "message": "a token must not be in a URL, which logs keep: send it in `authenticate`",
        },
        status_code=400,
    )
