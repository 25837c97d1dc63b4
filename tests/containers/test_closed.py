"""A bot in its documented container reaches nothing that is closed to it.

`test_attack.py` has what it may send to lobby, tables and players.
"""

import json

import pytest
from support.casino.docker import HARDENED, IMAGES, USER, docker, in_container, inspect

from .compose import PLAYERS, Project, Rest

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

KEYED = ("lobby", "table", "gateway", "dealer")
ATTACK = """
import ctypes, json, os, socket, sys

def is_reached(place):
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=3).close()
    except OSError:
        return False
    return True

def is_opened(family):
    try:
        socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
    except PermissionError:
        return False
    return True

libc = ctypes.CDLL(None, use_errno=True)
print(json.dumps({
    "reached": [place for place in sys.argv[1:] if is_reached(place)],
    "raw sockets": any(map(is_opened, (socket.AF_PACKET, socket.AF_INET))),
    "mount": libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0,
    "mount is not allowed": ctypes.get_errno() in {1, 13},
    "files of keys": [
        f"{directory}/{name}"
        for top in ("/run/keys", "/run/secrets", "/var/lib/casino")
        for directory, _directories, names in os.walk(top)
        for name in names
    ],
}))
"""


def addresses(casino: Project, service: str) -> dict[str, str]:
    """Return the addresses of a service's container by the networks it is in."""
    (name,) = casino.containers(service)
    networks = inspect(name)["NetworkSettings"]["Networks"]
    return {
        network.removeprefix(f"{casino.name}_"): known["IPAddress"]
        for network, known in networks.items()
    }


def test_a_bot_in_its_container_reaches_what_bots_may_and_nothing_else(casino: Project) -> None:
    """Neither the dealer, nor the inner network or the machine, by name or by address."""
    port = casino.url.rpartition(":")[2]
    gateway = docker(
        "network", "inspect", "--format", "{{(index .IPAM.Config 0).Gateway}}",
        f"{casino.name}_players",
    )  # fmt: skip
    hidden = [
        "dealer:4200",
        *(f"{address}:4200" for address in addresses(casino, "dealer").values()),
        f"{addresses(casino, 'lobby')['inside']}:4000",
        f"{gateway}:{port}",
    ]
    came_of = docker(
        "run", "--rm", *HARDENED, f"--network={casino.name}_players", "--entrypoint=python",
        IMAGES["player_example"], "-c", ATTACK, "lobby:4000", *hidden,
    )  # fmt: skip
    assert json.loads(came_of) == {
        "reached": ["lobby:4000"],
        "raw sockets": False,
        "mount": False,
        "mount is not allowed": True,
        "files of keys": [],
    }


def test_players_cannot_reach_the_dealer(casino: Project) -> None:
    """Lobby, table and gateway are in both networks, and use the one without players."""
    networks = {service: set(addresses(casino, service)) for service in (*KEYED, *PLAYERS)}
    both = {"inside", "players"}
    assert networks == {
        "lobby": both,
        "table": both,
        "gateway": both,
        "dealer": {"inside"},
        **{player: {"players"} for player in PLAYERS},
    }
    (lobby,), (table,) = casino.containers("lobby"), casino.containers("table")
    code = "import socket; print(socket.gethostbyname({!r}))"
    assert in_container(table, code.format("lobby")) == addresses(casino, "lobby")["inside"]
    assert in_container(lobby, code.format(table[:12])) == addresses(casino, "table")["inside"]


def test_keys_are_made_once_for_those_who_need_them(casino: Project) -> None:
    """One run of `keys` without a network; files of their user alone, the same at every start."""
    (made,) = casino.containers("keys")
    known = inspect(made)
    assert known["State"]["ExitCode"] == 0
    assert set(known["NetworkSettings"]["Networks"]) == {"none"}
    first = {name: casino.key(name) for name in ("operator", "fleet")}
    assert len(set(first.values())) == 2
    assert {len(key) for key in first.values()} == {43}
    code = """
import json, os
print(json.dumps([[path, one.st_uid, oct(one.st_mode & 0o777)]
                  for path in ("/run/keys", "/run/keys/fleet", "/run/keys/operator")
                  for one in [os.stat(path)]]))
"""
    for service in KEYED:
        (name,) = casino.containers(service)
        assert json.loads(in_container(name, code)) == [
            ["/run/keys", USER, "0o700"],
            ["/run/keys/fleet", USER, "0o400"],
            ["/run/keys/operator", USER, "0o400"],
        ]
    casino.up()
    assert {name: casino.key(name) for name in first} == first


def test_no_key_can_be_read_anywhere_but_in_its_file(casino: Project) -> None:
    """Not by inspection, in processes or logs, nor in a player's files."""
    keys = [casino.key(name) for name in ("operator", "fleet")]
    code = """
import glob
for path in glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ"):
    try:
        print(open(path, "rb").read().replace(bytes(1), b" ").decode())
    except OSError:
        pass
"""
    for name in casino.containers():
        known = inspect(name)
        shown = [json.dumps(known), docker("logs", name)]
        if known["State"]["Running"]:
            shown.append(in_container(name, code))
            assert "PATH=" in shown[-1]
        assert not [key for key in keys for text in shown if key in text], known["Name"]
    for player in PLAYERS:
        (name,) = casino.containers(player)
        assert inspect(name)["Mounts"] == []
        assert in_container(name, "import os; print(os.listdir('/run/keys'))") == "[]"


def test_the_page_and_its_room_need_no_key(casino: Project) -> None:
    """Commands over the published port need the key."""
    with Rest(casino.url) as anybody, casino.rest() as operator:
        page = anybody.http.get("/")
        assert page.status_code == 200
        assert "text/html" in page.headers["content-type"]
        anybody.until_hands(2)
        assert anybody.events()
        blinds = {"smallBlind": 1, "bigBlind": 2}
        refused = anybody.http.post("/v1/rooms/demo/start", json=blinds)
        assert refused.status_code == 401
        assert operator.http.post("/v1/rooms/demo/start", json=blinds).status_code == 409
