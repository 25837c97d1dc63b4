"""The demo room plays on after a stop or change of any container."""

import httpx
import pytest
from support.casino.docker import inspect
from support.processes import wait_for

from .compose import Project

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


def hands(casino: Project) -> int:
    """Return how many hands all rooms have completed."""
    try:
        with casino.rest() as rest:
            rooms = rest.http.get("/v1/rooms").json()["rooms"]
    except httpx.TransportError:  # it is only just coming up
        return 0
    return sum(room["handCount"] for room in rooms)


def plays_on(casino: Project) -> None:
    """Check that the dealer's room plays on and is the same room."""
    wait_for(lambda: hands(casino) > 0)
    before = hands(casino)
    wait_for(lambda: hands(casino) >= before + 5)
    with casino.rest() as rest:
        rooms = rest.http.get("/v1/rooms").json()["rooms"]
    assert [room["roomId"] for room in rooms] == ["demo"]


def stop(casino: Project, service: str) -> None:
    """Stop a service, which ends by itself within its grace."""
    casino.compose("stop", service)
    (name,) = casino.containers(service)
    assert inspect(name)["State"]["ExitCode"] == 0


def test_a_lobby_that_was_stopped_has_the_demo_room_again(casino: Project) -> None:
    """It was stored; the table delivers the hands that it has played meanwhile."""
    stop(casino, "lobby")
    casino.compose("start", "lobby")
    plays_on(casino)


def test_a_table_that_was_stopped_has_the_demo_room_again(casino: Project) -> None:
    """It has played its hand to the end. Its journal was kept, under its name and address."""
    stop(casino, "table")
    with casino.rest() as rest:
        kinds = [event.event_type for event in rest.all_events()]
    assert [kind for kind in kinds if kind in {"hand_started", "hand_completed"}][-1] == (
        "hand_completed"
    )
    casino.compose("start", "table")
    plays_on(casino)


def test_players_play_at_another_speed_by_one_command(casino: Project) -> None:
    """Compose replaces the players and what depends on them; the table gets another address."""
    casino.settings["CASINO_PLAYER_THINK"] = "0ms"
    casino.up()
    plays_on(casino)
