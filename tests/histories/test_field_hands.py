"""Hands of real tables are read truly, and come back from every format that can say them."""

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from casino_histories import HandHistory, NotExportable, UnreadableHistory
from casino_histories.errors import all_read
from casino_histories.history_files import COLUMNS, read_hands, rows_of
from casino_histories.open_hand_history import ohh_text
from casino_histories.phh import phh
from casino_histories.pokerstars_writer import pokerstars_text
from support.histories.field_hands import field_hand
from support.histories.hand_facts import facts

FIELD = Path(__file__).parents[1] / "vectors/field"
WRITERS: tuple[Callable[[HandHistory], str], ...] = (phh, ohh_text, pokerstars_text)
HANDS = 200
MANY = 20_000


def only(content: bytes) -> HandHistory:
    (hand,) = all_read(read_hands(content))
    return hand


def field(name: str) -> HandHistory:
    return only((FIELD / name).read_bytes())


def stacks_by_name(hand: HandHistory) -> dict[str, float]:
    after = zip(hand.seats, hand.finishing_stacks, strict=True)
    return {seat.name: stack / 10**hand.decimals for seat, stack in after}


def forced_by_name(hand: HandHistory) -> list[tuple[str, str, int]]:
    return [
        (hand.seats[seat].name, "dead " * is_dead + kind, amount)
        for seat, kind, amount, is_dead in hand.forced
    ]


@pytest.mark.parametrize(
    ("name", "forced", "stacks", "pot"),
    [
        (
            "k01_ps_straddle.txt",
            [("Ben", "small-blind", 1), ("Cy", "big-blind", 2), ("Dot", "straddle", 4)],
            {"Ana": 196, "Ben": 199, "Cy": 196, "Dot": 209},
            13,
        ),
        (
            "k01_ps_no_small_blind.txt",
            [("Cy", "big-blind", 2)],
            {"Ana": 202, "Cy": 198, "Dot": 200},
            4,
        ),
        (
            "k01_ohh_dead_blind.ohh",
            [
                ("Ben", "small-blind", 1),
                ("Cy", "big-blind", 2),
                ("Dot", "dead post", 1),
                ("Dot", "post", 2),
            ],
            {"Ana": 200, "Ben": 199, "Cy": 204, "Dot": 197},
            6,
        ),
        (
            "k06_ps_no_uncalled_line.txt",
            [("Ben", "small-blind", 1), ("Cy", "big-blind", 2)],
            {"Ana": 200, "Ben": 199, "Cy": 201},
            2,
        ),
        (
            "k10_ps_second_small_blind.txt",
            [("Ben", "small-blind", 1), ("Cy", "big-blind", 2), ("Dot", "dead post", 1)],
            {"Ana": 200, "Ben": 198, "Cy": 205, "Dot": 197},
            7,
        ),
        (
            "k11_phh_posted_to_enter.phh",
            [("p1", "small-blind", 1), ("p2", "big-blind", 2), ("p5", "post", 2)],
            {"p1": 199, "p2": 198, "p3": 200, "p4": 200, "p5": 203, "p6": 200},
            5,
        ),
    ],
)
def test_a_hand_of_the_field(
    name: str, forced: list[tuple[str, str, int]], stacks: dict[str, float], pot: int
) -> None:
    hand = field(name)
    assert (forced_by_name(hand), hand.pot) == (forced, pot)
    assert stacks_by_name(hand) == stacks
    for write in WRITERS:
        assert facts(only(write(hand).encode())) == facts(hand)


WINNINGS = (FIELD / "k04_phh_winnings_after_rake.phhs").read_text()


