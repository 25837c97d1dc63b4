"""A casino on two machines with Docker Swarm: one is lost, and all tables are updated."""

import pytest

from .swarm_casino import swarm_casino

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]

ROOMS = 4


def test_rooms_play_on_after_the_loss_of_a_machine_and_an_update_of_all_tables() -> None:
    """The machine of the lobby that serves loses its power: no session ends, no chip is lost."""
    with swarm_casino(CASINO_TABLES="2", CASINO_PLAYER_THINK="100ms") as casino:
        casino.start()
        casino.serve_from(casino.worker)
        casino.open_rooms(ROOMS)
        casino.lose_worker(is_killed=True)
        casino.bring_worker_back()
        casino.update("table")
        casino.audit()
