"""Follow a lobby's event stream, reconnecting after interruptions."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta

from casino_agentkit.client.backoff import Backoff

from casino.errors import LobbyAway
from casino.lobby_api import LobbyApi
from casino.sse import Decoder, ServerSentEvent

_BACKOFF = Backoff(first_s=0.5, slowest_s=15.0)


@dataclass(frozen=True)
class Interruption:
    """The stream was interrupted; the client reconnects after `wait`."""

    why: str
    wait: timedelta


async def follow(
    api: LobbyApi,
    room_id: str | None,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncGenerator[ServerSentEvent | Interruption, None]:
    """Yield the events of a room, until its `room_closed`, or of all rooms, each once.

    After an interruption it resumes after the last event. Raises CallFailed if the lobby refuses,
    and LobbyAway if the first connection fails.
    """
    last_id, failures, has_answered = "", 0, False
    while True:
        decoder = Decoder(last_id)
        why = "the stream ended"
        try:
            async with aclosing(api.stream(room_id, decoder)) as events:
                async for event in events:
                    failures, has_answered = 0, True
                    yield event
                    if room_id is not None and event.name == "room_closed":
                        return
        except LobbyAway as away:
            if not has_answered:
                raise
            why = str(away)
        last_id = decoder.last_id
        failures += 1
        retry_s = min((decoder.retry_ms or 0) / 1000, _BACKOFF.slowest_s)
        wait_s = max(_BACKOFF.pause_s(failures), retry_s)
        yield Interruption(why, timedelta(seconds=wait_s))
        await sleep(wait_s)
