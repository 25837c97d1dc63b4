"""A casino with three tables and keys of its operator spreads rooms, and leaves nothing."""

import pytest
from support.casino.docker import ROOT, inspect

from .compose import PLAYERS, checked_score, project

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

MINE = {
    "CASINO_LOBBY_OPERATOR_TOKEN": "the operator's own key of this test",
    "CASINO_LOBBY_FLEET_KEY": "the fleet's own key of this test",
}
"""Replace those that were made, from the environment or .env, at lobby, table and dealer."""


def test_a_scaled_casino_spreads_rooms_over_its_tables_and_leaves_nothing(
    images: dict[str, str],
) -> None:
    """Each of three tables gets one room; all end by themselves, within their graces."""
    assert images
    rooms = ("demo", "second", "third")
    with project(ROOT, **MINE) as casino:
        casino.up("--scale", "table=3")
        assert [casino.key("operator"), casino.key("fleet")] == list(MINE.values())
        with casino.rest() as rest:
            for number, room_id in enumerate(rooms[1:]):
                rest.open(room_id, maxHands=100_000)
                for player in PLAYERS[2 * number : 2 * number + 2]:
                    rest.seat(room_id, f"http://{player}:4100/t/{casino.key('players')}")
            for room_id in rooms:
                rest.until_hands(3, room_id)
            assert len({rest.room(room_id).table_agent_card_url for room_id in rooms}) == 3
            for room_id in rooms:
                checked_score(rest.all_events(room_id))

        casino.compose("stop")
        assert {inspect(name)["State"]["ExitCode"] for name in casino.containers()} == {0}
        casino.compose("down")
        assert set(casino.left_over()) == {"volumes"}
        casino.compose("down", "--volumes")
        assert casino.left_over() == {}
