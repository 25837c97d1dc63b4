"""Draw a moment as a frame of 64 x 64 colours.

| rows | what |
| --- | --- |
| 0..5 | level, hand of hands, target (T); a bar: the candidate's chips of the target |
| 6..18 | the opponent: cards, chips left, chips bet, its last action, D for the dealer button |
| 19..30 | open cards, and the pot |
| 32..44 | the candidate, like the opponent |
| 46..50 | what the buttons cost; at the end of a hand what it brought |
| 52..54 | the slider, while an amount may be chosen |
| 55..63 | the buttons |

A yellow bar at the left edge marks who decides. Suits have four colours.
"""

from collections.abc import Sequence

from casino_games.cards import NAMES

from casino_evaluator.domain.evaluation_session import Moment
from casino_evaluator.frames.choices import choices_of, range_in
from casino_evaluator.frames.controls import (
    SLIDER_Y,
    Button,
    Rectangle,
    Slider,
    buttons_of,
    slider_of,
)
from casino_evaluator.frames.frame_canvas import (
    BLACK,
    BLUE,
    DARK,
    GRAY,
    GREEN,
    HEIGHT,
    LIGHT,
    MAGENTA,
    ORANGE,
    PINK,
    PITCH,
    PURPLE,
    RED,
    SILVER,
    SIZE,
    SKY,
    SUITS,
    WHITE,
    WIDTH,
    YELLOW,
    FrameCanvas,
    Grid,
    glyph,
    width_of,
)
from casino_evaluator.frames.scenes import Card, Row, Scene, Side, Value, scene_of
from casino_evaluator.frames.state_values import fields, short, whole

CARD_WIDTH = 8
CARD_HEIGHT = 12
CARD_PITCH = 9
SMALL_HEIGHT = 6

SUIT_COLOURS = {"c": GREEN, "d": BLUE, "h": RED, "s": BLACK}
_LONGEST_LABEL = 4
_LETTERS_OF_A_LINE = 2
_SECOND_LINE = 6
_BACK = "-"
OPPONENT_Y = 6
ROWS_Y = 19
OWN_Y = 32
"""First rows of the three lines of cards."""
TURN_WIDTH = 2
SIDE_X = 3
SIDE_WIDTH = 27
"""Columns of a side's cards: three large ones, or twelve small ones."""
TEXT_X = 31
ROWS_X = 1
ROWS_WIDTH = 45
"""Columns of the cards between the sides: five large ones."""
ROWS_TEXT_X = 47
_SECOND_TEXT = 6
_BAR = 12
"""Where a side's second text and its bar are, in rows from its first one."""
_STACK_ROOM = 6
_BET_ROOM = 4
_NOTE_ROOM = 4
_POT_ROOM = 4
_COLUMN = 33
_COLUMN_WIDTH = 31
_NAME_ROOM = 3
_VALUE_ROOM = 4
HEADER_HEIGHT = 6
_LEVEL_ROOM = 3
_HANDS_X = 14
_HANDS_ROOM = 6
_TARGET_ROOM = 6


def suit_of(label: str) -> str:
    """Return the suit of a card's name, an empty text for other labels."""
    return label[1] if label in NAMES else ""


def large_fit(cards: Sequence[Card], width: int) -> bool:
    return len(cards) * CARD_PITCH - 1 <= width


def draw_cards(canvas: FrameCanvas, x: int, y: int, width: int, cards: Sequence[Card]) -> None:
    """Draw cards from the left: one line of large ones, or else two lines of small ones."""
    if large_fit(cards, width):
        for place, card in enumerate(cards):
            draw_large(canvas, x + place * CARD_PITCH, y, card)
        return
    rest = draw_small(canvas, x, y, width, cards)
    draw_small(canvas, x, y + SMALL_HEIGHT, width, rest)


def draw_large(canvas: FrameCanvas, x: int, y: int, card: Card) -> None:
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


def draw_small(
    canvas: FrameCanvas, x: int, y: int, width: int, cards: Sequence[Card]
) -> Sequence[Card]:
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


