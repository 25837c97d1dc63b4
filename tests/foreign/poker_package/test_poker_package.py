"""The package `poker` 0.30 reads exported texts of whole chips with the cards of anybody."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace

import pytest
from casino_histories import HandHistory, NotExportable
from casino_histories.pokerstars_writer import plain_name, pokerstars_text
from support.histories.field_hands import field_hand
from support.histories.random_hands import random_hand
from support.players.foreign import program
from support.processes import PATIENCE_S

pytestmark = [pytest.mark.foreign, pytest.mark.full]
HANDS = 300


@pytest.mark.parametrize("make", [field_hand, random_hand])
def test_the_package_reads_what_was_written(make: Callable[[int], HandHistory]) -> None:
    hands, texts = [], []
    for number in range(HANDS):
        hand = replace(make(number), decimals=0)
        if any(seat.cards for seat in hand.seats) and not hand.is_cancelled:
            try:
                texts.append(pokerstars_text(hand))
            except NotExportable:
                continue
            hands.append(hand)
    done = subprocess.run(
        program("poker_package", "read_texts"),
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    for hand, read in zip(hands, json.loads(done.stdout), strict=True):
        assert read == {
            "blinds": [hand.small_blind, hand.big_blind],
            "button": hand.button_number + 1,
            "stacks": {plain_name(seat.name): seat.stack for seat in hand.seats},
            "pot": hand.pot,
            "board": list(read["board"]),
        }
        assert len(read["board"]) == len(hand.board)
