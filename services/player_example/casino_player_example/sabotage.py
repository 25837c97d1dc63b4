"""Spoil marked answers on their way: for the styles `garbage` and `disconnecting`.

A marked answer is a decision whose `reasoning` is `MARK`. Card, signup and refusals pass unchanged,
so the player gets a seat, and loses its turns.
"""

from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MARK: Final = "sabotage: this answer does not arrive"
GARBAGE: Final = b"<html>\x00\xff{{{ my opponent has better cards"
_MARK: Final = MARK.encode()


class Sabotage:
    """An application whose marked answers become garbage, or break off."""

    def __init__(self, app: ASGIApp, *, disconnects: bool) -> None:
        self._app = app
        self._disconnects = disconnects

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, and spoil its reply if it is a marked answer."""
        begun: Message | None = None
        is_over = False

        async def spoiled(message: Message) -> None:
            nonlocal begun, is_over
            if is_over:
                return
            if message["type"] == "http.response.start":
                begun = message
                return
            body = message.get("body", b"")
            is_over = message["type"] == "http.response.body" and _MARK in body
            if begun is not None:
                await send(_resized(begun, len(GARBAGE)) if is_over and self._ends else begun)
                begun = None
            if not is_over:
                await send(message)
            elif self._ends:
                await send({"type": "http.response.body", "body": GARBAGE})
            else:  # less than the head announces: the server closes the connection
                await send({"type": "http.response.body", "body": body[: len(body) // 2]})

        await self._app(scope, receive, spoiled)

    @property
    def _ends(self) -> bool:
        return not self._disconnects


def _resized(start: Message, length: int) -> Message:
    """Return the start of a response whose body has another length."""
    headers: list[Any] = [
        (name, str(length).encode() if name.lower() == b"content-length" else value)
        for name, value in start.get("headers", ())
    ]
    return {**start, "headers": headers}
