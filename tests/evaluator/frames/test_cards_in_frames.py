"""Own and open cards can be read from every frame, by their pixels alone.

The bitmaps are this test's own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from casino_evaluator.frames.render import render
from casino_games.cards import NAMES
from support.evaluator.dealt_moments import CANDIDATE, OPPONENT, moments

Json = dict[str, Any]
Grid = list[list[int]]
DEALS = 200
"""Of each game."""

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


def test_both_hole_cards_and_the_board_of_holdem() -> None:
    """All 52 cards are seen in both places; the rival's only after a showdown."""
    own, board, showdowns = set(), set(), 0
    for moment in moments("texas-holdem", DEALS):
        frame = render(moment)
        public = moment.state["public"]
        cards = own_cards(frame)
        assert cards == moment.state["private"]["hole_cards"]
        middle = middle_cards(frame)
        assert middle == (public["community_cards"] + ["empty"] * 5)[:5]
        shown = {
            hand["player_id"]: hand["cards"] for hand in public.get("results", {}).get("shown", ())
        }
        assert opponents_cards(frame) == shown.get(OPPONENT, ["back", "back"])
        showdowns += OPPONENT in shown
        own |= {*cards}
        board |= {*middle}
    assert own == {*NAMES}
    assert board == {*NAMES, "empty"}
    assert showdowns > DEALS // 4


@pytest.mark.parametrize("game_type", ["kuhn_poker", "leduc_poker"])
def test_the_card_of_a_fixed_limit_game(game_type: str) -> None:
    """The rival's card is shown with the showdown, not before."""
    seen, shown_to = set(), 0
    for moment in moments(game_type, DEALS):
        frame = render(moment)
        public = moment.state["public"]
        assert own_cards(frame) == [moment.state["private"]["card"]]
        is_kuhn = game_type == "kuhn_poker"
        assert middle_cards(frame) == ([] if is_kuhn else [public["public_card"] or "empty"])
        shown = {hand["player_id"]: [hand["card"]] for hand in public["shown"]}
        assert opponents_cards(frame) == shown.get(OPPONENT, ["back"])
        seen |= {*own_cards(frame)}
        shown_to += bool(shown)
    assert len(seen) == {"kuhn_poker": 3, "leduc_poker": 6}[game_type]
    assert shown_to


def test_the_hand_and_the_trick_of_simple_card() -> None:
    seen = set()
    for moment in moments("simple_card", DEALS):
        frame = render(moment)
        public = moment.state["public"]
        hand = list(map(str, moment.state["private"]["hand"]))
        assert own_cards(frame) == hand
        left = {player["player_id"]: player["cards_left"] for player in public["players"]}
        assert opponents_cards(frame) == ["back"] * left[OPPONENT]
        trick = public["on_table"] or (public["tricks"] or [{"cards": []}])[-1]["cards"]
        played = {entry["player_id"]: str(entry["card"]) for entry in trick}
        assert middle_cards(frame) == [
            played.get(player_id, "empty") for player_id in (OPPONENT, CANDIDATE)
        ]
        seen |= {*hand}
    assert seen == set(map(str, range(1, 11)))


def hands_of(frame: Grid, count: int) -> list[list[str]]:
    """Return the hands of a blackjack player: the one that decides, then the others."""
    if count < 2:
        return [own_cards(frame)]
    if count == 2:
        return [own_cards(frame), middle_cards(frame)]
    lines = [small_line(frame, MIDDLE_X, MIDDLE_Y + y, 45) for y in (0, 6)]
    return [own_cards(frame), *lines]


def test_all_hands_of_blackjack() -> None:
    """The deciding hand below, the others between; many cards are drawn small."""
    seen, most_hands, most_cards = set(), 0, 0
    for moment in moments("blackjack", 2 * DEALS):
        frame = render(moment)
        public = moment.state["public"]
        hands = [hand["cards"] for hand in public["players"][0]["hands"]]
        active = public["current_hand"] or 0
        expected = [*hands[active : active + 1], *hands[:active], *hands[active + 1 :]] or [[]]
        assert hands_of(frame, len(hands)) == expected
        dealer = public["dealer"]
        assert opponents_cards(frame) == dealer["cards"] + ["back"] * dealer["hidden"]
        seen |= {card for hand in hands for card in hand}
        most_hands = max(most_hands, len(hands))
        most_cards = max(most_cards, *map(len, expected))
    assert seen == {*NAMES}
    assert most_hands == 3, "hands were split twice"
    assert most_cards > 4, "hands were drawn small"


def test_a_played_card_is_not_in_hand_any_more() -> None:
    """Also while the newest private state is that of the candidate's own decision."""
    late = 0
    private: Json = {}
    for moment in moments("simple_card", 20):
        if moment.offers:
            private = moment.state["private"]
            continue
        if len(private.get("hand", ())) == len(moment.state["private"]["hand"]) + 1:
            stale = replace(moment, state={**moment.state, "private": private})
            assert own_cards(render(stale)) == own_cards(render(moment))
            late += 1
    assert late > 20
