"""One hand that cannot be read costs one hand, and is named."""

import pytest
from casino_histories import HandHistory, UnreadableHistory, UnreadHand, all_read
from casino_histories.history_files import read_hands
from support.histories.site_hands import (
    FIELD,
    SEATS,
    WALK,
    described,
    hand,
    head,
    items,
    nets,
    only,
)


def test_of_three_in_open_hand_history_two_are_read() -> None:
    found = items((FIELD / "k02_two_readable_one_omaha.ohh").read_bytes())
    assert described(found) == [
        "1",
        "line 3: hand 2 (#2): it is Omaha Pot Limit: only No-Limit Hold'em is read",
        "3",
    ]


def test_an_object_that_is_cut_off_leaves_the_next_one() -> None:
    text = (FIELD / "k02_two_readable_one_omaha.ohh").read_text()
    first, second, third = text.strip().split("\n\n")
    for joint in ("\n", "\n\n", ""):
        found = items(first[:700] + joint + third + joint + second[:90] + joint + third)
        assert [type(item) for item in found] == [UnreadHand, HandHistory, UnreadHand, HandHistory]
        assert "it is no JSON" in str(found[0])


def test_a_list_of_objects_with_a_bad_one() -> None:
    text = (FIELD / "k02_two_readable_one_omaha.ohh").read_text()
    for begin in ("[", "[\n", " [ "):
        found = items(begin + ",\n".join(text.strip().split("\n\n")) + "\n]\n")
        assert [type(item) for item in found] == [HandHistory, UnreadHand, HandHistory]


def test_a_table_of_phh_with_a_bad_value_leaves_the_next_one() -> None:
    good = (
        "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\n"
        "starting_stacks = [200, 200]\nactions = ['p2 f']\n"
    )
    cut = "variant = 'NT'\nantes = [0, 0]\nactions = ['d db "
    text = f"[1]\n{good}[2]\n{good.replace('NT', 'PO')}[3]\n{cut}\n[4]\n{good}[5]\n{cut}[6]\n{good}"
    found = items(text)
    assert [type(item) for item in found] == [
        *(HandHistory, UnreadHand, UnreadHand, HandHistory, UnreadHand, HandHistory)
    ]
    assert "line 7: hand [2]: variant 'PO' (Pot-Limit Omaha) is not NT" in str(found[1])


def test_a_hand_that_is_cut_off_within_a_line_leaves_the_next_one() -> None:
    found = items((FIELD / "k07_ps_truncated_then_next.txt").read_bytes())
    assert described(found) == [
        "line 1: hand #700000000041: its play is not over; it has no summary, so it may be cut off",
        "pokerstars/700000000042",
    ]
    assert isinstance(found[1], HandHistory)
    assert nets(found[1]) == {"Ben": -1, "Cy": 1, "Ana": 0}


@pytest.mark.parametrize("words", ["PokerStars Hand", "Poker Hand", "PokerStars Zoom Hand"])
def test_wherever_a_hand_is_cut_off_the_next_one_is_read(words: str) -> None:
    whole, following = hand(1, words), hand(2, words)
    for at in range(len(head(1, words)) + 1, len(whole)):
        found = items(whole[:at] + following + hand(3, words))
        assert isinstance(found[-1], HandHistory), at
        assert isinstance(found[-2], HandHistory), at
        assert [item.number for item in found[-2:] if isinstance(item, HandHistory)] == [2, 3]
        for item in found[:-2]:
            if isinstance(item, HandHistory):  # only the end of what says nothing is missing
                assert nets(item) == {"Ben": -1, "Cy": 1, "Ana": 0}, at


def test_a_hand_without_its_first_line_does_not_join_the_one_before() -> None:
    found = items(hand(1).partition("*** SUMMARY")[0] + SEATS + WALK + hand(3))
    assert "another hand begins within it" in str(found[0])
    found = items(hand(1) + WALK + hand(3))
    assert "a second summary" in str(found[0])
    assert isinstance(found[1], HandHistory)


