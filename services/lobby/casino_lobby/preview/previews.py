"""Previews of links: facts read from the store, cards drawn in a thread, and tags of the page."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from casino_agentkit import CommandRefused
from casino_agentkit.bounded_state import LruDict
from casino_contracts import HOLDEM, Card, Reason
from casino_contracts.events.content import HandStarted

from casino_lobby.access.operator import Operator
from casino_lobby.access.request_budget import READ, RequestBudget
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_views import standings_of
from casino_lobby.errors import StoreFailed
from casino_lobby.preview.card_canvas import CardCanvas, typefaces
from casino_lobby.preview.facts import (
    HandFacts,
    HandPlayer,
    RoomFacts,
    chips,
    hand_description,
    hand_detail,
    hand_facts,
    hand_headline,
    hand_title,
    room_description,
    room_facts,
    room_leader,
    room_state,
    room_title,
    signed,
)
from casino_lobby.preview.front_page import PageLink, Preview
from casino_lobby.service.completed_hands import Hands
from casino_lobby.service.use_cases import UseCases
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store, StoredHand

GROUND: Final = 0x121417
FELT: Final = 0x1F5442
GOLD: Final = 0xF2C14E
ACCENT: Final = 0x6FD3A7
LOSS: Final = 0xFF9B90
ON_FELT: Final = 0xEEF5EF
FELT_MUTED: Final = 0xB5CCBF
CARD: Final = 0xFFFEFB
SUITS: Final = {"hearts": 0xC6262E, "diamonds": 0x1668B8, "clubs": 0x1A7A3C, "spades": 0x1C2025}
UNKNOWN_SUIT: Final = 0x5B616B

WIDTH: Final = 1200
HEIGHT: Final = 630
VERSION: Final = 1
"""To be raised with every change of the drawing: it is part of a card's address."""
_MARGIN: Final = 60
_RIGHT: Final = WIDTH - _MARGIN
_MOST_HANDS: Final = 3
_MOST_LINES: Final = 4


@dataclass(frozen=True)
class CardSize:
    """A card's measures in pixels, and the typefaces of its rank and suit."""

    width: int
    height: int
    radius: int
    gap: int
    rank: str
    pip: str


BOARD: Final = CardSize(118, 160, 12, 14, "rank", "pip")
HAND: Final = CardSize(82, 110, 9, 9, "minor", "minor-pip")


def draw_cards(
    canvas: CardCanvas, x: int, y: int, cards: tuple[Card, ...], size: CardSize, ground: int
) -> int:
    """Draw cards side by side; return where the next would be."""
    for card in cards:
        _draw(canvas, x, y, card, size, ground)
        x += size.width + size.gap
    return x


