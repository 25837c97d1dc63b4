"""A lobby, a table and players in containers of one network find each other by name."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from support.casino.compose import Rest, checked_score
from support.casino.docker import container, stopped
from support.processes import wait_for
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

OPERATOR_KEY = "the operator's key of this test"
FLEET_KEY = "the fleet's key of this test"


@dataclass
class Three:
    """One container of each kind; the players' runs two agents."""

    lobby: DockerContainer
    table: DockerContainer
    players: DockerContainer
    rest: Rest

    def play(self, **config: object) -> None:
        """Open a room on the announced table and fill it."""
        wait_for(lambda: b"table_announced" in self.lobby.get_logs()[1])
        self.rest.open("green", **config)
        for number in (1, 2):
            self.rest.seat("green", f"http://players:4100/players/{number}")


@pytest.fixture
def three(images: dict[str, str]) -> Iterator[Three]:
    with ExitStack() as stack:
        network = stack.enter_context(Network())

        def start(name: str, image: str, port: int, **environment: str) -> DockerContainer:
            given = container(images[image], port, **environment)
            given.with_network(network).with_network_aliases(name)
            return stack.enter_context(given)

        lobby = start(
            "lobby",
            "lobby",
            4000,
            CASINO_LOBBY_PUBLIC_URL="http://lobby:4000",
            CASINO_LOBBY_LAUNCH_TABLES="false",
            CASINO_LOBBY_OPERATOR_TOKEN=OPERATOR_KEY,
            CASINO_LOBBY_FLEET_KEY=FLEET_KEY,
        )
        players = start(
            "players",
            "player_example",
            4100,
            CASINO_PLAYER_PUBLIC_URL="http://players:4100",
            CASINO_PLAYER_COUNT="2",
            CASINO_PLAYER_THINK="5ms",
        )
        table = start(
            "table",
            "table",
            4500,
            CASINO_TABLE_PUBLIC_URL="http://{hostname}:4500",
            CASINO_TABLE_LOBBY_URL="http://lobby:4000",
            CASINO_TABLE_FLEET_KEY=FLEET_KEY,
        )
        url = f"http://{lobby.get_container_host_ip()}:{lobby.get_exposed_port(4000)}"
        yield Three(lobby, table, players, stack.enter_context(Rest(url, OPERATOR_KEY)))


def test_three_containers_play_a_session(three: Three) -> None:
    """To its end, without timeouts and with every chip."""
    three.play(maxHands=20)
    three.rest.until_hands(20, "green")
    events = three.rest.events("green")
    score = checked_score(events)
    assert score.hands == 20
    assert {outcome for player in score.players.values() for outcome in player.outcomes} == {"ok"}


def test_a_table_that_is_stopped_plays_the_running_hand_to_its_end(three: Three) -> None:
    """The lobby gets its events within the grace."""
    three.play(maxHands=100_000)
    three.rest.until_hands(3, "green")
    code, took = stopped(three.table.get_container_id(), grace=45)
    assert code == 0
    assert took < 15
    events = three.rest.events("green")
    assert checked_score(events).hands >= 3
    begun = sum(event.event_type == "hand_started" for event in events)
    ended = sum(event.event_type == "hand_completed" for event in events)
    assert begun == ended


def test_a_lobby_that_is_stopped_in_a_session_ends_within_its_grace(three: Three) -> None:
    """It does not wait for a table in another container."""
    three.play(maxHands=100_000)
    three.rest.until_hands(3, "green")
    code, took = stopped(three.lobby.get_container_id(), grace=75)
    assert code == 0
    assert took < 15
