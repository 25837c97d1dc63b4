"""The whole casino of the Compose file, as an operator sees it."""

import json

import pytest
from support.casino.docker import IMAGES, USER, docker, inspect, refused_writes, rights
from support.processes import wait_for

from .compose import PLAYERS, Project, Rest, checked_score

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

SERVICES = ("lobby", "table", "gateway", "dealer", *PLAYERS)
GRACE = {"lobby": 75, "table": 45}
STORING = {"lobby", "table", "gateway"}
KEYED = {"lobby", "table", "gateway", "dealer"}


def test_the_demo_room_plays_fifty_hands_across_containers(casino: Project, rest: Rest) -> None:
    """Without a command, with five kinds of players and every chip."""
    assert len(casino.containers()) == len(SERVICES) + 1  # `keys`, which has ended
    rest.until_hands(50)
    score = checked_score(rest.all_events())
    assert score.hands >= 50
    assert {player.name for player in score.players.values()} == {
        "Tight", "Equity", "Caller", "Maniac", "Random", "Caller 2"
    }  # fmt: skip


def test_every_line_of_every_log_is_json(casino: Project) -> None:
    """Every service writes some."""
    assert all(casino.log(service) for service in SERVICES)


def test_nothing_is_published_but_the_ports_of_lobby_and_gateway(casino: Project) -> None:
    """On loopback."""
    published = {
        service: [
            binding["HostIp"]
            for bindings in inspect(name)["NetworkSettings"]["Ports"].values()
            for binding in bindings or ()
        ]
        for service in SERVICES
        for name in casino.containers(service)
    }
    assert published.pop("lobby") == published.pop("gateway") == ["127.0.0.1"]
    assert not any(published.values())


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_bounded_and_has_no_rights(service: str, casino: Project) -> None:
    """Memory, processes and log are bounded; it writes to its volume only."""
    (name,) = casino.containers(service)
    known = inspect(name)
    limits = known["HostConfig"]
    assert 0 < limits["Memory"] <= 512 * 2**20
    assert 0 < limits["PidsLimit"] <= 100
    assert limits["LogConfig"]["Config"] == {"max-size": "10m", "max-file": "3"}
    assert limits["RestartPolicy"]["Name"] == "unless-stopped"
    assert known["Config"].get("StopTimeout") == GRACE.get(service, 10)
    granted = rights(name)
    assert granted["Uid"].split() == [str(USER)] * 4
    assert {granted[one].strip("0") for one in ("CapPrm", "CapEff", "CapBnd")} == {""}
    assert granted["NoNewPrivs"] == "1"
    volumes = {
        mount["Destination"]: mount["RW"] for mount in known["Mounts"] if mount["Type"] == "volume"
    }
    data = {"/var/lib/casino": True} if service in STORING else {}
    keys = {"/run/keys": False} if service in KEYED else {}
    assert volumes == {**data, **keys}
    for user in (USER, 0):
        refused = refused_writes(name, "/", "/etc", "/opt", user=user)
        assert refused == dict.fromkeys(("/", "/etc", "/opt"), "EROFS")
    assert refused_writes(name, *keys) == dict.fromkeys(keys, "EROFS")
    assert not refused_writes(name, "/tmp", *data)


def test_cards_advertise_addresses_that_the_others_reach(casino: Project, rest: Rest) -> None:
    """No agent advertises loopback."""
    (lobby,) = casino.containers("lobby")
    table = rest.room().table_agent_card_url
    assert table is not None
    code = """
import json, sys, urllib.request as u
def read(url): return json.load(u.urlopen(url, timeout=5))
card = read({url!r})
there = card["supportedInterfaces"][0]["url"]
host = there.split("/a2a")[0]
print(json.dumps([there, read(host + "/.well-known/agent-card.json") == card]))
"""
    for url in (table, "http://lobby:4000", *(f"http://{player}:4100" for player in PLAYERS)):
        card = url.removesuffix("/.well-known/agent-card.json") + "/.well-known/agent-card.json"
        there, is_same = json.loads(docker("exec", lobby, "python", "-c", code.format(url=card)))
        assert is_same, there
        assert "127.0.0.1" not in there


def test_a_killed_player_costs_only_its_own_turns(casino: Project, rest: Rest) -> None:
    """Its seat checks or folds meanwhile; after its restart it plays on."""
    (maniac,) = casino.containers("maniac")
    player = rest.player_id("Maniac")
    docker("kill", maniac)
    killed = rest.events()[-1].sequence or 0
    away = rest.until_outcome(player, {"unreachable", "disconnected", "timeout"}, after=killed)
    docker("start", maniac)
    rest.until_outcome(player, {"ok"}, after=away)
    rest.until_hands(rest.hands() + 3)
    checked_score(rest.all_events())
    wait_for(lambda: inspect(maniac)["State"]["Health"]["Status"] == "healthy")


def test_every_image_of_the_compose_file_is_one_of_ours(casino: Project) -> None:
    """With the tag that an operator chooses; two run only with their profiles."""
    used = {inspect(name)["Config"]["Image"] for name in casino.containers()}
    assert used == set(IMAGES.values()) - {IMAGES["evaluator"], IMAGES["match"]}