def test_what_a_player_says_begins_no_hand() -> None:
    said = f'Ana said, "{head(9).strip()}"\n'
    assert only(hand().replace("Ana: folds", said + "Ana: folds")).number == 1


def test_in_a_cancelled_hand_everybody_keeps_the_chips() -> None:
    for end in ("*** SUMMARY ***\nTotal pot $0 | Rake $0\n", ""):
        found = items(head() + SEATS + "Ana: calls $2\nHand cancelled\n" + end + hand(2))
        assert described(found) == ["pokerstars/1", "pokerstars/2"]
        assert isinstance(found[0], HandHistory)
        assert nets(found[0]) == {"Ben": 0, "Cy": 0, "Ana": 0}


@pytest.mark.parametrize(
    "line",
    ["*** FIRST FLOP *** [Kc 4c 3h]", "*** SECOND RIVER *** [Kc 4c 3h 2h] [9s]"],
)
def test_a_board_that_was_run_twice_is_named(line: str) -> None:
    found = items(hand().replace("Ana: folds", line) + hand(2))
    assert "the board was run twice or more" in str(found[0])
    twice = WALK + "Hand was run two times\n"
    assert "run twice" in str(items(head() + SEATS + twice)[0])


def test_a_board_that_was_run_twice_in_open_hand_history_is_named() -> None:
    text = (FIELD / "k02_two_readable_one_omaha.ohh").read_text().split("\n\n", maxsplit=1)[0]
    flop = '{"id": 1, "street": "Flop", "cards": ["Kc", "4c", "3h"], "actions": []}'
    found = items(text.replace('], "pots"', f', {flop}, {flop}], "pots"'))
    assert "the board was run twice" in str(found[0])


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("Omaha Pot Limit ($1/$2)", "Omaha Pot Limit"),
        ("Hold'em Limit ($1/$2)", "Hold'em Limit"),
        ("6+ Hold'em No Limit ($1/$2)", "6+ Hold'em No Limit"),
        ("7 Card Stud Hi/Lo Limit ($1/$2)", "7 Card Stud Hi/Lo Limit"),
        ("5 Card Draw Limit ($1/$2)", "5 Card Draw Limit"),
        ("HORSE (Razz Limit, $1/$2)", "Razz Limit"),
        ("PLO-5 ($1/$2)", "PLO-5"),
        ("ShortDeck No Limit ($2)", "ShortDeck No Limit"),
        (
            "Tournament #5, $1+$0.10 USD Omaha Hi/Lo Pot Limit - Level V (1/2)",
            "Omaha Hi/Lo Pot",
        ),
        (
            "Tournament #5, High Rollers PLO $1K Omaha Pot Limit - Level4 (1/2)",
            "Omaha Pot Limit",
        ),
    ],
)
def test_another_game_is_named_as_what_it_is(game: str, name: str) -> None:
    text = hand().replace("Hold'em No Limit ($1/$2 USD)", game)
    found = items(text + hand(2))
    assert f"it is {name}" in str(found[0])
    assert isinstance(found[1], HandHistory)


def test_all_read_stops_at_the_first_that_is_not() -> None:
    reading = all_read(read_hands((hand(1) + hand(2)[:200] + hand(3)).encode()))
    assert next(reading).number == 1
    with pytest.raises(UnreadableHistory, match="hand #2"):
        next(reading)


def test_two_players_of_one_name_cannot_be_told_apart() -> None:
    found = items(hand(1).replace("Ben", "Ana") + hand(2))
    assert "two players have the same name" in str(found[0])
    assert isinstance(found[1], HandHistory)


@pytest.mark.parametrize("words", ["calls $-2", "bets two", "raises $1", "posts nothing"])
def test_an_action_whose_amount_cannot_be_read_is_not_passed_over(words: str) -> None:
    found = items(hand(1).replace("Ana: folds", f"Ana: {words} \nAna: folds") + hand(2))
    assert f"line 9: {words!r} has no amount" in str(found[0])
