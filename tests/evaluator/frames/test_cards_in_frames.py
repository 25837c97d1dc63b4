"""Own and open cards can be read from every frame, by their pixels alone."""

from dataclasses import replace
from typing import Any

import pytest
from casino_evaluator.domain.moment import Moment, Standing
from casino_evaluator.frames.render import render
from casino_games.cards import NAMES
from support.evaluator import frame_decoder as decoder
from support.evaluator.dealt_moments import CANDIDATE, EXAMINED, OPPONENT, moments

Json = dict[str, Any]
DEALS = 200
"""Of each game."""


def test_both_hole_cards_and_the_board_of_holdem() -> None:
    """All 52 cards are seen in both places; the rival's only after a showdown."""
    own, board, showdowns = set(), set(), 0
    for moment in moments("texas-holdem", DEALS):
        frame = render(moment)
        public = moment.state["public"]
        cards = decoder.own_cards(frame)
        assert cards == moment.state["private"]["hole_cards"]
        middle = decoder.middle_cards(frame)
        assert middle == (public["community_cards"] + ["empty"] * 5)[:5]
        shown = {
            hand["player_id"]: hand["cards"] for hand in public.get("results", {}).get("shown", ())
        }
        assert decoder.opponents_cards(frame) == shown.get(OPPONENT, ["back", "back"])
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
        assert decoder.own_cards(frame) == [moment.state["private"]["card"]]
        is_kuhn = game_type == "kuhn_poker"
        assert decoder.middle_cards(frame) == (
            [] if is_kuhn else [public["public_card"] or "empty"]
        )
        shown = {hand["player_id"]: [hand["card"]] for hand in public["shown"]}
        assert decoder.opponents_cards(frame) == shown.get(OPPONENT, ["back"])
        seen |= {*decoder.own_cards(frame)}
        shown_to += bool(shown)
    assert len(seen) == {"kuhn_poker": 3, "leduc_poker": 6}[game_type]
    assert shown_to


def test_the_hand_and_the_trick_of_simple_card() -> None:
    """Numbers of one and of two digits."""
    seen = set()
    for moment in moments("simple_card", DEALS):
        frame = render(moment)
        public = moment.state["public"]
        hand = list(map(str, moment.state["private"]["hand"]))
        assert decoder.own_cards(frame) == hand
        left = {player["player_id"]: player["cards_left"] for player in public["players"]}
        assert decoder.opponents_cards(frame) == ["back"] * left[OPPONENT]
        trick = public["on_table"] or (public["tricks"] or [{"cards": []}])[-1]["cards"]
        played = {entry["player_id"]: str(entry["card"]) for entry in trick}
        assert decoder.middle_cards(frame) == [
            played.get(player_id, "empty") for player_id in (OPPONENT, CANDIDATE)
        ]
        seen |= {*hand}
    assert seen == set(map(str, range(1, 11)))


def hands_of(frame: decoder.Grid, count: int) -> list[list[str]]:
    """Return the hands of a blackjack player: the one that decides, then the others."""
    if count < 2:
        return [decoder.own_cards(frame)]
    if count == 2:
        return [decoder.own_cards(frame), decoder.middle_cards(frame)]
    lines = [decoder.small_line(frame, decoder.MIDDLE_X, decoder.MIDDLE_Y + y, 45) for y in (0, 6)]
    return [decoder.own_cards(frame), *lines]


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
        assert decoder.opponents_cards(frame) == dealer["cards"] + ["back"] * dealer["hidden"]
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
            assert decoder.own_cards(render(stale)) == decoder.own_cards(render(moment))
            late += 1
    assert late > 20


@pytest.mark.parametrize(
    ("hand", "labels"),
    [
        ([], []),
        ([7, 8, 9], ["7", "8", "9"]),
        ([1, 2, 3, 4], ["1", "2", "3", "4"]),
        ([1, 10, 11, 100], ["1", "10", "11", "100"]),
        ([1] * 12, ["1"] * 12),
        ([1] * 13, ["1"] * 12),
        (list(range(1, 13)), [str(card) for card in range(1, 11)]),
        ([10, 20, 30, 40, 50, 60, 70], ["10", "20", "30", "40", "50", "60"]),
    ],
)
def test_hands_of_up_to_twelve_digits_are_read(hand: list[int], labels: list[str]) -> None:
    """Four cards and more are drawn small, in two lines; more are clipped."""
    public: Json = {"players": [], "tricks": [], "on_table": []}
    moment = Moment(
        "simple_card",
        1,
        CANDIDATE,
        OPPONENT,
        {"public": public, "private": {"hand": hand}},
        Standing(1, 2, 0, 10, 10, 10),
    )
    assert decoder.own_cards(render(moment)) == labels


def test_every_examined_game_is_here() -> None:
    """A new one needs a test."""
    assert {*EXAMINED} == {"kuhn_poker", "leduc_poker", "texas-holdem", "simple_card", "blackjack"}
