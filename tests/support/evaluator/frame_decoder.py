"""Reads cards from a frame by their pixels alone, with bitmaps of its own."""

from collections.abc import Sequence

Grid = list[list[int]]

_RANKS = {
    "2": "##. ..# .#. #.. ###",
    "3": "### ..# .## ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ##. ..# ##.",
    "6": ".## #.. ### #.# ###",
    "7": "### ..# .#. .#. .#.",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ##.",
    "T": "### .#. .#. .#. .#.",
    "J": "..# ..# ..# #.# .#.",
    "Q": ".#. #.# #.# ##. .##",
    "K": "#.# #.# ##. #.# #.#",
    "A": ".#. #.# ### #.# #.#",
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "": "... ... ... ... ...",
}
_SUITS = {
    "c": ".###. .###. ##### ##### ..#..",
    "d": "..#.. .###. ##### .###. ..#..",
    "h": ".#.#. ##### ##### .###. ..#..",
    "s": "..#.. .###. ##### #.#.# .###.",
    "": "..... ..... ..... ..... .....",
}
_SUIT_BY_COLOUR = {14: "c", 9: "d", 8: "h", 5: "s"}
_WHITE, _SILVER, _TABLE, _PURPLE = 0, 2, 4, 15
_RANK_BY_BITMAP = {bitmap: rank for rank, bitmap in _RANKS.items()}
_SUIT_BY_BITMAP = {bitmap: suit for suit, bitmap in _SUITS.items()}

OPPONENT_Y, MIDDLE_Y, OWN_Y = 6, 19, 32
SIDE_X, MIDDLE_X = 3, 1
BACK = "back"
EMPTY = "empty"


def own_cards(frame: Grid) -> list[str]:
    """Return the candidate's cards, as `Ah`, `K` or `10`."""
    return _cards(frame, SIDE_X, OWN_Y, 27)


def opponents_cards(frame: Grid) -> list[str]:
    """Return the opponent's cards, `back` for those face down."""
    return _cards(frame, SIDE_X, OPPONENT_Y, 27)


def middle_cards(frame: Grid) -> list[str]:
    """Return the cards between the two, `empty` for an empty place."""
    return _cards(frame, MIDDLE_X, MIDDLE_Y, 45)


def small_line(frame: Grid, x: int, y: int, width: int) -> list[str]:
    """Return the cards of a line of small ones: backgrounds take turns, ranks have colours."""
    edge = frame[y + 5][x : x + width]
    count = len(edge) if _TABLE not in edge else edge.index(_TABLE)
    cards: list[str] = []
    start = 0
    while start + 1 < count:
        back = edge[start]
        end = start
        while end < count and edge[end] == back:
            end += 1
        cards += _small_cards(frame, x + start, y, (end - start) // 4, back)
        start = min(count, end)
    return cards


def _small_cards(frame: Grid, x: int, y: int, glyphs: int, back: int) -> list[str]:
    if back == _PURPLE:
        return [BACK] * glyphs
    places = [(x + 4 * place + 1, y) for place in range(glyphs)]
    label = "".join(_RANK_BY_BITMAP[_bitmap(frame, *place, 3, back)] for place in places)
    colours = {frame[y + row][x + 1 + column] for row in range(5) for column in range(3)} - {back}
    assert len(colours) == 1, "one card has one colour"
    return [label + _SUIT_BY_COLOUR.get(colours.pop(), "")]


def _cards(frame: Grid, x: int, y: int, width: int) -> list[str]:
    if frame[y + 5][x + 8] != _TABLE:
        return small_line(frame, x, y, width) + small_line(frame, x, y + 6, width)
    cards = []
    for left in range(x, x + width - 7, 9):
        if frame[y][left] == _TABLE:
            break
        cards.append(_large_card(frame, left, y))
    return cards


def _large_card(frame: Grid, x: int, y: int) -> str:
    corner = frame[y][x]
    if corner == _PURPLE:
        return BACK
    if corner != _WHITE:
        return EMPTY
    rank = _RANK_BY_BITMAP[_bitmap(frame, x + 1, y + 1, 3, _WHITE)]
    suit = _SUIT_BY_BITMAP.get(_bitmap(frame, x + 2, y + 6, 5, _WHITE))
    if suit:
        assert _SUIT_BY_COLOUR[frame[y + 8][x + 4]] == suit, "every suit has its colour"
        return rank + suit
    return rank + _RANK_BY_BITMAP[_bitmap(frame, x + 5, y + 1, 3, _WHITE)]


def _bitmap(frame: Grid, x: int, y: int, width: int, back: int) -> str:
    rows: Sequence[Sequence[int]] = [frame[y + row][x : x + width] for row in range(5)]
    return " ".join("".join(".#"[pixel != back] for pixel in row) for row in rows)
