"""The stack of `deploy/swarm` on a Swarm of machines, driven as docs/scale.md says."""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from casino_agentkit.process.secret_keys import service_key
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from support.casino.docker import run
from support.deployment import FILES, SWARM
from support.processes import PATIENCE_S, wait_for

from .node import Node

NAME = "casino"
HEARTBEAT = "2s"
"""How often a node reports itself; it is down when three are missing (5 s by default)."""
LIMIT_S = 4 * PATIENCE_S
"""For a step of an engine, on a busy machine."""
_PORT = 4000
_RUNNING = "Running"


@dataclass(frozen=True)
class Task:
    task_id: str
    node: str
    image: str
    wanted: str
    """The state that Swarm wants it in."""
    state: str
    """That in which it was when its machine last reported."""

    @classmethod
    def of(cls, line: str) -> Self:
        """Read a line of `docker service ps`."""
        shown = json.loads(line)
        state, *_since = shown["CurrentState"].split()
        return cls(shown["ID"], shown["Node"], shown["Image"], shown["DesiredState"], state)

    @property
    def runs(self) -> bool:
        """Whether it runs and is to run: those of a lost machine seem to run for ever."""
        return self.wanted == self.state == _RUNNING


class Stack:
    """A Swarm whose first machine is its only manager and has the database."""

    def __init__(self, machines: Sequence[Node], variables: dict[str, str]) -> None:
        self.manager, *self.workers = machines
        self.variables = variables
        """Of the stack files."""
        self.operator_key = secrets.token_urlsafe(32)
        self.players_key = secrets.token_urlsafe(32)

    @property
    def url(self) -> str:
        """The address of the casino: the manager's front."""
        return f"http://{self.manager.address}:{_PORT}"

    def join(self) -> None:
        """Join the machines to a Swarm."""
        manager = self.manager
        manager.docker(
            "swarm", "init", f"--advertise-addr={manager.address}",
            f"--dispatcher-heartbeat={HEARTBEAT}",
        )  # fmt: skip
        token = manager.docker("swarm", "join-token", "--quiet", "worker")
        for worker in self.workers:
            address = f"--advertise-addr={worker.address}"
            worker.docker("swarm", "join", f"--token={token}", address, f"{manager.address}:2377")

    def make_secrets(self) -> None:
        """Make the secrets, and choose the machine of the database."""
        password = secrets.token_hex(24)
        card_key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        values = {
            "casino_operator": self.operator_key,
            "casino_dealer": service_key(self.operator_key, "dealer"),
            "casino_fleet": secrets.token_urlsafe(32),
            "casino_players": self.players_key,
            "casino_card_key": card_key.decode(),
            "casino_postgres_password": password,
            "casino_pgpass": f"*:*:*:casino:{password}\n",
        }
        for name, value in values.items():
            created = run(
                "docker", "secret", "create", name, "-",
                environment=self.manager.environment, given=value,
            )  # fmt: skip
            assert created.returncode == 0, created.stderr
        label = ("--label-add", "casino.database=true")
        self.manager.docker("node", "update", *label, self.manager.name)

    def deploy(self, **variables: str) -> None:
        """Deploy the stack files; variables replace those of before."""
        self.variables |= variables
        files = [f"--compose-file={file}" for file in FILES]
        self.manager.docker(
            "stack", "deploy", "--prune", "--resolve-image=never", *files, NAME,
            cwd=SWARM, **self.variables,
        )  # fmt: skip

    def update(self, service: str, image: str, *more: str) -> None:
        """Begin to replace the tasks of a service; `more` are options of the command."""
        options = ("--detach", "--no-resolve-image", f"--image={image}", *more)
        self.manager.docker("service", "update", *options, f"{NAME}_{service}")

    def update_state(self, service: str) -> str:
        """Return how far the newest update of a service is."""
        return self.manager.docker(
            "service", "inspect", "--format={{.UpdateStatus.State}}", f"{NAME}_{service}"
        )

    def tasks(self, service: str) -> list[Task]:
        shown = self.manager.docker(
            "service", "ps", "--no-trunc", "--format={{json .}}", f"{NAME}_{service}"
        )
        return [Task.of(line) for line in shown.splitlines()]

    def is_updated(self, service: str, image: str) -> bool:
        assert "rollback" not in self.update_state(service)
        wanted = self.manager.docker(
            "service", "inspect", "--format={{.Spec.Mode.Replicated.Replicas}}", f"{NAME}_{service}"
        )
        tasks = [task for task in self.tasks(service) if task.wanted == _RUNNING]
        running = [task for task in tasks if task.runs and task.image == image]
        return len(running) == len(tasks) == int(wanted)

    def is_complete(self) -> bool:
        """Return whether every service has all its replicas."""
        shown = self.manager.docker("stack", "services", "--format={{.Replicas}}", NAME)
        counts = [line.split()[0].split("/") for line in shown.splitlines()]
        return all(running == wanted for running, wanted in counts)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something; fails with what the tasks do."""
        try:
            wait_for(condition, LIMIT_S, every=0.25)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.shown()}") from error

    def shown(self) -> str:
        """Return all tasks, for people."""
        return self.manager.docker("stack", "ps", "--no-trunc", NAME)

    def is_down(self, node: Node) -> bool:
        """Return whether Swarm takes a machine for lost."""
        shown = self.manager.docker("node", "inspect", "--format={{.Status.State}}", node.name)
        return shown == "down"

    def set_availability(self, node: Node, availability: str) -> None:
        """Let a machine have tasks (`active`), or not (`drain`)."""
        self.manager.docker("node", "update", f"--availability={availability}", node.name)

    def tasks_on(self, node: Node) -> list[str]:
        shown = self.manager.docker("node", "ps", "--format={{.CurrentState}}", node.name)
        return [state for state in shown.splitlines() if state.startswith(_RUNNING)]

    def containers(self, node: Node, service: str) -> list[str]:
        """Return the ids of a service's containers on a machine."""
        label = f"--filter=label=com.docker.swarm.service.name={NAME}_{service}"
        return node.docker("ps", "--quiet", label).split()

    def serves(self, node: Node) -> bool:
        asks = "import urllib.request as u; u.urlopen('http://127.0.0.1:4000/readyz', timeout=3)"
        return any(
            run("docker", "exec", lobby, "python", "-c", asks, environment=node.environment)
            .returncode == 0
            for lobby in self.containers(node, "lobby")
        )  # fmt: skip
