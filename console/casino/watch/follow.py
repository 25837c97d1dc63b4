"""Following a lobby's stream for as long as it lasts, across every interruption."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta

from casino.lobby_api import LobbyApi, LobbyAway
from casino.sse import Decoder, ServerSentEvent

_WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)


@dataclass(frozen=True)
class Interruption:
    """The stream broke off; it is asked for again after a while."""

    why: str
    wait: timedelta


async def follow(
    api: LobbyApi,
    room_id: str | None,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncGenerator[ServerSentEvent | Interruption, None]:
    """Return a room's events, or everybody's, each once; a room's end with its `room_closed`.

    After an interruption it goes on behind the last event that was read. Raises LobbyError when
    the lobby says no, and LobbyAway when it has never answered.
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
        asked_s = min((decoder.retry_ms or 0) / 1000, _WAITS_S[-1])
        wait_s = max(_WAITS_S[min(failures, len(_WAITS_S) - 1)], asked_s)
        failures += 1
        yield Interruption(why, timedelta(seconds=wait_s))
        await sleep(wait_s)
