"""Read the completed hands of a room from its lobby, a page at a time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from casino_agentkit import KitReason
from casino_contracts import (
    HOLDEM,
    HandDetail,
    HandPage,
    HandRecord,
    HandSummary,
    Reason,
    TableEvent,
)
from casino_histories import HandHistory, NotExportable
from casino_histories.from_record import history_of
from casino_lobby_client.errors import CallFailed, LobbyAway

from casino.lobby_api import LobbyApi

_PER_PAGE = 100
_RECORDS_AT_ONCE = 8
_WAIT_S = 5.0
_MOST_WAITS = 60

T = TypeVar("T")


@dataclass
class LeftOut:
    """What is missing in an export, with a reason for each."""

    hands: dict[str, str] = field(default_factory=dict)
    """By name of the hand."""
    cards: dict[str, str] = field(default_factory=dict)
    """Hands that are there with the cards that were shown only."""


class RoomHands:
    """The hands of a room, with every card if there is an operator's key."""

    def __init__(
        self,
        api: LobbyApi,
        room: str,
        *,
        with_all_cards: bool,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._api = api
        self._room = room
        self._with_all_cards = with_all_cards
        self._sleep = sleep
        self.left_out = LeftOut()

    async def pages(self) -> AsyncIterator[list[HandHistory]]:
        """Yield the hands in the order of play, without those of `left_out`; raises CallFailed."""
        game = (await self._api.room(self._room)).game_type or HOLDEM
        if game != HOLDEM:
            raise CallFailed(
                f"{self._room} is a room of {game}: only hands of {HOLDEM} can be exported"
            )
        after: str | None = None
        while True:
            page = await self._page(after)
            yield await self._histories(page.hands)
            after = page.next
            if after is None:
                return

    async def _page(self, after: str | None) -> HandPage:
        query = {"after": after, "limit": _PER_PAGE}
        return await self._patient(lambda: self._api.hand_page(self._room, query))

    async def _histories(self, hands: Sequence[HandSummary]) -> list[HandHistory]:
        details = [detail for epoch in self._by_epoch(hands) for detail in await self._read(epoch)]
        records: Sequence[HandRecord | None] = [None] * len(details)
        if self._with_all_cards:
            limit = asyncio.Semaphore(_RECORDS_AT_ONCE)
            records = await asyncio.gather(*(self._record(detail, limit) for detail in details))
        histories = []
        for detail, record in zip(details, records, strict=True):
            try:
                histories.append(history_of(detail, record))
            except NotExportable as reason:
                self.left_out.hands[_name(detail.hand)] = str(reason)
        return histories

    @staticmethod
    def _by_epoch(hands: Sequence[HandSummary]) -> list[list[HandSummary]]:
        epochs: dict[int, list[HandSummary]] = {}
        for hand in hands:
            epochs.setdefault(hand.epoch, []).append(hand)
        return list(epochs.values())

    async def _read(self, hands: Sequence[HandSummary]) -> list[HandDetail]:
        """Return hands of an epoch with their events, which are read together."""
        first = min(hand.first_sequence or hand.last_sequence for hand in hands)
        last = max(hand.last_sequence for hand in hands)
        epoch, after = hands[0].epoch, first - 1
        events: list[TableEvent] = []
        while after < last:
            page = await self._patient(lambda: self._api.events(self._room, after, epoch))  # noqa: B023  called at once
            if not page.events:
                break
            events += page.events
            after = page.last_sequence
        by_sequence = {event.sequence: event for event in events}
        return [
            HandDetail(
                room_id=self._room,
                hand=hand,
                events=tuple(
                    by_sequence[place]
                    for place in range(
                        hand.first_sequence or hand.last_sequence, hand.last_sequence + 1
                    )
                    if place in by_sequence
                ),
            )
            for hand in hands
        ]

    async def _record(self, detail: HandDetail, limit: asyncio.Semaphore) -> HandRecord | None:
        hand = detail.hand
        async with limit:
            try:
                return await self._patient(
                    lambda: self._api.hand_record(
                        self._room, hand.hand_number, hand.epoch, questions=False
                    )
                )
            except CallFailed as failed:
                if failed.reason == KitReason.UNAUTHORIZED:
                    raise
                self.left_out.cards[_name(hand)] = str(failed)
                return None

    async def _patient(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what a request returns; one that came too early is sent again after a while."""
        for _ in range(_MOST_WAITS):
            try:
                return await call()
            except LobbyAway as away:
                if away.reason != Reason.TOO_MANY_REQUESTS:
                    raise
            await self._sleep(_WAIT_S)
        return await call()


def _name(hand: HandSummary) -> str:
    return f"hand {hand.hand_number}" + (f" of epoch {hand.epoch}" if hand.epoch > 1 else "")