def _draw(canvas: CardCanvas, x: int, y: int, card: Card, size: CardSize, ground: int) -> None:
    canvas.rounded(x, y, size.width, size.height, size.radius, CARD, ground)
    colour = SUITS.get(card.suit, UNKNOWN_SUIT)
    typeface = typefaces()[size.rank]
    rank = "10" if card.rank == "T" else card.rank
    letters = rank if all(typeface.has(letter) for letter in rank) else "?"
    left = x + (size.width - typeface.width(letters)) // 2
    top = y + size.height // 2 - typeface.height
    canvas.text(left, top + size.height // 20, letters, typeface, colour, CARD)
    pips = typefaces()[size.pip]
    if pips.has(card.suit):
        pip = pips.glyph(card.suit)
        middle = x + (size.width - pip.width) // 2
        canvas.sign(middle, y + size.height // 2 + size.height // 16, pip, colour, CARD)


def hand_card(facts: HandFacts, casino: str) -> bytes:
    canvas = _begin(casino, f"{facts.room_id} · Hand {facts.number}")
    _line(canvas, 92, hand_headline(facts), "title", GOLD)
    _line(canvas, 168, hand_detail(facts), "text", ON_FELT)
    if facts.pot is None:
        _results(canvas, [(player.name, player.won) for player in facts.players])
        return canvas.png()
    end = draw_cards(canvas, _MARGIN, 236, facts.board, BOARD, FELT) if facts.board else _MARGIN
    typeface = typefaces()["title"]
    canvas.text(end + 32, 254, "Pot", typefaces()["text"], FELT_MUTED, FELT)
    pot = typeface.fit(chips(facts.pot), _RIGHT - end - 32)
    canvas.text(end + 32, 302, pot, typeface, ON_FELT, FELT)
    shown = [player for player in facts.players if player.cards]
    _shown_hands(canvas, shown)
    return canvas.png()


def room_card(facts: RoomFacts, casino: str) -> bytes:
    canvas = _begin(casino, room_state(facts))
    _line(canvas, 92, facts.room_id, "title", GOLD)
    _line(canvas, 168, room_leader(facts) or "", "text", ON_FELT)
    _results(canvas, list(facts.players))
    return canvas.png()


def _begin(casino: str, right: str) -> CardCanvas:
    """Return a canvas with the felt, the casino's name at the left and a text at the right."""
    canvas = CardCanvas(WIDTH, HEIGHT, GROUND)
    canvas.rounded(20, 20, WIDTH - 40, HEIGHT - 40, 36, FELT, GROUND)
    typeface = typefaces()["small"]
    right = typeface.fit(right, (_RIGHT - _MARGIN) * 2 // 3)
    left = typeface.fit(casino, _RIGHT - _MARGIN - typeface.width(right) - 40)
    canvas.text(_MARGIN, 44, left, typeface, FELT_MUTED, FELT)
    place = _RIGHT - typeface.width(right)
    canvas.text(place, 44, right, typeface, FELT_MUTED, FELT)
    return canvas


def _line(canvas: CardCanvas, y: int, text: str, name: str, colour: int) -> None:
    typeface = typefaces()[name]
    text = typeface.fit(text, _RIGHT - _MARGIN)
    canvas.text(_MARGIN, y, text, typeface, colour, FELT)


def _shown_hands(canvas: CardCanvas, players: list[HandPlayer]) -> None:
    width = (_RIGHT - _MARGIN) // _MOST_HANDS
    bold, small = typefaces()["text"], typefaces()["small"]
    for place, player in enumerate(players[:_MOST_HANDS]):
        x = _MARGIN + place * width
        colour = GOLD if player.won > 0 else ON_FELT
        name = bold.fit(player.name, width - 24)
        canvas.text(x, 414, name, bold, colour, FELT)
        end = draw_cards(canvas, x, 464, player.cards[:2], HAND, FELT)
        for number, line in enumerate(_wrapped(player.rank_name, x + width - 16 - end)):
            canvas.text(end + 6, 476 + number * 34, line, small, FELT_MUTED, FELT)
    more = len(players) - _MOST_HANDS
    if more > 0:
        text = f"+{more} more"
        place = _RIGHT - small.width(text)
        canvas.text(place, 570, text, small, FELT_MUTED, FELT)


def _wrapped(text: str, width: int) -> list[str]:
    typeface = typefaces()["small"]
    lines: list[str] = []
    for word in text.split()[:6]:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and typeface.width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(typeface.fit(word, width))
    return lines[:3]


def _results(canvas: CardCanvas, players: list[tuple[str, float]]) -> None:
    typeface = typefaces()["text"]
    for place, (name, amount) in enumerate(players[:_MOST_LINES]):
        y = 260 + place * 68
        colour = ACCENT if amount > 0 else LOSS if amount < 0 else ON_FELT
        text = signed(amount)
        canvas.text(_RIGHT - typeface.width(text), y, text, typeface, colour, FELT)
        shown = typeface.fit(name, _RIGHT - _MARGIN - typeface.width(text) - 40)
        canvas.text(_MARGIN, y, shown, typeface, ON_FELT, FELT)
    more = len(players) - _MOST_LINES
    if more > 0:
        canvas.text(_MARGIN, 540, f"and {more} more", typefaces()["small"], FELT_MUTED, FELT)


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
        """May raise CommandRefused, StoreFailed."""
        room = await self._lobby.find_room(room_id)
        standings = standings_of(room)
        return room_facts(room, standings, is_holdem=room.game_type == HOLDEM)

    async def hand(self, room_id: str, number: int, epoch: int | None) -> HandFacts:
        """Read the newest epoch with the hand by default; raises CommandRefused, StoreFailed."""
        room = await self._lobby.find_room(room_id)
        hand = await self._hands.find(room, number, epoch)
        results = room.results
        names = {player_id: player.name for player_id, player in results.players.items()}
        return hand_facts(room, hand, await self._started(room, hand), names)

    async def _started(self, room: Room, hand: StoredHand) -> HandStarted | None:
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
        """Return a PNG. Raises CommandRefused: TOO_MANY_REQUESTS if many wait to be drawn."""
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
        """None while it cannot be made; a public URL replaces `base_url`, the caller's way."""
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
