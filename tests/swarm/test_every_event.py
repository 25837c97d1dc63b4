"""What docs/scale-out.md says of Swarm, with more rooms: `make swarm`."""

import os

import pytest
from support.swarm.events import (
    audit,
    bring_worker_back,
    deploy_next,
    drain_worker,
    lose_worker,
    reported,
    spread_tables,
    update_lobbies,
)
from support.swarm.swarm_casino import LIMIT_S, swarm_casino

pytestmark = [pytest.mark.long, pytest.mark.docker, pytest.mark.timeout(3600)]

ROOMS = int(os.environ.get("CASINO_SWARM_ROOMS", "12"))
"""At most 16: two of four processes, with eight tables each, are on the machine that is lost."""


def test_rooms_play_on_after_every_loss_and_update(capsys: pytest.CaptureFixture[str]) -> None:
    """No session ends, and each chip is there."""
    with (
        swarm_casino(CASINO_TABLES="4", CASINO_PLAYER_THINK="100ms") as casino,
        reported(casino, capsys),
    ):
        casino.start()
        casino.serve_from(casino.manager)
        casino.open_rooms(ROOMS)
        casino.stack.until(casino.stack.is_complete, LIMIT_S)
        lose_worker(casino, "standby_lost", is_killed=True)
        bring_worker_back(casino)
        audit(casino)

        update_lobbies(casino)
        deploy_next(casino)
        drain_worker(casino)
        spread_tables(casino)
        audit(casino)

        casino.serve_from(casino.worker)
        casino.stack.until(casino.stack.is_complete, LIMIT_S)
        lose_worker(casino, "serving_cut_off", is_killed=False)
        bring_worker_back(casino)
        audit(casino)