def draw_scene(canvas: FrameCanvas, scene: Scene) -> None:
    stacks = [side.stack or 0 for side in (scene.opponent, scene.own) if side]
    most = max(1, *stacks, 1)
    values: Sequence[Value] = scene.values
    if scene.opponent:
        _draw_side(canvas, OPPONENT_Y, scene.opponent, PINK, most)
    else:
        values = _draw_values(canvas, OPPONENT_Y, values)
    if scene.rows or scene.amount is not None or not values:
        _draw_rows(canvas, scene.rows)
        canvas.text(ROWS_TEXT_X, ROWS_Y + 1, scene.label[:_POT_ROOM], SILVER)
        if scene.amount is not None:
            amount = short(scene.amount, _POT_ROOM)
            canvas.text(ROWS_TEXT_X, ROWS_Y + 1 + _SECOND_TEXT, amount, YELLOW)
    else:
        values = _draw_values(canvas, ROWS_Y, values)
    if scene.own:
        _draw_side(canvas, OWN_Y, scene.own, SKY, most)
    else:
        _draw_values(canvas, OWN_Y, values)


def _draw_side(canvas: FrameCanvas, y: int, side: Side, colour: int, most: int) -> None:
    if side.is_turn:
        canvas.fill(0, y, TURN_WIDTH, CARD_HEIGHT, YELLOW)
    draw_cards(canvas, SIDE_X, y, SIDE_WIDTH, side.cards)
    if side.stack is not None:
        canvas.text(TEXT_X, y, short(side.stack, _STACK_ROOM), colour)
        length = max(0, side.stack) * (SIZE - TEXT_X) // most
        canvas.fill(TEXT_X, y + _BAR, SIZE - TEXT_X, 1, GRAY)
        canvas.fill(TEXT_X, y + _BAR, length, 1, colour)
    if side.bet is not None:
        canvas.text(TEXT_X, y + _SECOND_TEXT, short(side.bet, _BET_ROOM), YELLOW)
    canvas.text_to(SIZE - 1, y + _SECOND_TEXT, side.note[:_NOTE_ROOM].upper(), WHITE)
    if side.has_button:
        canvas.fill(SIZE - PITCH - 1, y, PITCH + 1, PITCH + 1, ORANGE)
        canvas.text(SIZE - PITCH, y, "D", BLACK)


def _draw_rows(canvas: FrameCanvas, rows: Sequence[Row]) -> None:
    if len(rows) == 1:
        draw_cards(canvas, ROWS_X, ROWS_Y, ROWS_WIDTH, rows[0].cards)
    for place, row in enumerate(rows):
        y = ROWS_Y + place * SMALL_HEIGHT
        if len(rows) > 1:
            draw_small(canvas, ROWS_X, y, ROWS_WIDTH, row.cards)
        canvas.text(ROWS_TEXT_X, y, row.note[:_NOTE_ROOM].upper(), WHITE)


def _draw_values(canvas: FrameCanvas, y: int, values: Sequence[Value]) -> Sequence[Value]:
    """Draw up to four values, each with a bar; return those without a place."""
    places = [(x, line) for line in (y, y + _SECOND_TEXT) for x in (0, _COLUMN)]
    numbers = [abs(value.number) for value in values if value.number is not None]
    most = max([1, *numbers])
    for (x, line), value in zip(places, values, strict=False):
        canvas.text(x, line, value.name[:_NAME_ROOM].upper(), SILVER)
        right = x + _COLUMN_WIDTH
        if value.number is None:
            canvas.text_to(right, line, value.word[:_VALUE_ROOM].upper(), LIGHT)
            continue
        colour = GREEN if value.number >= 0 else ORANGE
        canvas.text_to(right, line, short(value.number, _VALUE_ROOM), WHITE)
        length = abs(value.number) * _COLUMN_WIDTH // most
        canvas.fill(x, line + _SECOND_TEXT - 1, _COLUMN_WIDTH, 1, DARK)
        canvas.fill(x, line + _SECOND_TEXT - 1, length, 1, colour)
    return values[len(places) :]


