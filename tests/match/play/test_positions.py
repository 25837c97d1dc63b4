"""Positions are named as the lobby names them in a bot's own hands."""

import pytest
from casino_contracts.events.content import HandStarted
from casino_lobby.service.own_hands.position import position_of
from casino_match.play.positions import positions


@pytest.mark.parametrize("seats", range(2, 11))
def test_positions_are_those_of_the_lobby(seats: int) -> None:
    small, big = (1, 0) if seats == 2 else (0, 1)
    posted = [
        {"playerId": str(small), "kind": "small-blind", "amount": 1},
        {"playerId": str(big), "kind": "big-blind", "amount": 2},
    ]
    hand = HandStarted(
        {
            "handNumber": 1,
            "buttonSeat": seats - 1,
            "posted": posted,
            "players": [
                {"playerId": str(seat), "seatNumber": seat, "displayName": "A", "stack": 9}
                for seat in range(seats)
            ],
        }
    )
    assert positions(seats) == tuple(position_of(hand, str(seat)) for seat in range(seats))
