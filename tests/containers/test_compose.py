"""The whole casino of the Compose file: as an operator sees it, closed to bots, and changed."""

import json
from collections.abc import Iterator

import httpx
import pytest
from casino_agentkit.process.secret_keys import service_key
from casino_lobby.domain.room_limits import SERVICES as DERIVED
from support.attack.seated_player import invitation
from support.casino.docker import (
    HARDENED,
    IMAGES,
    USER,
    docker,
    in_container,
    inspect,
    refused_writes,
    rights,
)
from support.deployment import COMPOSE_KEYS
from support.processes import wait_for

from .compose import PLAYERS, Project, Rest, checked_score, project

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

SERVICES = ("lobby", "table", "gateway", "dealer", *PLAYERS)
GRACE = {"lobby": 75, "table": 45}
STORING = {"lobby", "table", "gateway"}
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


FILES_OF_KEYS = """
import json, os
print(json.dumps(sorted(
    [path, one.st_uid, oct(one.st_mode & 0o777)]
    for top in ("/run", "/var/lib/casino", "/tmp", "/opt", "/mnt")
    for directory, _directories, names in os.walk(top)
    for name in names
    if name == "key" or directory.startswith("/run/keys")
    for path in [os.path.join(directory, name)]
    for one in [os.stat(path)]
)))
"""


def own_files(service: str) -> list[list[object]]:
    """Return the path, the owner and the mode of each key that a service may read."""
    return [[f"/run/keys/{key}/key", USER, "0o400"] for key in sorted(COMPOSE_KEYS[service])]


@pytest.fixture(scope="module")
def casino(images: dict[str, str]) -> Iterator[Project]:
    """Start the casino; every test leaves it playing."""
    assert images
    with project() as started:
        started.up()
        yield started


@pytest.fixture
def rest(casino: Project) -> Iterator[Rest]:
    with casino.rest() as interface:
        yield interface


def test_the_demo_room_plays_fifty_hands_across_containers(casino: Project, rest: Rest) -> None:
    """Without a command, with six kinds of players and every chip."""
    assert len(casino.containers()) == len(SERVICES) + 1  # `keys`, which has ended
    rest.until_hands(50)
    score = checked_score(rest.all_events())
    assert score.hands >= 50
    assert {player.name for player in score.players.values()} == {
        "Ruth", "Emil", "Wanda", "Viktor", "Mina", "Otto"
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
    keys = {f"/run/keys/{key}": False for key in COMPOSE_KEYS[service]}
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
    (killed_player,) = casino.containers("aggressive")
    player = rest.player_id("Viktor")
    docker("kill", killed_player)
    killed = rest.events()[-1].sequence or 0
    away = rest.until_outcome(player, {"unreachable", "disconnected", "timeout"}, after=killed)
    docker("start", killed_player)
    rest.until_outcome(player, {"ok"}, after=away)
    rest.until_hands(rest.hands() + 3)
    checked_score(rest.all_events())
    wait_for(lambda: inspect(killed_player)["State"]["Health"]["Status"] == "healthy")


def test_every_image_of_the_compose_file_is_one_of_ours(casino: Project) -> None:
    """With the tag that an operator chooses; two run only with their profiles."""
    used = {inspect(name)["Config"]["Image"] for name in casino.containers()}
    assert used == set(IMAGES.values()) - {IMAGES["evaluator"], IMAGES["match"]}


# Closed: what a bot in its documented container reaches, and who can read a key.


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
    networks = {service: set(addresses(casino, service)) for service in SERVICES}
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
    first = {name: casino.key(name) for name in ("operator", "fleet", "players")}
    assert len(set(first.values())) == 3
    assert {len(key) for key in first.values()} == {43}
    for service in SERVICES:
        for name in casino.containers(service):
            assert json.loads(in_container(name, FILES_OF_KEYS)) == own_files(service)
    casino.up()
    assert {name: casino.key(name) for name in first} == first


@pytest.mark.parametrize("service", ["evaluator", "evaluator-tables", "match"])
def test_services_of_profiles_read_their_own_keys_alone(service: str, casino: Project) -> None:
    """As their containers would, of which nothing else is started."""
    came_of = casino.compose(
        "run", "--rm", "--no-deps", "-T", "--entrypoint=python", service, "-c", FILES_OF_KEYS
    )
    assert json.loads(came_of) == own_files(service)


def test_a_further_volume_of_a_key_is_found(casino: Project) -> None:
    """So what the lists above do not have is nowhere: every image's user may read every key."""
    came_of = docker(
        "run", "--rm", *HARDENED, "--network=none", "--entrypoint=python",
        f"--volume={casino.name}_key-operator:/run/elsewhere:ro",
        IMAGES["player_example"], "-c", FILES_OF_KEYS,
    )  # fmt: skip
    assert json.loads(came_of) == [["/run/elsewhere/key", USER, "0o400"]]


def test_no_key_can_be_read_anywhere_but_in_its_file(casino: Project) -> None:
    """Not by inspection, in processes or logs, nor in a player's files."""
    keys = [casino.key(name) for name in ("operator", "fleet", "players")]
    keys += [service_key(keys[0], service) for service in DERIVED]
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


def test_others_can_neither_ask_a_sample_player_nor_read_its_address(casino: Project) -> None:
    """The room plays all the same: dealer, lobby and table have addresses that carry the key."""
    (lobby,) = casino.containers("lobby")
    key = casino.key("players")
    code = """
import sys, urllib.error, urllib.request
body = sys.argv[2].encode()
call = urllib.request.Request(sys.argv[1], body, {"content-type": "application/json"})
try:
    print(urllib.request.urlopen(call, timeout=5).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""
    body = json.dumps({"input": invitation("practice", "a-token-of-the-test")})
    for path, status in (("", "401"), (f"/t/{key}", "200")):
        url = f"http://tight:4100{path}/entrypoints/signup/invoke"
        assert docker("exec", lobby, "python", "-c", code, url, body) == status
    with Rest(casino.url) as anybody, casino.rest() as operator:
        for page in ("/", "/v1/rooms", "/v1/rooms/demo", "/v1/config"):
            assert key not in anybody.http.get(page).text
        assert key in operator.http.get("/v1/config").text


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


# Changed: the demo room plays on after a stop or change of any container.


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