@pytest.mark.parametrize(
    ("winnings", "won", "rake"),
    [
        ("[0, 0, 84.50, 0, 0]", 84.5, 3),
        ("[0, 0, 84.500000000000014, 0, 0]", 84.5, 3),
        ("[0, 0, 152.50, 0, 0]", 87.5, 0),  # with the bet that nobody called
        ("[0, 0, 0, 0, 0]", 87.5, 0),
        ("[0, 0, 187.5, 0, 0]", 87.5, 0),
        ("[87.5, 0, 0, 0, 0]", 87.5, 0),  # to a player who folded
        ("[0, 0, -84.5, 0, 0]", 87.5, 0),
        ("[84.5]", 87.5, 0),
    ],
)
def test_winnings_are_read_where_they_fit_the_pot(winnings: str, won: float, rake: float) -> None:
    hand = only(WINNINGS.replace("[0, 0, 84.50, 0, 0]", winnings).encode())
    unit = 10**hand.decimals
    assert (hand.won[2], hand.rake) == (won * unit, rake * unit)
    assert stacks_by_name(hand)["c"] == 1000 - 37.5 + won


TWICE = (FIELD / "k06_ps_pot_collected_twice.txt").read_text()
DIVIDED = TWICE.replace("collected $13 from pot", "collected $6.50 from pot")
STRADDLE = (FIELD / "k01_ps_straddle.txt").read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TWICE, r"hand #700000000032: .*13 are put in, but 26 collected \(Cy, Ana\)"),
        (DIVIDED.replace("Rake $0", "Rake $1"), "13 are put in, but 13 collected .* the rake is 1"),
        (DIVIDED.replace("Cy collected $6.50", "Cy collected $1"), "13 are put in, but 7.5"),
        (STRADDLE.replace("Dot collected $13", "Dot collected $22"), "22 are put in, but 31"),
        (STRADDLE.replace("Dot collected", "Ana collected"), "Ana folds, and collects chips"),
        (STRADDLE.replace("Cy: calls $2", "Cy: calls $1"), r"line 13: Cy \(seat 3\) matches less"),
        (STRADDLE.replace("Dot: bets $9", "Dot: bets $900"), r"line 17: Dot \(seat 4\) puts in"),
    ],
)
def test_sums_that_do_not_fit_are_refused(text: str, reason: str) -> None:
    with pytest.raises(UnreadableHistory, match=reason):
        only(text.encode())


def test_rake_leaves_the_table() -> None:
    text = DIVIDED.replace("$6.50", "$6").replace("Rake $0", "Rake $1")
    hand = only(text.encode())
    assert (hand.rake, hand.is_settled) == (1, True)
    assert stacks_by_name(hand) == {"Ana": 200, "Ben": 199, "Cy": 200}


def test_a_cancelled_hand_gives_the_chips_back() -> None:
    head, _, rest = STRADDLE.partition("*** FLOP ***")
    summary = rest[rest.index("*** SUMMARY") :].replace("$13", "$0")
    hand = only(f"{head}Hand cancelled\n{summary}".encode())
    assert hand.is_cancelled
    assert set(stacks_by_name(hand).values()) == {200}


CAPPED = """PokerStars Hand #81:  Hold'em No Limit ($25/$50 USD) - 2025/03/01 20:15:30 ET
Table 'K' 6-max Seat #1 is the button
Seat 1: Ana ($200 in chips)
Seat 2: Ben ($200 in chips)
Seat 3: Cy ($30 in chips)
Ben: posts small blind $25
Cy: posts big blind $30 and is all-in
*** HOLE CARDS ***
Ana: folds
Ben: calls $5
*** FLOP *** [Kc 4c 3h]
*** TURN *** [Kc 4c 3h] [2h]
*** RIVER *** [Kc 4c 3h 2h] [9s]
*** SHOW DOWN ***
Ben: shows [Ah 5d] (a straight)
Cy: mucks hand
Ben collected $60 from pot
*** SUMMARY ***
Total pot $60 | Rake $0
Board [Kc 4c 3h 2h 9s]
"""


def test_a_call_may_be_capped_at_the_only_opponents_stack() -> None:
    hand = only(CAPPED.encode())
    assert stacks_by_name(hand) == {"Ana": 200, "Ben": 230, "Cy": 0}
    for write in WRITERS:
        assert facts(only(write(hand).encode())) == facts(hand)


