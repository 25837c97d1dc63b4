"""A casino on two machines with Docker Swarm: one is lost, and all tables are updated."""

import pytest
from support.swarm.events import audit, bring_worker_back, lose_worker, reported, update_tables
from support.swarm.swarm_casino import LIMIT_S, swarm_casino

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]

ROOMS = 4


def test_rooms_play_on_after_the_loss_of_a_machine_and_an_update_of_all_tables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The machine of the lobby that serves loses its power: no session ends, no chip is lost."""
    with (
        swarm_casino(CASINO_TABLES="2", CASINO_PLAYER_THINK="100ms") as casino,
        reported(casino, capsys),
    ):
        casino.start()
        casino.serve_from(casino.worker)
        casino.open_rooms(ROOMS)
        casino.stack.until(casino.stack.is_complete, LIMIT_S)  # the other lobby stands by
        lose_worker(casino, "serving_lost", is_killed=True)
        bring_worker_back(casino)
        update_tables(casino)
        audit(casino)
