"""The casino in containers for tests: its images, and Compose projects driven as by an operator."""

import json
import os
import subprocess
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, NoReturn, Self

import httpx
import pytest
from casino.up.score import Score
from casino_contracts import HandRecord, RoomSnapshot, TableEvent
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HealthcheckWaitStrategy

from support.processes import wait_for

ROOT = Path(__file__).parents[3]
BASE = "python:3.11-slim-bookworm"
TAG = "test"
IMAGES = {
    target: f"a2a-casino/{target}:{TAG}"
    for target in ("lobby", "table", "player_example", "console")
}
PLAYERS = ("tight", "equity", "caller", "maniac", "random", "caller2")
USER = 10001
HARDENED = (
    f"--user={USER}:{USER}",
    "--init",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges:true",
)
"""As the override example has its bot."""
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("CASINO_", "COMPOSE_"))
}
"""Of everything that is run here: nothing that a developer has set for a casino of his own."""


def unavailable(why: str) -> NoReturn:
    """Skip on a user's machine, fail in CI."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def run(
    *command: str | Path,
    environment: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    seconds: float = 280,
    given: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; `given` is its standard input."""
    return subprocess.run(
        [str(word) for word in command],
        env={**ENVIRONMENT, **(environment or {})},
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )


def docker(
    *arguments: str | Path, environment: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> str:
    """Run docker, which must succeed; returns what it says."""
    ran = run("docker", *arguments, environment=environment, cwd=cwd)
    assert ran.returncode == 0, f"docker {' '.join(map(str, arguments))}: {ran.stdout}{ran.stderr}"
    return ran.stdout.strip()


def docker_bytes(*arguments: str) -> bytes:
    """Run docker, which must succeed; returns the bytes that it writes."""
    ran = subprocess.run(
        ["docker", *arguments], env=ENVIRONMENT, capture_output=True, check=False, timeout=60
    )
    assert ran.returncode == 0, f"docker {' '.join(arguments)}: {ran.stderr!r}"
    return ran.stdout


def inspect(name: str, *kind: str) -> dict[str, Any]:
    """Return what the engine knows of a container; or of an image, with `image`."""
    (known,) = json.loads(docker(*kind, "inspect", name))
    assert isinstance(known, dict)
    return known


def require_engine() -> None:
    """Skip, or fail in CI, where there is no engine with Compose v2."""
    try:
        for command in (("docker", "info"), ("docker", "compose", "version")):
            asked = run(*command, seconds=20)
            if asked.returncode:
                unavailable(f"{' '.join(command)}: {(asked.stderr or asked.stdout)[-300:].strip()}")
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        unavailable(f"no Docker engine: {error}")


def build(target: str, image: str, **environment: str) -> None:
    """Build an image as the README says, with the builder that the environment asks for."""
    docker("build", "--quiet", "--target", target, "--tag", image, ".", environment=environment)


def version() -> str:
    """Return the project's version."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        told = tomllib.load(file)["project"]["version"]
    assert isinstance(told, str)
    return told


class Rest:
    """The lobby's REST face, from outside all containers; with a key, as its operator."""

    def __init__(self, url: str, key: str = "") -> None:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.Client(base_url=url, headers=headers, timeout=30, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def room(self, room_id: str = "demo") -> RoomSnapshot:
        """Read a room."""
        return RoomSnapshot.model_validate_json(self.http.get(f"/v1/rooms/{room_id}").content)

    def open(self, room_id: str, **config: Any) -> RoomSnapshot:
        """Open a room on a table that announced itself."""
        rules = {
            "startingStack": 200,
            "smallBlind": 1,
            "bigBlind": 2,
            "minBuyIn": 40,
            "maxBuyIn": 400,
            "maxHands": 20,
            "maxSeats": 2,
            "rebuy": "auto",
        }
        body = {"roomId": room_id, "config": {**rules, **config}}
        reply = self.http.post("/v1/rooms", json=body)
        assert reply.status_code == 201, reply.text
        return RoomSnapshot.model_validate_json(reply.content)

    def seat(self, room_id: str, card_url: str) -> None:
        """Register a player."""
        reply = self.http.post(f"/v1/rooms/{room_id}/players", json={"agentCardUrl": card_url})
        assert reply.status_code == 201, reply.text

    def events(self, room_id: str = "demo", after: int = 0) -> list[TableEvent]:
        """Read the events of a room after a sequence."""
        events: list[TableEvent] = []
        while True:
            last = events[-1].sequence if events else after
            url = f"/v1/rooms/{room_id}/events?after={last}&limit=5000"
            page = self.http.get(url).json()["events"]
            if not page:
                return events
            events += [TableEvent.model_validate(event) for event in page]

    def records(
        self, room_id: str, events: Sequence[TableEvent]
    ) -> Iterator[tuple[str, HandRecord]]:
        """Read the operator's record of every hand that these events complete, by hand id."""
        for event in events:
            if event.event_type == "hand_completed" and event.hand_id:
                number = event.hand_id.rpartition("/")[2]
                reply = self.http.get(f"/v1/rooms/{room_id}/hands/{number}/record")
                content = reply.raise_for_status().content
                yield event.hand_id, HandRecord.model_validate_json(content)

    def hands(self, room_id: str = "demo") -> int:
        """Return how many hands the room has completed."""
        summary = self.room(room_id).summary
        return summary.hand_count if summary else 0

    def until_hands(self, count: int, room_id: str = "demo", seconds: float = 60) -> None:
        """Wait until a room has completed so many hands."""
        wait_for(lambda: self.hands(room_id) >= count, seconds)

    def player_id(self, name: str, room_id: str = "demo") -> str:
        """Return a player's id, given his name."""
        summary = self.room(room_id).summary
        assert summary is not None
        (player,) = [one for one in summary.players if one.display_name == name]
        return player.player_id

    def until_outcome(
        self, player_id: str, outcomes: set[str], after: int = 0, seconds: float = 60
    ) -> int:
        """Wait for a decision of a player after a sequence; returns the sequence of this one."""
        found: list[int] = []

        def is_there() -> bool:
            found.extend(
                event.sequence or 0
                for event in self.events(after=after)
                if event.event_type == "action_taken"
                and (event.payload or {})["playerId"] == player_id
                and (event.payload or {})["outcome"] in outcomes
            )
            return bool(found)

        wait_for(is_there, seconds)
        return found[0]


def checked_score(events: list[TableEvent]) -> Score:
    """Return what a room's events come to, after seeing that no hand made or lost a chip."""
    score = Score()
    for event in events:
        if score.add(event):
            assert score.in_play == score.bought_in, event
    return score


@dataclass
class Project:
    """One Compose project, of its own name and with a free port."""

    directory: Path = ROOT
    settings: dict[str, str] = field(default_factory=dict)
    name: str = field(default_factory=lambda: f"casino-test-{token_hex(4)}")

    @property
    def environment(self) -> dict[str, str]:
        """What an operator would have set."""
        return {
            "COMPOSE_PROJECT_NAME": self.name,
            "CASINO_TAG": TAG,
            "CASINO_PORT": "0",
            "CASINO_HEALTH_INTERVAL": "2s",
            "CASINO_PLAYER_THINK": "5ms",
            "CASINO_LOBBY_EVENTS_KEPT": "1000000",
            **self.settings,
        }

    def compose(self, *arguments: str) -> str:
        """Run docker compose, which must succeed; returns what it says."""
        return docker("compose", *arguments, environment=self.environment, cwd=self.directory)

    def up(self, *arguments: str) -> None:
        """Start what is not there yet, and wait until all of it is healthy."""
        self.compose("up", "--detach", "--no-build", "--wait", *arguments)

    @property
    def url(self) -> str:
        """Where the lobby's port is published."""
        return f"http://{self.compose('port', 'lobby', '4000')}"

    def key(self, name: str = "operator") -> str:
        """Return one of its keys, as the README says to read the operator's."""
        return self.compose("exec", "-T", "lobby", "cat", f"/run/keys/{name}")

    def rest(self) -> Rest:
        """Return the REST face at the published port, as the operator has it."""
        return Rest(self.url, self.key())

    def containers(self, service: str = "") -> list[str]:
        """Return the ids of its containers, or of one service's."""
        return self.compose("ps", "--all", "--quiet", *([service] if service else [])).split()

    def log(self, service: str) -> list[dict[str, Any]]:
        """Return what a service has logged."""
        told = self.compose("logs", "--no-color", "--no-log-prefix", service)
        # Compose 2.26 erases the line before it writes one, even where there is no terminal.
        return [json.loads(line.removeprefix("\x1b[2K")) for line in told.splitlines()]

    def left_over(self) -> dict[str, str]:
        """Return what the engine still has of this project."""
        mine = ("--quiet", "--filter", f"label=com.docker.compose.project={self.name}")
        kinds = {
            "containers": ("ps", "--all"),
            "networks": ("network", "ls"),
            "volumes": ("volume", "ls"),
        }
        found = {kind: docker(*command, *mine) for kind, command in kinds.items()}
        return {kind: ids for kind, ids in found.items() if ids}


@contextmanager
def project(directory: Path = ROOT, **settings: str) -> Iterator[Project]:
    """Give a Compose project that is not started yet, and remove whatever comes of it."""
    given = Project(directory, settings)
    try:
        yield given
    finally:
        given.compose("down", "--volumes", "--timeout", "5", "--remove-orphans")


def container(image: str, port: int, **environment: str) -> DockerContainer:
    """Return a container as hardened as the Compose file's, to be entered; ready when healthy."""
    given = DockerContainer(image).with_envs(**environment).with_exposed_ports(port)
    given.with_tmpfs_mount("/tmp", "size=16m")
    given.with_tmpfs_mount("/var/lib/casino", f"size=64m,uid={USER}")  # in place of a volume
    return given.waiting_for(HealthcheckWaitStrategy().with_poll_interval(0.1)).with_kwargs(
        init=True,
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        mem_limit="256m",
        pids_limit=100,
        healthcheck={"interval": 500_000_000},  # ns; what is asked stays the image's
    )


def in_container(name: str, code: str, user: int = USER) -> str:
    """Run Python in a container; returns what it prints."""
    return docker("exec", "--user", str(user), name, "python", "-c", code)


def refused_writes(name: str, *paths: str, user: int = USER) -> dict[str, str]:
    """Return, of the directories in which a file is to be created, those that refuse, and why."""
    code = f"""
import errno, json, os
refused = {{}}
for path in {paths}:
    try:
        with open(os.path.join(path, "written"), "x") as file:
            file.write("x")
        os.remove(file.name)
    except OSError as error:
        refused[path] = errno.errorcode[error.errno]
print(json.dumps(refused))
"""
    refused = json.loads(in_container(name, code, user))
    assert isinstance(refused, dict)
    return refused


def rights(name: str) -> dict[str, str]:
    """Return what the kernel grants the service's process: user, capabilities, new privileges."""
    code = """
import glob, json
wanted = {"Name", "Uid", "CapPrm", "CapEff", "CapBnd", "NoNewPrivs"}
for path in glob.glob("/proc/[0-9]*/status"):
    lines = dict(line.rstrip().split(":\\t", 1) for line in open(path) if ":\\t" in line)
    if lines["PPid"] == "1":  # the child of init
        print(json.dumps({name: lines[name] for name in wanted}))
        break
"""
    granted = json.loads(in_container(name, code))
    assert isinstance(granted, dict)
    return granted


def stopped(name: str, grace: int) -> tuple[int, float]:
    """End a container by SIGTERM, with a grace in seconds; returns its exit code and its time."""
    began = time.monotonic()
    docker("stop", "-t", str(grace), name)
    took = time.monotonic() - began
    return inspect(name)["State"]["ExitCode"], took
