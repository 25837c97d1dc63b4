"""Read texts of PokerStars with the package `poker`: a list as JSON in, what it found out."""

import json
import sys

from poker.room.pokerstars import PokerStarsHandHistory


def read(text: str) -> dict[str, object]:
    hand = PokerStarsHandHistory(text)
    hand.parse()
    taken = [player for player in hand.players if not player.name.startswith("Empty Seat")]
    return {
        "blinds": [int(hand.sb), int(hand.bb)],
        "button": hand.button.seat,
        "stacks": {player.name: player.stack for player in taken},
        "pot": int(hand.total_pot),
        "board": [str(card) for card in hand.board or ()],
    }


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
