"""Draws the cards of hands and rooms, 1200 by 630 pixels: what a posted link shows. Pure.

The colours are those of the page's dark theme.
"""

from dataclasses import dataclass
from typing import Final

from casino_contracts import Card

from casino_lobby.preview.card_canvas import CardCanvas, typefaces
from casino_lobby.preview.facts import (
    HandFacts,
    HandPlayer,
    RoomFacts,
    chips,
    hand_detail,
    hand_headline,
    room_leader,
    room_state,
    signed,
)

GROUND: Final = 0x121417
FELT: Final = 0x1F5442
GOLD: Final = 0xF2C14E
ACCENT: Final = 0x6FD3A7
LOSS: Final = 0xFF9B90
ON_FELT: Final = 0xEEF5EF
FELT_MUTED: Final = 0xB5CCBF
CARD: Final = 0xFFFEFB
SUITS: Final = {"hearts": 0xC6262E, "diamonds": 0x1668B8, "clubs": 0x1A7A3C, "spades": 0x1C2025}
"""Four colours, as on the page."""
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
    """Return the card of a hand as PNG."""
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
    """Return the card of a room as PNG."""
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
    """Draw who showed what: up to three hands side by side."""
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
    """Return up to three lines of a text."""
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
    """Draw names and results, the best first."""
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