def test_positions_follow_the_blinds_and_a_button_that_may_be_dead() -> None:
    hand = field("k01_ps_no_small_blind.txt")
    assert [hand.position_of(seat) for seat in range(3)] == ["BB", "CO", "BTN"]
    dead = (FIELD / "k01_ps_straddle.txt").read_text().replace("Seat #1 is", "Seat #6 is")
    hand = only(dead.encode())
    assert (hand.button, hand.button_number) == (None, 5)
    assert [seat.name for seat in hand.seats] == ["Ana", "Ben", "Cy", "Dot"]


def came_back(hand: HandHistory, write: Callable[[HandHistory], str]) -> str:
    """Return "" for a hand that came back, or why the format cannot say it."""
    try:
        text = write(hand)
    except NotExportable as reason:
        return str(reason)
    assert facts(only(text.encode())) == facts(hand), text
    return ""


def test_hands_come_back_from_every_format() -> None:
    refused: Counter[str] = Counter()
    for number in range(HANDS):
        for write in WRITERS:
            if came_back(field_hand(number), write):
                refused[write.__name__] += 1
    assert set(refused) <= {"pokerstars_text"}
    assert refused.total() <= HANDS // 50


@pytest.mark.long
def test_many_hands_come_back_from_every_format() -> None:
    """`pytest -m long tests/histories`: 20,000 hands, about two minutes."""
    refused = Counter(
        (write.__name__, reason.rpartition(" of ")[0])
        for number in range(HANDS, HANDS + MANY)
        for write in WRITERS
        if (reason := came_back(field_hand(number), write))
    )
    assert {name for name, _ in refused} <= {"pokerstars_text"}
    assert refused.total() <= MANY // 50


def damaged(generator: random.Random, text: str) -> str:
    """Return a text without a line, with one twice, or with another number."""
    lines = text.split("\n")
    at = generator.randrange(len(lines))
    numbers = list(re.finditer(r"\d+", text))
    match generator.choice(("drop", "double", "number", "number")):
        case "drop":
            del lines[at]
        case "double":
            lines.insert(at, lines[at])
        case _:
            number = generator.choice(numbers)
            other = generator.choice(("0", "1", "2", "7", "10", "50", "0.5"))
            return text[: number.start()] + other + text[number.end() :]
    return "\n".join(lines)


def test_whatever_is_read_adds_up_and_comes_back() -> None:
    """Also of damaged texts, of which many still say a hand."""
    generator, accepted = random.Random(7), 0
    for number in range(HANDS):
        write = WRITERS[number % 3]
        if came_back(field_hand(number), write):
            continue
        text = damaged(generator, write(field_hand(number)))
        try:
            hands = list(all_read(read_hands(text.encode())))
        except UnreadableHistory:
            continue
        for hand in hands:
            accepted += 1
            assert hand.is_settled or not hand.pots, text
            for form in WRITERS:
                came_back(hand, form)
    assert accepted > HANDS // 4


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (phh, "blinds_or_straddles = [1, 2, 4, 0]"),
        (ohh_text, '"action": "Straddle", "amount": 4'),
        (pokerstars_text, "Dot: posts straddle 4"),
    ],
)
def test_a_straddle_is_said_in_the_words_of_the_format(
    write: Callable[[HandHistory], str], said: str
) -> None:
    assert said in write(field("k01_ps_straddle.txt"))


def test_a_row_of_a_dead_blind_adds_to_the_pot_and_not_to_the_bet() -> None:
    names = [column.name for column in COLUMNS["actions"]]
    rows = [
        dict(zip(names, row, strict=True))
        for row in rows_of(field("k01_ohh_dead_blind.ohh"), "actions")
    ]
    found = [(row["player"], row["action"], row["total"], row["pot"]) for row in rows[2:4]]
    assert found == [("Dot", "post", 0, 4), ("Dot", "post", 2, 6)]


def test_what_a_format_has_no_words_for_is_refused_by_name() -> None:
    hand = next(
        hand
        for hand in map(field_hand, range(1_000))
        if not any(bet.kind == "big-blind" for bet in hand.forced)
        and any(bet.kind == "post" and not bet.is_dead for bet in hand.forced)
    )
    with pytest.raises(NotExportable, match=r"no words for the [a-z-]+ of Player"):
        pokerstars_text(hand)