def draw_standing(
    canvas: FrameCanvas, level: int, hand: tuple[int, int], chips: tuple[int, int]
) -> None:
    """Draw the header: level, hand of hands, chips of target with a bar."""
    canvas.fill(0, 0, SIZE, HEADER_HEIGHT, BLACK)
    canvas.text(1, 0, f"L{short(level, _LEVEL_ROOM - 1)}", SKY)
    number, hands = hand
    text = f"{number}/{hands}"
    canvas.text(
        _HANDS_X, 0, text if len(text) <= _HANDS_ROOM else short(number, _LEVEL_ROOM), WHITE
    )
    stack, target = chips
    canvas.text_to(SIZE - 1, 0, f"T{short(target, _TARGET_ROOM - 1)}", YELLOW)
    length = SIZE if stack >= target else max(0, stack) * SIZE // max(1, target)
    canvas.fill(0, HEADER_HEIGHT - 1, length, 1, GREEN if stack >= target else ORANGE)


LEGEND_Y = 46

_ABBREVIATIONS = {
    "check": "CHK",
    "fold": "FLD",
    "raise": "RAI",
    "double": "DBL",
    "split": "SPL",
    "all_in": "ALL",
    "all-in": "ALL",
    "stand": "STD",
}
_COLOURS = {1: RED, 2: GREEN, 3: YELLOW, 4: ORANGE, 5: SKY}
_NET_ROOM = 6


def draw_strip(canvas: FrameCanvas, buttons: Sequence[Button], slider: Slider | None) -> None:
    """Draw the buttons with their words, and the slider with a mark for each of its buttons."""
    canvas.fill(0, SLIDER_Y, SIZE, SIZE - SLIDER_Y, BLACK)
    for button in buttons:
        _draw_button(canvas, button)
    if slider:
        place = slider.place
        canvas.fill(place.x, place.y, place.width, place.height, GRAY)
        canvas.fill(place.x, place.y + 1, place.width, 1, WHITE)
        for button in buttons:
            chips = button.choice.action.get("amount")
            if isinstance(chips, int):
                canvas.fill(slider.column_of(chips), place.y, 1, place.height, _colour(button))


def draw_words(canvas: FrameCanvas, words: str, colour: int) -> None:
    """Write a message where the buttons' costs are, while there are none."""
    canvas.text(1, LEGEND_Y, words, colour)


def _colour(button: Button) -> int:
    number = button.choice.number
    return _COLOURS[number] if number else (SILVER, LIGHT)[button.is_odd]


def _draw_button(canvas: FrameCanvas, button: Button) -> None:
    place, choice = button.place, button.choice
    canvas.fill(place.x, place.y, place.width, place.height, _colour(button))
    room = (place.width + 1) // PITCH
    if place.height >= HEIGHT and room:
        word = choice.word.upper()
        if len(word) > room:
            word = _ABBREVIATIONS.get(choice.word, word)[:room]
        _centre(canvas, place, place.y + (place.height - HEIGHT) // 2, word, BLACK)
        if choice.chips is not None:
            _centre(canvas, place, LEGEND_Y, short(choice.chips, room), WHITE)


def _centre(canvas: FrameCanvas, place: Rectangle, y: int, text: str, colour: int) -> None:
    canvas.text(place.x + max(0, (place.width - width_of(text)) // 2), y, text, colour)


def render(moment: Moment) -> Grid:
    """Return the frame of a moment. Pure; never raises: what does not fit is clipped."""
    canvas = FrameCanvas(DARK)
    standing = moment.standing
    draw_standing(
        canvas,
        standing.level,
        (moment.hand_number, standing.hands),
        (standing.stack, standing.target),
    )
    draw_scene(canvas, scene_of(moment))
    draw_strip(canvas, buttons_of(choices_of(moment)), slider_of(range_in(moment.offers)))
    net = whole(fields(fields(moment.result).get("scores")).get(moment.player_id))
    if net is not None:
        sign = "+" if net > 0 else ""
        draw_words(canvas, f"HAND {sign}{short(net, _NET_ROOM)}", GREEN if net >= 0 else ORANGE)
    elif not moment.offers:
        draw_words(canvas, "WAIT", SILVER)
    return canvas.grid
