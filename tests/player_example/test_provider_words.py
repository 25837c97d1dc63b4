"""What is left of a provider's words: neither the key nor the prompt."""

import json

import pytest
from casino_player_example.provider_words import said_in_body, scrubbed
from hypothesis import given
from hypothesis import strategies as st

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
PROMPT = "You hold As Kd on a board of 7h 7c 2s.\nThe pot is 120 chips, and 40 are to call."


@pytest.mark.parametrize(
    "echo",
    [
        KEY,
        "sk-pr**************************6789",
        "sk-proj-…6789",
        "sk-p...789",
        "sk-proj-abcd",
        "Bearer " + KEY,
        "xxxxxxxx23456789",
    ],
)
def test_no_piece_of_the_key_is_left(echo: str) -> None:
    """However a provider echoes it; the words around stay."""
    line = scrubbed(f"Incorrect API key provided: {echo}. Find yours.", secrets=[KEY])
    assert line.removeprefix("Incorrect API key provided: ").endswith(". Find yours.")
    assert "[key]" in line
    assert "sk-p" not in line
    assert "789" not in line


@given(st.integers(0, len(KEY) - 6), st.integers(6, len(KEY)), st.text(max_size=40))
def test_pieces_of_the_key_are_found_in_any_text(start: int, length: int, around: str) -> None:
    piece = KEY[start : start + length]
    line = scrubbed(f"{around} {piece} {around}", secrets=[KEY])
    assert piece[:6] not in line


@pytest.mark.parametrize("quote", [PROMPT, json.dumps(PROMPT), repr(PROMPT), PROMPT[9:40], "As Kd"])
def test_no_quote_of_the_prompt_is_left(quote: str) -> None:
    """As text, as JSON, or a part of it; cards are left out even alone."""
    line = scrubbed(f"the input {quote} is too long", prompt=[PROMPT])
    assert line.startswith("the input ")
    assert line.endswith(" is too long")
    for card in ("As", "Kd", "7h"):
        assert card not in line


def test_the_words_are_one_bounded_line() -> None:
    assert scrubbed("one\ttwo\n\x1b[31mthree\u202e") == "one two [31mthree"
    assert len(scrubbed("x " * 10_000)) == 300


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "no", "type": "x"}}, "no"),
        ({"type": "error", "error": {"type": "x", "message": "no"}}, "no"),
        ({"error": "no"}, "no"),
        ({"detail": "no"}, "no"),
        ({"message": "no"}, "no"),
        ("<html>no</html>", "<html>no</html>"),
        ({"code": 7}, '{"code":7}'),
        (None, ""),
    ],
)
def test_the_message_of_a_body_is_found(body: object, said: str) -> None:
    assert said_in_body(body) == said
