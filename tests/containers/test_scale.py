"""A casino with three tables spreads rooms over them and leaves nothing at its end."""

import time

import pytest
from support.casino.compose import PLAYERS, checked_score, project

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

LONGEST_GRACE_S = 75


def test_a_scaled_casino_spreads_rooms_over_its_tables_and_leaves_nothing(
    images: dict[str, str],
) -> None:
    """Each of three tables gets one room; `down` ends all within the grace."""
    assert images
    rooms = ("demo", "second", "third")
    with project() as casino:
        casino.up("--scale", "table=3")
        with casino.rest() as rest:
            for number, room_id in enumerate(rooms[1:]):
                rest.open(room_id, maxHands=100_000)
                for player in PLAYERS[2 * number : 2 * number + 2]:
                    rest.seat(room_id, f"http://{player}:4100")
            for room_id in rooms:
                rest.until_hands(3, room_id)
            assert len({rest.room(room_id).table_agent_card_url for room_id in rooms}) == 3
            for room_id in rooms:
                checked_score(rest.all_events(room_id))

        began = time.monotonic()
        casino.compose("down")
        assert time.monotonic() - began < LONGEST_GRACE_S
        assert set(casino.left_over()) == {"volumes"}
        casino.compose("down", "--volumes")
        assert casino.left_over() == {}
