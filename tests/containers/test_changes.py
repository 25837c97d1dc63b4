"""The demo room plays on after a restart or change of any container."""

from collections.abc import Iterator

import httpx
import pytest
from support.casino.compose import Project, project
from support.processes import wait_for

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def casino(images: dict[str, str]) -> Iterator[Project]:
    """Start a casino; every test leaves it playing."""
    assert images
    with project() as started:
        started.up()
        yield started


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
    before = hands(casino)
    wait_for(lambda: hands(casino) >= before + 5, 60)
    with casino.rest() as rest:
        rooms = rest.http.get("/v1/rooms").json()["rooms"]
    assert [room["roomId"] for room in rooms] == ["demo"]


def test_a_restarted_lobby_has_the_demo_room_again(casino: Project) -> None:
    """It was stored; the table delivers the hands that it has played meanwhile."""
    casino.compose("restart", "lobby")
    plays_on(casino)


def test_a_restarted_table_has_the_demo_room_again(casino: Project) -> None:
    """Under its name and address; its journal was kept, and its hand continues."""
    casino.compose("restart", "table")
    plays_on(casino)


def test_players_play_at_another_speed_by_one_command(casino: Project) -> None:
    """Compose replaces the players and what depends on them; the table gets another address."""
    casino.settings["CASINO_PLAYER_THINK"] = "0ms"
    casino.up()
    plays_on(casino)
