"""Draws the cards of hands and rooms, 1200 by 630 pixels: what a posted link shows. Pure."""

from typing import Final

from casino_lobby.preview import palette
from casino_lobby.preview.amounts import chips, signed
from casino_lobby.preview.canvas import Canvas
from casino_lobby.preview.facts import HandFacts, HandPlayer, RoomFacts
from casino_lobby.preview.font import typefaces
from casino_lobby.preview.playing_cards import BOARD, HAND, draw_cards
from casino_lobby.preview.texts import (
    hand_detail,
    hand_headline,
    room_leader,
    room_state,
)

WIDTH: Final = 1200
HEIGHT: Final = 630
VERSION: Final = 1
"""To be raised with every change of the drawing: it is part of a card's address."""
_MARGIN: Final = 60
_RIGHT: Final = WIDTH - _MARGIN
_MOST_HANDS: Final = 3
_MOST_LINES: Final = 4


def hand_card(facts: HandFacts, casino: str) -> bytes:
    """Return the card of a hand as PNG."""
    canvas = _begin(casino, f"{facts.room_id} · Hand {facts.number}")
    _line(canvas, 92, hand_headline(facts), "title", palette.GOLD)
    _line(canvas, 168, hand_detail(facts), "text", palette.ON_FELT)
    if facts.pot is None:
        _results(canvas, [(player.name, player.won) for player in facts.players])
        return canvas.png()
    if facts.board:
        end = draw_cards(canvas, _MARGIN, 236, facts.board, BOARD, palette.FELT)
    else:
        end = _MARGIN
    typeface = typefaces()["title"]
    canvas.text(end + 32, 254, "Pot", typefaces()["text"], palette.FELT_MUTED, palette.FELT)
    pot = typeface.fit(chips(facts.pot), _RIGHT - end - 32)
    canvas.text(end + 32, 302, pot, typeface, palette.ON_FELT, palette.FELT)
    shown = [player for player in facts.players if player.cards]
    _shown_hands(canvas, shown)
    return canvas.png()


def room_card(facts: RoomFacts, casino: str) -> bytes:
    """Return the card of a room as PNG."""
    canvas = _begin(casino, room_state(facts))
    _line(canvas, 92, facts.room_id, "title", palette.GOLD)
    _line(canvas, 168, room_leader(facts) or "", "text", palette.ON_FELT)
    _results(canvas, list(facts.players))
    return canvas.png()


def _begin(casino: str, right: str) -> Canvas:
    """Return a canvas with the felt, the casino's name at the left and a text at the right."""
    canvas = Canvas(WIDTH, HEIGHT, palette.GROUND)
    canvas.rounded(20, 20, WIDTH - 40, HEIGHT - 40, 36, palette.FELT, palette.GROUND)
    typeface = typefaces()["small"]
    right = typeface.fit(right, (_RIGHT - _MARGIN) * 2 // 3)
    left = typeface.fit(casino, _RIGHT - _MARGIN - typeface.width(right) - 40)
    canvas.text(_MARGIN, 44, left, typeface, palette.FELT_MUTED, palette.FELT)
    place = _RIGHT - typeface.width(right)
    canvas.text(place, 44, right, typeface, palette.FELT_MUTED, palette.FELT)
    return canvas


def _line(canvas: Canvas, y: int, text: str, name: str, colour: int) -> None:
    typeface = typefaces()[name]
    text = typeface.fit(text, _RIGHT - _MARGIN)
    canvas.text(_MARGIN, y, text, typeface, colour, palette.FELT)


def _shown_hands(canvas: Canvas, players: list[HandPlayer]) -> None:
    """Draw who showed what: up to three hands side by side."""
    width = (_RIGHT - _MARGIN) // _MOST_HANDS
    bold, small = typefaces()["text"], typefaces()["small"]
    for place, player in enumerate(players[:_MOST_HANDS]):
        x = _MARGIN + place * width
        colour = palette.GOLD if player.won > 0 else palette.ON_FELT
        name = bold.fit(player.name, width - 24)
        canvas.text(x, 414, name, bold, colour, palette.FELT)
        end = draw_cards(canvas, x, 464, player.cards[:2], HAND, palette.FELT)
        for number, line in enumerate(_wrapped(player.rank_name, x + width - 16 - end)):
            canvas.text(end + 6, 476 + number * 34, line, small, palette.FELT_MUTED, palette.FELT)
    more = len(players) - _MOST_HANDS
    if more > 0:
        text = f"+{more} more"
        place = _RIGHT - small.width(text)
        canvas.text(place, 570, text, small, palette.FELT_MUTED, palette.FELT)


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


def _results(canvas: Canvas, players: list[tuple[str, float]]) -> None:
    """Draw names and results, the best first."""
    typeface = typefaces()["text"]
    for place, (name, amount) in enumerate(players[:_MOST_LINES]):
        y = 260 + place * 68
        colour = palette.ACCENT if amount > 0 else palette.LOSS if amount < 0 else palette.ON_FELT
        text = signed(amount)
        canvas.text(_RIGHT - typeface.width(text), y, text, typeface, colour, palette.FELT)
        shown = typeface.fit(name, _RIGHT - _MARGIN - typeface.width(text) - 40)
        canvas.text(_MARGIN, y, shown, typeface, palette.ON_FELT, palette.FELT)
    more = len(players) - _MOST_LINES
    if more > 0:
        canvas.text(
            _MARGIN, 540, f"and {more} more", typefaces()["small"], palette.FELT_MUTED, palette.FELT
        )
