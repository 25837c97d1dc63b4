"""Pass an operation on to the lobby that owns what it is about, while that may change hands."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.client.waiting import Backoff
from casino_contracts import Reason, WireModel

from casino_lobby.access.active_rule import RETRY_AFTER_S
from casino_lobby.domain.member import Member
from casino_lobby.errors import OwnedElsewhere, PeerAway, StoreFailed
from casino_lobby.peers.client import PeerClient
from casino_lobby.peers.operations import PeerOperation
from casino_lobby.store import Store

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT", bound=WireModel)

COMMAND_PATIENCE_S: Final = 12.0
"""How long a command waits for the next owner: PostgreSQL ends a silent lobby's lock in 10 s."""
TABLE_PATIENCE_S: Final = 2.0
"""The same for what a table sends, which it repeats by itself."""

NO_ROOM: Final = ""
"""The id of no room: to find it, the store follows everything that was committed."""

_BACKOFF = Backoff(first_s=0.05, slowest_s=0.5)
_LOOK_EVERY_S = 0.25
"""How often a call looks whether its receiver is still the owner."""

FindOwner = Callable[[], Awaitable["Member | bool"]]
"""Returns the lobby that has to execute an operation; True if it is this one, False if nobody."""

logger = structlog.get_logger(__name__)


class OwnerRouting:
    """Executes operations here or at the owner, and again at the next one if that is lost.

    What is passed on has to be idempotent: a lobby that is lost may have executed it. `clock`
    returns seconds, `sleep` takes them.
    """

    def __init__(
        self,
        store: Store,
        client: PeerClient,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._client = client
        self._clock = clock
        self._sleep = sleep

    async def execute(
        self,
        operation: PeerOperation[InputT, OutputT],
        message: InputT,
        owner: FindOwner,
        here: Callable[[], Awaitable[OutputT]],
        *,
        patience_s: float = COMMAND_PATIENCE_S,
        is_read_here: bool = True,
    ) -> OutputT:
        """Return the output of an operation, which `here` executes if this lobby is the owner.

        With `is_read_here` this lobby has followed what the operation changed when it returns.
        Raises CommandRefused: those of the operation, and STANDBY if no owner answers within
        `patience_s`; and StoreFailed.
        """
        deadline, failures, cause = self._clock() + patience_s, 0, "no lobby has it"
        sent_on: Member | None = None
        while True:
            executor: Member | bool = sent_on or await owner()
            sent_on = None
            try:
                if executor is True:
                    return await here()
                if isinstance(executor, Member):
                    output = await self._call(executor, operation, message, owner)
                    if is_read_here:
                        await self._follow()
                    return output
            except OwnedElsewhere as elsewhere:
                cause = str(elsewhere)
                # Once; then the lobbies do not agree yet.
                sent_on = None if failures else Member(elsewhere.number, elsewhere.url)
            except PeerAway as away:
                cause = str(away)
            failures += 1
            if sent_on is None:
                if self._clock() >= deadline:
                    logger.warning("owner_away", operation=operation.name, error=cause)
                    raise _changing_hands(executor if isinstance(executor, Member) else None)
                await self._sleep(_BACKOFF.pause_s(failures))

    async def _call(
        self,
        executor: Member,
        operation: PeerOperation[InputT, OutputT],
        message: InputT,
        owner: FindOwner,
    ) -> OutputT:
        """Call a lobby for as long as it is the owner: one that is frozen answers nothing."""
        call = asyncio.ensure_future(self._client.call(executor, operation, message))
        try:
            while True:
                done, _ = await asyncio.wait([call], timeout=_LOOK_EVERY_S)
                if done:
                    return call.result()
                if executor not in self._store.others() and await owner() != executor:
                    raise PeerAway(f"lobby {executor.number} at {executor.url} was lost meanwhile")
        finally:
            if not call.done():
                call.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await call

    async def _follow(self) -> None:
        try:
            await self._store.find(NO_ROOM)
        except StoreFailed as failed:  # the operation was executed: only a read here is late
            logger.warning("reply_not_followed", error=str(failed))


def _changing_hands(owner: Member | None) -> CommandRefused:
    """Return the refusal; addresses of lobbies are not for callers."""
    lost = "a lobby that was lost" if owner is None else f"lobby {owner.number}"
    return CommandRefused(
        Reason.STANDBY,
        f"This belongs to {lost}, which cannot be asked, and no other one has taken it over yet."
        " Send the request again.",
        details={"retryAfter": str(RETRY_AFTER_S)},
    )
