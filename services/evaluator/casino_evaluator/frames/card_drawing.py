"""Draw playing cards: large ones, and small ones where there are many."""

from collections.abc import Sequence

from casino_evaluator.frames.canvas import SIZE, Canvas
from casino_evaluator.frames.font import PITCH, SUITS, WIDTH, glyph
from casino_evaluator.frames.palette import (
    BLACK,
    BLUE,
    DARK,
    GRAY,
    GREEN,
    MAGENTA,
    PURPLE,
    RED,
    SILVER,
    WHITE,
)
from casino_evaluator.frames.scene import Card

CARD_WIDTH = 8
CARD_HEIGHT = 12
CARD_PITCH = 9
SMALL_HEIGHT = 6

SUIT_COLOURS = {"c": GREEN, "d": BLUE, "h": RED, "s": BLACK}
RANKS = "23456789TJQKA"
_NAME_LENGTH = 2
_LONGEST_LABEL = 4
_LETTERS_OF_A_LINE = 2
_SECOND_LINE = 6
_BACK = "-"


def suit_of(label: str) -> str:
    """Return the suit of a card's name, an empty text for other labels."""
    is_name = len(label) == _NAME_LENGTH and label[0] in RANKS and label[1] in SUITS
    return label[1] if is_name else ""


def large_fit(cards: Sequence[Card], width: int) -> bool:
    """Return whether cards fit into a width without being small."""
    return len(cards) * CARD_PITCH - 1 <= width


def draw_cards(canvas: Canvas, x: int, y: int, width: int, cards: Sequence[Card]) -> None:
    """Draw cards from the left: one line of large ones, or else two lines of small ones."""
    if large_fit(cards, width):
        for place, card in enumerate(cards):
            draw_large(canvas, x + place * CARD_PITCH, y, card)
        return
    rest = draw_small(canvas, x, y, width, cards)
    draw_small(canvas, x, y + SMALL_HEIGHT, width, rest)


def draw_large(canvas: Canvas, x: int, y: int, card: Card) -> None:
    """Draw a card of 8 x 12: rank and suit, or up to four letters, or its back."""
    if card is None:
        canvas.fill(x, y, CARD_WIDTH, CARD_HEIGHT, PURPLE)
        for line in range(1, CARD_HEIGHT - 1, 2):
            canvas.fill(x + 1, y + line, CARD_WIDTH - 2, 1, MAGENTA)
        return
    if not card:
        canvas.outline(x, y, CARD_WIDTH, CARD_HEIGHT, GRAY)
        return
    canvas.fill(x, y, CARD_WIDTH, CARD_HEIGHT, WHITE)
    suit = suit_of(card)
    if suit:
        colour = SUIT_COLOURS[suit]
        canvas.draw(x + 1, y + 1, glyph(card[0]), colour)
        canvas.draw(x + 2, y + _SECOND_LINE, SUITS[suit], colour)
        return
    label = card[:_LONGEST_LABEL].upper()
    canvas.text(x + 1, y + 1, label[:_LETTERS_OF_A_LINE], DARK)
    if len(label) == 1:
        canvas.text(x + PITCH, y + _SECOND_LINE, label, DARK)
    else:
        canvas.text(x + 1, y + _SECOND_LINE, label[_LETTERS_OF_A_LINE:], DARK)


def draw_small(canvas: Canvas, x: int, y: int, width: int, cards: Sequence[Card]) -> Sequence[Card]:
    """Draw cards as their ranks in the colours of their suits; return those without a place.

    The backgrounds of neighbours differ, so that 1 and 10 are not 11 and 0.
    """
    right = min(SIZE, x + width)
    for place, card in enumerate(cards):
        label = _BACK if card is None else card[:1] if suit_of(card) else card[:_LONGEST_LABEL]
        taken = max(1, len(label)) * PITCH
        if x + taken + 1 > right:
            return cards[place:]
        back = PURPLE if card is None else (WHITE, SILVER)[place % 2]
        colour = MAGENTA if card is None else SUIT_COLOURS.get(suit_of(card), DARK)
        canvas.fill(x, y, taken, SMALL_HEIGHT, back)
        canvas.text(x + 1, y, label.upper(), colour, x + WIDTH + taken)
        x += taken
        canvas.fill(x, y, 1, SMALL_HEIGHT, back)
    return ()
