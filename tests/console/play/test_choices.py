"""What a person types, and which action it is."""

import pytest
from casino.errors import NotUnderstood
from casino.play.choices import choices_of, chosen

HOLDEM = choices_of(
    [
        {"action_type": "fold"},
        {"action_type": "call"},
        {"action_type": "raise", "min": 4, "max": 200},
        {"action_type": "all-in"},
    ]
)
OTHER = choices_of(
    [
        {"action_type": "PLAY_CARD", "card": 7},
        {"action_type": "PLAY_CARD", "card": 17},
        {"action_type": "PLACE_BET", "bet": "red", "min": 1, "max": 50},
        {"min": 1},
    ]
)


@pytest.mark.parametrize(
    ("typed", "kind", "amount"),
    [
        ("1", "fold", None),
        ("c", "call", None),
        ("CALL", "call", None),
        ("3 12", "raise", 12),
        ("raise min", "raise", 4),
        (" r   max ", "raise", 200),
        ("all in", "all-in", None),
    ],
)
def test_a_number_or_a_name_and_its_amount(typed: str, kind: str, amount: int | None) -> None:
    choice, number = chosen(typed, HOLDEM)
    assert (choice.kind, number) == (kind, amount)


def test_any_game() -> None:
    """Fields of an offer belong to its name, and are sent with it."""
    assert [str(choice) for choice in OTHER] == [
        "play card 7",
        "play card 17",
        "place bet red 1 to 50",
    ]
    choice, amount = chosen("play card 17", OTHER)
    assert (choice.kind, choice.data(amount)) == ("PLAY_CARD", {"card": 17})
    choice, amount = chosen("place bet red 5", OTHER)
    assert choice.data(amount) == {"bet": "red", "amount": 5}


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("5", "from 1 to 4"),
        ("0", "from 1 to 4"),
        ("dance", "from 1 to 4"),
        ("3", "from 4 to 200: type `3 4`"),
        ("raise 3", "from 4 to 200"),
        ("raise 201", "from 4 to 200"),
        ("call 5", "call needs no amount"),
        ("²", "from 1 to 4"),
        ("9" * 400, "from 1 to 4"),
    ],
)
def test_what_is_no_choice_is_explained(typed: str, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        chosen(typed, HOLDEM)
    with pytest.raises(NotUnderstood):
        chosen("play", OTHER)  # two begin with it
