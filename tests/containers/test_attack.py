"""`casino attack` with all attacks, from a bot's container at a casino that plays."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from casino.commands.attack import ATTACKS
from casino_contracts import HandRecord, TableEvent
from support.casino.auditor import RoomAudit
from support.casino.docker import HARDENED, IMAGES, docker, run
from support.casino.overheard import Overheard, hidden_by_hand

from .compose import PLAYERS, Project, Rest, project

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

DEMO, ROOM, CLOSED_ROOM = "demo", "green", "old"
RIVALS = ("tight", "loose", "tricky")
KEPT = "/var/lib/casino/received"
"""Where the attacker's container keeps what it received: a volume of its own."""


@dataclass
class Attacked:
    """The results of the attacks, the received bytes, and the hands that were played."""

    exit_code: int
    outcomes: dict[str, dict[str, Any]]
    """By the attack's name."""
    received: list[bytes]
    events: dict[str, list[TableEvent]]
    """By room, of its whole life."""
    records: dict[str, HandRecord]
    """Of every completed hand of both rooms, by hand id."""
    hands_before: dict[str, int]
    closed_hands: int
    """Of the room that was closed before."""
    keys: list[str]


@pytest.fixture(scope="module")
def attacked(
    images: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Attacked]:
    """Attack a casino of the Compose file while two of its rooms play."""
    assert images
    with project(CASINO_TABLE_COUNT="3", CASINO_PLAYER_THINK="50ms") as casino:
        casino.up()
        with casino.rest() as rest:
            _open_rooms(rest, casino.key("players"))
            hands = {room: rest.hands(room) for room in (DEMO, ROOM)}
            exit_code, lines, received = _fired(casino, tmp_path_factory.mktemp("mallory"))
            for room in hands:
                rest.until_hands(rest.hands(room) + 2, room)
            events = {room: rest.events(room) for room in hands}
            yield Attacked(
                exit_code,
                {line["attack"]: line for line in map(json.loads, lines.splitlines())},
                received.splitlines(),
                events,
                {
                    hand_id: record
                    for room in hands
                    for hand_id, record in rest.records(room, events[room])
                },
                hands,
                rest.hands(CLOSED_ROOM),
                [casino.key(name) for name in ("operator", "fleet", "players")],
            )


def _open_rooms(rest: Rest, key: str) -> None:
    """Let a second room play, with free seats, and close a third; a table stays free."""
    rest.open(CLOSED_ROOM)
    rest.http.post(f"/v1/rooms/{CLOSED_ROOM}/close").raise_for_status()
    rest.open(ROOM, maxSeats=len(RIVALS) + 2, maxHands=100_000)
    for rival in RIVALS:
        rest.seat(ROOM, f"http://{rival}:4100/t/{key}")
    rest.http.post(f"/v1/rooms/{ROOM}/start", json={}).raise_for_status()
    for room in (DEMO, ROOM):
        rest.until_hands(2, room)


def _fired(casino: Project, folder: Path) -> tuple[int, str, bytes]:
    """Run the command in a container that is closed in like a bot's and in the bots' network.

    Returns its exit code, its lines, and all bytes that it received. The operator's key, which no
    attack shows, seats its bot.
    """
    name = f"{casino.name}-mallory"
    players = [part for one in PLAYERS for part in ("--player", f"http://{one}:4100")]
    try:
        ran = run(
            "docker", "run", "--name", name, *HARDENED, "--hostname=mallory",
            f"--network={casino.name}_players", "--network-alias=mallory",
            "--volume=/var/lib/casino", "--env=CASINO_LOBBY_OPERATOR_TOKEN",
            IMAGES["console"], "attack", "http://lobby:4000", "--seat", ROOM, *players,
            "--listen", "mallory", "--received", KEPT, "--json",
            environment={"CASINO_LOBBY_OPERATOR_TOKEN": casino.key()},
        )  # fmt: skip
        assert ran.stderr == "", ran.stderr
        docker("cp", f"{name}:{KEPT}", folder / "received")
        return ran.returncode, ran.stdout, (folder / "received").read_bytes()
    finally:
        docker("rm", "--force", "--volumes", name)


def test_every_attack_is_refused(attacked: Attacked) -> None:
    """Each had something to attack, but those on services that this casino does not run."""
    outcomes = {name: line["outcome"] for name, line in attacked.outcomes.items()}
    assert outcomes == {
        one.name: "not applicable" if one.needs else "refused" for one in ATTACKS
    }, attacked.outcomes
    assert attacked.exit_code == 0


@pytest.mark.parametrize("room", [DEMO, ROOM])
def test_no_room_was_stopped(attacked: Attacked, room: str) -> None:
    """Both rooms played on, and no decision timed out."""
    events = attacked.events[room]
    kinds = {(event.payload or {}).get("kind") for event in events}
    assert not kinds & {"hand_cancelled", "paused", "sat_out"}
    assert "table_error" not in {event.event_type for event in events}
    assert {event.epoch for event in events} == {1}
    outcomes = {
        (event.payload or {})["outcome"] for event in events if event.event_type == "action_taken"
    }
    assert outcomes == {"ok"}
    completed = sum(event.event_type == "hand_completed" for event in events)
    assert completed > attacked.hands_before[room] + 5


@pytest.mark.parametrize("room", [DEMO, ROOM])
def test_every_chip_is_there(attacked: Attacked, room: str) -> None:
    """After every event."""
    audit = RoomAudit(room)
    for event in attacked.events[room]:
        audit.take(event)
    audit.check_whole()
    assert attacked.closed_hands == 0


def test_the_attacker_learned_no_card(attacked: Attacked) -> None:
    """It received no key, and no cards beside those that were shown."""
    overheard = Overheard(attacked.received)
    events = [event for room in attacked.events.values() for event in room]
    hidden = hidden_by_hand(events, attacked.records)
    assert sum(map(bool, hidden.values())) > 10, "cards stayed hidden"
    overheard.holds_none_of(hidden)
    assert overheard.events > 50
    everything = b"\n".join(attacked.received)
    assert not [key for key in attacked.keys if key.encode() in everything]
