"""What a seat adds to its table's deal: a person's page gives it, else the gateway does.

Entropy is nobody's before it is published: none of it is logged or stored here.
"""

import asyncio
from collections.abc import Callable

from casino_agentkit.contributor import Contributor
from casino_contracts import ContributeInput, ContributeOutput
from casino_seats.clock import Clock

from casino_gateway.domain.updates import PartAsked, PlayerKind

PAGE_S = 1.5
"""How long a page may take to answer; the table waits two seconds."""


class SeatContribution:
    """A seat's part in the deal, block by block.

    A person's page answers for the person, or nobody does: a page that is not there in time takes
    no part. A program is not asked, as its protocol has no way to: the gateway's own random bytes
    are its part.
    """

    def __init__(self, kind: PlayerKind, clock: Clock, tell: Callable[[PartAsked], None]) -> None:
        self.asked: PartAsked | None = None
        """What the page is asked now."""
        self._gateway = None if kind == "human" else Contributor()
        self._clock = clock
        self._tell = tell
        self._waiting: asyncio.Future[ContributeOutput] | None = None

    async def answer(self, request: ContributeInput, *, is_there: bool) -> ContributeOutput:
        """Return the part in a block; empty where there is none."""
        if self._gateway is not None:
            asked = request.model_dump(mode="json", by_alias=True)
            return ContributeOutput.model_validate(self._gateway.answer(asked))
        if not is_there or request.contributed is not None:
            return ContributeOutput()
        return await self._ask(request)

    def take(self, block: str, part: ContributeOutput) -> None:
        """Take a page's part. What was not asked for, or comes late, is dropped."""
        asked, waiting = self.asked, self._waiting
        if asked is None or waiting is None or block != asked.request.block:
            return
        if asked.request.commitment is None:
            part = ContributeOutput(commitment=part.commitment)
        else:
            part = ContributeOutput(entropy=part.entropy)
        if part != ContributeOutput():
            _settle(waiting, part)

    async def _ask(self, request: ContributeInput) -> ContributeOutput:
        if self._waiting is not None:
            _settle(self._waiting, ContributeOutput())  # the table asks one thing at a time
        asked = PartAsked(request)
        waiting: asyncio.Future[ContributeOutput] = asyncio.get_running_loop().create_future()
        self.asked, self._waiting = asked, waiting
        clock = self._clock
        late = clock.at(clock.now() + PAGE_S, lambda: _settle(waiting, ContributeOutput()))
        self._tell(asked)
        try:
            return await waiting
        finally:
            late.cancel()
            if self.asked is asked:
                self.asked = self._waiting = None


def _settle(waiting: "asyncio.Future[ContributeOutput]", part: ContributeOutput) -> None:
    if not waiting.done():
        waiting.set_result(part)
