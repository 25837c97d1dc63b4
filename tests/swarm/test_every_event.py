"""What docs/scale.md says of Swarm, with more rooms: `make swarm`."""

import os

import pytest

from .swarm_casino import swarm_casino

pytestmark = [pytest.mark.long, pytest.mark.docker, pytest.mark.timeout(3600)]

ROOMS = int(os.environ.get("CASINO_SWARM_ROOMS", "12"))
"""At most 16: two of four processes, with eight tables each, are on the machine that is lost."""


def test_rooms_play_on_after_every_loss_and_update() -> None:
    """No session ends, and each chip is there."""
    with swarm_casino(CASINO_TABLES="4", CASINO_PLAYER_THINK="100ms") as casino:
        casino.start()
        casino.serve_from(casino.manager)
        casino.open_rooms(ROOMS)
        casino.lose_worker(is_killed=True)
        casino.bring_worker_back()
        casino.audit()

        casino.update("lobby")
        casino.deploy_next()
        casino.drain_worker()
        casino.spread_tables()
        casino.audit()

        casino.serve_from(casino.worker)
        casino.lose_worker(is_killed=False)
        casino.bring_worker_back()
        casino.audit()
