"""Previews of links: facts read from the store, cards drawn in a thread, and tags of the page."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from casino_agentkit import CommandRefused
from casino_agentkit.bounded_state import LruDict
from casino_contracts import HOLDEM, Reason
from casino_contracts.events.content import HandStarted

from casino_lobby.access.operator import Operator
from casino_lobby.access.request_budget import READ, RequestBudget
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import standings_of
from casino_lobby.errors import StoreFailed
from casino_lobby.preview.card_drawing import VERSION, hand_card, room_card
from casino_lobby.preview.facts import (
    HandFacts,
    RoomFacts,
    hand_description,
    hand_facts,
    hand_title,
    room_description,
    room_facts,
    room_title,
)
from casino_lobby.preview.front_page import PageLink, Preview
from casino_lobby.service.completed_hands import Hands
from casino_lobby.service.use_cases import UseCases
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store, StoredHand

KEPT: Final = 128
"""Maximum number of kept cards, of about 25 kB each."""
MOST_WAITING: Final = 16
"""Maximum number of cards that are drawn or wait for it; they are drawn one at a time."""
Facts = HandFacts | RoomFacts
_MISSING = frozenset({Reason.ROOM_NOT_FOUND, Reason.HAND_NOT_FOUND})


class Previews:
    """Facts of rooms and completed hands."""

    def __init__(self, lobby: UseCases, hands: Hands, store: Store) -> None:
        self._lobby = lobby
        self._hands = hands
        self._store = store

    async def room(self, room_id: str) -> RoomFacts:
        """Return the facts of a room; raises CommandRefused and StoreFailed."""
        room = await self._lobby.find_room(room_id)
        standings = standings_of(room)
        return room_facts(room, standings, is_holdem=room.game_type == HOLDEM)

    async def hand(self, room_id: str, number: int, epoch: int | None) -> HandFacts:
        """Return the facts of a hand, by default of the newest epoch that has one.

        Raises CommandRefused: ROOM_NOT_FOUND, HAND_NOT_FOUND, and StoreFailed.
        """
        room = await self._lobby.find_room(room_id)
        hand = await self._hands.find(room, number, epoch)
        results = room.results
        names = {player_id: player.name for player_id, player in results.players.items()}
        return hand_facts(room, hand, await self._started(room, hand), names)

    async def _started(self, room: Room, hand: StoredHand) -> HandStarted | None:
        """Return how a hand began, None if that is not stored."""
        if hand.first_sequence is None:
            return None
        first = hand.first_sequence
        events = await self._store.events(room, first - 1, 1, hand.key.epoch)
        is_first = bool(events) and events[0].event_type == "hand_started"
        return HandStarted(events[0].payload) if is_first else None


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


@dataclass(frozen=True)
class Missing:
    """There is no such room or hand."""


class Previewer:
    """Previews for everybody; the budget of an address pays for reading them."""

    def __init__(
        self,
        previews: Previews,
        cards: DrawnCards,
        budget: RequestBudget,
        *,
        casino: str,
        public_url: str | None,
    ) -> None:
        self._previews = previews
        self._cards = cards
        self._budget = budget
        self._casino = casino
        self._public_url = public_url

    async def preview(
        self, link: PageLink, base_url: str, address: str
    ) -> Preview | Missing | None:
        """Return the preview for a caller at an address; None while it cannot be made.

        `base_url` is where the caller found the lobby, unless a public URL is configured.
        """
        base = (self._public_url or base_url).rstrip("/")
        try:
            self._budget.take(address, READ)
            if link.hand is None:
                return await self._of_room(link, base)
            return await self._of_hand(link, link.hand, base)
        except CommandRefused as refused:
            return Missing() if refused.reason in _MISSING else None
        except StoreFailed:
            return None

    async def _of_room(self, link: PageLink, base: str) -> Preview:
        facts = await self._previews.room(link.room)
        return Preview(
            room_title(facts),
            room_description(facts, self._casino),
            base + link.path,
            f"{base}{link.path}/card.png?v={self._cards.version(facts)}",
        )

    async def _of_hand(self, link: PageLink, hand: int, base: str) -> Preview:
        facts = await self._previews.hand(link.room, hand, link.epoch)
        version = self._cards.version(facts)
        return Preview(
            hand_title(facts),
            hand_description(facts, self._casino),
            base + link.path + link.query,
            f"{base}{link.path}/card.png?epoch={facts.epoch}&v={version}",
        )


class PreviewParts(NamedTuple):
    """What cards and pages need; without a `previewer` pages have no previews."""

    previews: Previews
    cards: DrawnCards
    previewer: Previewer | None

    @classmethod
    def of(
        cls,
        settings: LobbySettings,
        lobby: UseCases,
        store: Store,
        operator: Operator,
        budget: RequestBudget,
    ) -> "PreviewParts":
        """Return the parts; where only the operator reads, pages have no previews."""
        previews, cards = Previews(lobby, Hands(store), store), DrawnCards(settings.name)
        previewer = Previewer(
            previews, cards, budget, casino=settings.name, public_url=settings.public_url
        )
        return cls(previews, cards, None if operator.guards_reading else previewer)
