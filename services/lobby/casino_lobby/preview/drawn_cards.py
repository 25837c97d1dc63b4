"""Draws cards in a thread, each once while it is among the newest."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final

from casino_agentkit import CommandRefused
from casino_agentkit.lru_dict import LruDict
from casino_contracts import Reason

from casino_lobby.preview.drawing import VERSION, hand_card, room_card
from casino_lobby.preview.facts import HandFacts, RoomFacts

KEPT: Final = 128
"""Maximum number of kept cards, of about 25 kB each."""
MOST_WAITING: Final = 16
"""Maximum number of cards that are drawn or wait for it; they are drawn one at a time."""

Facts = HandFacts | RoomFacts


def draw(facts: Facts, casino: str) -> bytes:
    """Return a card as PNG; takes tens of milliseconds."""
    return hand_card(facts, casino) if isinstance(facts, HandFacts) else room_card(facts, casino)


class DrawnCards:
    """The cards of a casino by what they say, which includes room, epoch and hand."""

    def __init__(self, casino: str, draw: Callable[[Facts, str], bytes] = draw) -> None:
        self._casino = casino
        self._draw = draw
        self._kept = LruDict[Facts, bytes](KEPT)
        self._drawing: dict[Facts, asyncio.Task[bytes]] = {}
        self._one_at_a_time = asyncio.Semaphore(1)

    def version(self, facts: Facts) -> str:
        """Return 16 hexadecimal digits that differ if the card does."""
        said = f"{VERSION}\0{self._casino}\0{facts!r}"
        return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()

    async def card(self, facts: Facts) -> bytes:
        """Return a card as PNG.

        Raises CommandRefused: TOO_MANY_REQUESTS if too many others wait to be drawn.
        """
        kept = self._kept.get(facts)
        if kept is not None:
            return kept
        task = self._drawing.get(facts)
        if task is None:
            if len(self._drawing) >= MOST_WAITING:
                raise CommandRefused(
                    Reason.TOO_MANY_REQUESTS,
                    f"{MOST_WAITING} other cards are being drawn; try again in a second.",
                    details={"retryAfter": "1"},
                )
            task = asyncio.create_task(self._drawn(facts))
            self._drawing[facts] = task
            task.add_done_callback(lambda _done: self._drawing.pop(facts))
        return await asyncio.shield(task)  # a cancelled caller must not cancel the others' card

    async def _drawn(self, facts: Facts) -> bytes:
        async with self._one_at_a_time:
            card = await asyncio.to_thread(self._draw, facts, self._casino)
        self._kept.put(facts, card)
        return card
