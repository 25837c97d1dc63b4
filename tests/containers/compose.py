"""Compose projects of the casino, driven over REST as by an operator."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

import httpx
from casino.up.session_score import Score
from casino_contracts import HandRecord, RoomSnapshot, TableEvent
from support.casino.casino import GAME_RULES
from support.casino.docker import ROOT, TAG, docker
from support.deployment import SAMPLES
from support.processes import PATIENCE_S, wait_for

PLAYERS = SAMPLES


class Rest:
    """The lobby's REST interface from outside all containers, with the operator's key if given."""

    def __init__(self, url: str, key: str = "") -> None:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.Client(base_url=url, headers=headers, timeout=PATIENCE_S, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def room(self, room_id: str = "demo") -> RoomSnapshot:
        return RoomSnapshot.model_validate_json(self.http.get(f"/v1/rooms/{room_id}").content)

    def open(self, room_id: str, **config: Any) -> RoomSnapshot:
        """Open a room on a table that announced itself."""
        body = {"roomId": room_id, "config": {**GAME_RULES, "maxSeats": 2, **config}}
        reply = self.http.post("/v1/rooms", json=body)
        assert reply.status_code == 201, reply.text
        return RoomSnapshot.model_validate_json(reply.content)

    def seat(self, room_id: str, card_url: str) -> None:
        """Register a player."""
        reply = self.http.post(f"/v1/rooms/{room_id}/players", json={"agentCardUrl": card_url})
        assert reply.status_code == 201, reply.text

    def all_events(self, room_id: str = "demo") -> list[TableEvent]:
        """Read all events of a room: a table that ends hands it over, which begins an epoch."""
        epochs = range(1, (self.room(room_id).epoch or 1) + 1)
        return [event for epoch in epochs for event in self.events(room_id, epoch=epoch)]

    def events(
        self, room_id: str = "demo", after: int = 0, epoch: int | None = None
    ) -> list[TableEvent]:
        """Read the events of a room after a sequence, by default of its newest epoch."""
        events: list[TableEvent] = []
        of_epoch = "" if epoch is None else f"&epoch={epoch}"
        while True:
            last = events[-1].sequence if events else after
            url = f"/v1/rooms/{room_id}/events?after={last}&limit=5000{of_epoch}"
            page = self.http.get(url).json()["events"]
            if not page:
                return events
            events += [TableEvent.model_validate(event) for event in page]

    def records(
        self, room_id: str, events: Sequence[TableEvent]
    ) -> Iterator[tuple[str, HandRecord]]:
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

    def until_hands(self, count: int, room_id: str = "demo") -> None:
        """Wait until a room has completed so many hands."""
        wait_for(lambda: self.hands(room_id) >= count)

    def player_id(self, name: str, room_id: str = "demo") -> str:
        summary = self.room(room_id).summary
        assert summary is not None
        (player,) = [one for one in summary.players if one.display_name == name]
        return player.player_id

    def until_outcome(self, player_id: str, outcomes: set[str], after: int = 0) -> int:
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

        wait_for(is_there)
        return found[0]


def checked_score(events: list[TableEvent]) -> Score:
    """Return the score of a room's events, after checking that every hand conserves chips."""
    score = Score()
    for event in events:
        if score.add(event):
            assert score.in_play == score.bought_in, event
    return score


@dataclass
class Project:
    """A Compose project with its own name and a free port."""

    directory: Path = ROOT
    settings: dict[str, str] = field(default_factory=dict)
    name: str = field(default_factory=lambda: f"casino-test-{token_hex(4)}")

    @property
    def environment(self) -> dict[str, str]:
        return {
            "COMPOSE_PROJECT_NAME": self.name,
            "CASINO_TAG": TAG,
            "CASINO_PORT": "0",
            "CASINO_GATEWAY_PORT": "0",
            "CASINO_HEALTH_INTERVAL": "2s",
            "CASINO_PLAYER_THINK": "5ms",
            "CASINO_LOBBY_EVENTS_KEPT": "1000000",
            **self.settings,
        }

    def compose(self, *arguments: str) -> str:
        """Run docker compose, which must succeed; returns its output."""
        return docker("compose", *arguments, environment=self.environment, cwd=self.directory)

    def up(self, *arguments: str) -> None:
        """Start what is missing, and wait until all services are healthy."""
        self.compose("up", "--detach", "--no-build", "--wait", *arguments)

    @property
    def url(self) -> str:
        return f"http://{self.compose('port', 'lobby', '4000')}"

    def key(self, name: str = "operator") -> str:
        """Return a key, read as the README says."""
        return self.compose("exec", "-T", "lobby", "cat", f"/run/keys/{name}/key")

    def rest(self) -> Rest:
        """Return the REST interface at the published port, with the operator's key."""
        return Rest(self.url, self.key())

    def containers(self, service: str = "") -> list[str]:
        return self.compose("ps", "--all", "--quiet", *([service] if service else [])).split()

    def log(self, service: str) -> list[dict[str, Any]]:
        reported = self.compose("logs", "--no-color", "--no-log-prefix", service)
        # Compose 2.26 erases the line before it writes one, even where there is no terminal.
        return [json.loads(line.removeprefix("\x1b[2K")) for line in reported.splitlines()]

    def end(self) -> None:
        """Remove everything; the engine releases networks some time after their containers."""
        self.compose("stop", "--timeout", "5")
        if containers := docker("ps", "--all", "--quiet", "--filter", self._label).split():
            docker("rm", "--force", *containers)
        wait_for(lambda: not self._connected())
        self.compose("down", "--volumes", "--remove-orphans")

    def _connected(self) -> list[str]:
        """Return the networks that still have containers."""
        networks = docker("network", "ls", "--quiet", "--filter", self._label).split()
        shown = "{{if .Containers}}{{.Name}}{{end}}"
        return (
            docker("network", "inspect", f"--format={shown}", *networks).split() if networks else []
        )

    @property
    def _label(self) -> str:
        return f"label=com.docker.compose.project={self.name}"

    def left_over(self) -> dict[str, str]:
        mine = ("--quiet", "--filter", self._label)
        kinds = {
            "containers": ("ps", "--all"),
            "networks": ("network", "ls"),
            "volumes": ("volume", "ls"),
        }
        found = {kind: docker(*command, *mine) for kind, command in kinds.items()}
        return {kind: ids for kind, ids in found.items() if ids}


@contextmanager
def project(directory: Path = ROOT, **settings: str) -> Iterator[Project]:
    given = Project(directory, settings)
    try:
        yield given
    finally:
        given.end()
