"""Draws playing cards."""

from dataclasses import dataclass
from typing import Final

from casino_contracts import Card

from casino_lobby.preview import palette
from casino_lobby.preview.canvas import Canvas
from casino_lobby.preview.font import typefaces


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
    canvas: Canvas, x: int, y: int, cards: tuple[Card, ...], size: CardSize, ground: int
) -> int:
    """Draw cards side by side; return where the next would be."""
    for card in cards:
        _draw(canvas, x, y, card, size, ground)
        x += size.width + size.gap
    return x


def _draw(canvas: Canvas, x: int, y: int, card: Card, size: CardSize, ground: int) -> None:
    canvas.rounded(x, y, size.width, size.height, size.radius, palette.CARD, ground)
    colour = palette.SUITS.get(card.suit, palette.UNKNOWN_SUIT)
    typeface = typefaces()[size.rank]
    rank = "10" if card.rank == "T" else card.rank
    letters = rank if all(typeface.has(letter) for letter in rank) else "?"
    left = x + (size.width - typeface.width(letters)) // 2
    top = y + size.height // 2 - typeface.height
    canvas.text(left, top + size.height // 20, letters, typeface, colour, palette.CARD)
    pips = typefaces()[size.pip]
    if pips.has(card.suit):
        pip = pips.glyph(card.suit)
        middle = x + (size.width - pip.width) // 2
        canvas.sign(middle, y + size.height // 2 + size.height // 16, pip, colour, palette.CARD)
