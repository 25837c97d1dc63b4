"""Standby: the lobby opens when its store is free, and is active while the store is its own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from casino_lobby.errors import StoreFailed
from casino_lobby.store import Store

CLAIM_EVERY_S: Final = 0.5
"""The pause between two attempts to claim the store."""

_LOOK_EVERY_S: Final = 1.0
_UNSURE_LOOKS: Final = 2
"""So many looks in a row find the store lost before streams end: a database may restart."""

_TRIES_AT_START: Final = 3
"""Cover the end of a lobby that was just killed: its successor need not stand by."""

_STANDING_BY = "This lobby stands by: another lobby is active on its database."
_TAKING_OVER = "This lobby takes the database over."
_UNSURE = "This lobby has lost its connection to the database; another lobby may be active."

logger = structlog.get_logger(__name__)


class Activation:
    """Opens the lobby once its store is claimed; until then the lobby stands by.

    `on_failed` is called if the store was claimed in standby but could not be opened. `on_unsure`
    ends what the lobby still sends: it is called again and again while the lobby is not active.
    `sleep` takes seconds.
    """

    def __init__(
        self,
        store: Store,
        open_lobby: Callable[[], Awaitable[None]],
        on_failed: Callable[[], None],
        on_unsure: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._open_lobby = open_lobby
        self._on_failed = on_failed
        self._on_unsure = on_unsure
        self._sleep = sleep
        self._tasks: list[asyncio.Task[None]] = []
        self._cause: str | None = None
        self._fault = ""

    def standby(self) -> str | None:
        """Return why this lobby may not answer at this moment; None while it is active."""
        if self._cause is not None:
            return self._cause
        return None if self._store.is_held else _UNSURE

    async def start(self) -> None:
        """Open the lobby, or begin to stand by; raises StoreFailed."""
        self._tasks.append(asyncio.create_task(self._look(), name="store look"))
        try:
            for attempt in range(_TRIES_AT_START):
                if attempt:
                    await self._sleep(CLAIM_EVERY_S)
                if await self._store.claim():
                    await self._open_lobby()
                    return
        except BaseException:
            await self.stop()
            await self._store.close()
            raise
        self._cause = _STANDING_BY
        logger.info("stood_by")
        self._tasks.append(asyncio.create_task(self._wait(), name="standby"))

    async def stop(self) -> None:
        """Stop waiting for the store, and looking at it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _look(self) -> None:
        unsure = 0
        while True:
            await self._sleep(_LOOK_EVERY_S)
            unsure = 0 if self.standby() is None else unsure + 1
            if unsure >= _UNSURE_LOOKS:
                self._on_unsure()

    async def _wait(self) -> None:
        while not await self._claims():
            await self._sleep(CLAIM_EVERY_S)
        self._cause = _TAKING_OVER
        try:
            await self._open_lobby()
        except Exception:
            logger.exception("takeover_failed")
            self._on_failed()
        else:
            self._cause = None
            logger.info("lobby_taken_over")

    async def _claims(self) -> bool:
        """Try once; a database that cannot be asked is as good as one that is held."""
        try:
            return await self._store.claim()
        except StoreFailed as error:
            if self._fault != str(error):
                logger.warning("claim_failed", error=str(error))
            self._fault = str(error)
            return False
