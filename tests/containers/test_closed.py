"""A bot in its documented container reaches nothing that is closed to it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.casino.compose import PLAYERS, Project, Rest, checked_score, project
from support.casino.docker import HARDENED, IMAGES, ROOT, USER, docker, in_container, inspect, run

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

ATTACK = (Path(__file__).parent / "attack.py").read_text()
KEYED = ("lobby", "table", "gateway", "dealer")


@pytest.fixture(scope="module")
def casino(images: dict[str, str]) -> Iterator[Project]:
    """Start a casino, which plays on under all tests."""
    assert images
    with project() as started:
        started.up()
        with started.rest() as rest:
            rest.until_hands(2)
        yield started


def addresses(casino: Project, service: str) -> dict[str, str]:
    """Return the addresses of a service's container by the networks it is in."""
    (name,) = casino.containers(service)
    networks = inspect(name)["NetworkSettings"]["Networks"]
    return {
        network.removeprefix(f"{casino.name}_"): known["IPAddress"]
        for network, known in networks.items()
    }


def attacked(casino: Project, *tokens: str, **targets: Any) -> dict[str, str | None]:
    """Run every attack in a bot's container; returns the result of each, None for a refused one."""
    with casino.rest() as rest:
        card = rest.room().table_agent_card_url
    assert card is not None
    table, _, _ = card.partition("/.well-known/")
    port = casino.url.rpartition(":")[2]
    gateway = docker(
        "network", "inspect", "--format", "{{(index .IPAM.Config 0).Gateway}}",
        f"{casino.name}_players",
    )  # fmt: skip
    dealer = addresses(casino, "dealer")
    settings = {
        "lobby": "http://lobby:4000",
        "tables": [table],
        "players": [f"http://{player}:4100" for player in PLAYERS],
        "room": "demo",
        "commanded": "demo",
        "tokens": ["guessed-0123456789", *tokens],
        "hidden": [
            "dealer:4200",
            *(f"{address}:4200" for address in dealer.values()),
            f"{addresses(casino, 'lobby')['inside']}:4000",
            f"{gateway}:{port}",
        ],
        **targets,
    }
    ran = run(
        "docker", "run", "--rm", "--interactive", *HARDENED, f"--network={casino.name}_players",
        "--entrypoint=python", IMAGES["player_example"], "-", json.dumps(settings),
        given=ATTACK,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    came_of = json.loads(ran.stdout)
    assert isinstance(came_of, dict)
    return came_of


def test_a_bot_in_its_container_is_refused_everywhere(casino: Project) -> None:
    """By lobby, tables, players and the engine; the demo room plays on with every chip."""
    with casino.rest() as rest:
        before = rest.hands()
        came_of = attacked(casino)
        assert len(came_of) > 30
        assert {name: what for name, what in came_of.items() if what is not None} == {}
        rest.until_hands(before + 5)
        checked_score(rest.all_events())


def test_a_key_opens_what_it_is_for_and_nothing_else(casino: Project) -> None:
    """The attacks above fail for want of a key, not for another fault."""
    commands = {
        "createRoom", "registerPlayer", "leaveRoom", "startRoom", "POST /v1/rooms",
        "POST /v1/rooms/nowhere/players", "DELETE /v1/rooms/nowhere/players/player-1",
        "POST /v1/rooms/nowhere/start", "POST /v1/rooms/nowhere/close", "DELETE /v1/rooms/nowhere",
        "GET /v1/rooms/nowhere/hands/1/record",
    }  # fmt: skip
    for key, opened in (
        ("operator", commands),
        ("fleet", {"announce a table", "announce a table that moved"}),
    ):
        came_of = attacked(casino, casino.key(key), commanded="nowhere")
        let_in = {name for name, what in came_of.items() if what is not None}
        assert let_in == {f"lobby: {name}" for name in opened}


def test_a_player_that_others_sign_up_goes_on_at_its_table(casino: Project) -> None:
    """An invitation does not displace its table's token."""
    code = """
import json, urllib.request as u
invitation = {"casinoName": "Mallory's", "tableId": "demo", "roomId": "demo", "minBuyIn": 40,
              "maxBuyIn": 400, "smallBlind": 1, "bigBlind": 2, "playerId": "player-1"}
for number in range(20):
    message = {"messageId": "m", "role": "ROLE_USER", "metadata": {"skill": "signup"},
               "parts": [{"data": {**invitation, "seatToken": f"mallorys-token-{number:04}"}}]}
    call = {"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": {"message": message}}
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    for player in %r:
        u.urlopen(u.Request(f"http://{player}:4100/a2a/jsonrpc", json.dumps(call).encode(),
                            headers), timeout=10).read()
"""
    with casino.rest() as rest:
        docker(
            "run", "--rm", *HARDENED, f"--network={casino.name}_players", "--entrypoint=python",
            IMAGES["player_example"], "-c", code % (PLAYERS,),
        )  # fmt: skip
        after = rest.events()[-1].sequence or 0
        rest.until_hands(rest.hands() + 5)
        outcomes = {
            (event.payload or {})["outcome"]
            for event in rest.events(after=after)
            if event.event_type == "action_taken"
        }
    assert outcomes == {"ok"}


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
        assert anybody.hands() >= 2
        assert anybody.events()
        blinds = {"smallBlind": 1, "bigBlind": 2}
        refused = anybody.http.post("/v1/rooms/demo/start", json=blinds)
        assert refused.status_code == 401
        assert operator.http.post("/v1/rooms/demo/start", json=blinds).status_code == 409


def test_an_operator_s_own_keys_replace_those_that_were_made(images: dict[str, str]) -> None:
    """From the environment or .env, at lobby, table and dealer."""
    assert images
    mine = {
        "CASINO_LOBBY_OPERATOR_TOKEN": "the operator's own key of this test",
        "CASINO_LOBBY_FLEET_KEY": "the fleet's own key of this test",
    }
    with project(ROOT, **mine) as casino:
        casino.up()
        assert [casino.key("operator"), casino.key("fleet")] == list(mine.values())
        with casino.rest() as rest:
            rest.until_hands(1)
