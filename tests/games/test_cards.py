"""Cards are numbers with names."""

import pytest
from casino_games.cards import DECK, card_from_text, card_to_text, cards_from_text, cards_to_text


def test_a_card_is_four_times_its_rank_plus_its_suit() -> None:
    """Suits are counted clubs, diamonds, hearts, spades; ranks from the deuce."""
    assert [card_from_text(name) for name in ("2c", "2d", "2h", "2s", "3c", "Ah", "As")] == [
        *(0, 1, 2, 3, 4),
        50,
        51,
    ]


def test_every_card_comes_back_from_its_name() -> None:
    """There are 52 names, and no two cards share one."""
    names = [card_to_text(card) for card in DECK]
    assert [card_from_text(name) for name in names] == list(DECK)
    assert len(set(names)) == 52


def test_a_run_of_names_is_read_and_written() -> None:
    assert cards_to_text(cards_from_text("AhKd7c")) == "AhKd7c"
    assert cards_from_text("") == []


@pytest.mark.parametrize(
    "text", ["A", "1h", "ah", "AH", "Ahh", "hA", "10h", "AhK", "Ah Kd", "AhXx"]
)
def test_what_is_no_run_of_cards_is_refused(text: str) -> None:
    """Nothing is guessed from half a name."""
    for read in (card_from_text, cards_from_text):
        with pytest.raises(ValueError, match="a card is a rank"):
            read(text)


@pytest.mark.parametrize("number", [-1, 52])
def test_a_number_outside_the_deck_has_no_name(number: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 51"):
        card_to_text(number)
