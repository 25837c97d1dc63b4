"""Follows the pushes of a match, reconnecting after interruptions."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from casino_agentkit.client.backoff import Backoff

from casino.errors import LobbyAway
from casino.play.gateway_api import GatewayApi
from casino.play.messages import Push

BACKOFF = Backoff(first_s=0.5, slowest_s=5.0)
SEAT_CLOSED = "seat_closed"


async def follow(
    api: GatewayApi, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncGenerator[Push | LobbyAway | None, None]:
    """Yield every push once, until the seat is closed.

    None says that the stream is connected, a LobbyAway that it is interrupted. Raises CallFailed.
    """
    last: int | None = None
    failures = 0
    while True:
        away = LobbyAway("the stream ended")
        try:
            async with aclosing(api.pushes(last)) as pushes:
                async for push in pushes:
                    failures = 0
                    if push is not None:
                        last = push.message_response.data.sequence or last
                    yield push
                    if push is not None and push.message_response.data.event == SEAT_CLOSED:
                        return
        except LobbyAway as error:
            away = error
        failures += 1
        yield away
        await sleep(BACKOFF.pause_s(failures))
