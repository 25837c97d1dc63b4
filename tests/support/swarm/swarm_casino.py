"""A casino on two machines of a test: engines, Swarm, stack and rooms."""

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.casino.docker import IMAGES, TAG, build, docker, require_engine
from support.failover.namespaces import Network, network
from support.processes import wait_for
from support.swarm import image_store
from support.swarm.node import Node, machine, require_machines
from support.swarm.rooms import Rooms
from support.swarm.stack import Stack

MACHINES = ("manager", "worker")
OWN = ("lobby", "table", "player_example", "console")
STAND_INS = {name: f"a2a-casino-test/{name}:{TAG}" for name in ("haproxy", "postgres")}
NEXT = "next"
"""The tag of the images of an update."""
LIMIT_S = 240.0
"""For each step, on a busy machine."""
_STAND_INS = Path(__file__).parent / "images"
_CARDS = tuple(
    f"http://{style}:4100" for style in ("tight", "equity", "caller", "maniac", "random")
)
_SEATS = 3


@dataclass
class SwarmCasino:
    """The stack of `deploy/swarm` on two machines; all that must last is on the manager."""

    net: Network
    manager: Node
    worker: Node
    stack: Stack
    rooms: Rooms
    times: dict[str, Any] = field(default_factory=dict)
    """What was measured, in seconds."""

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Note how long something takes."""
        began = time.monotonic()
        yield
        self.times[name] = round(time.monotonic() - began, 1)

    def start(self) -> None:
        """Join the machines, and start every service."""
        with self.timed("stack"):
            self.stack.join()
            self.stack.make_secrets()
            self.stack.deploy()
            self.stack.until(self.stack.is_complete, LIMIT_S)

    def open_rooms(self, count: int) -> None:
        """Let so many rooms play: the dealer's, and others."""
        with self.timed("rooms_play"):
            for number in range(1, count):
                places = range(number, number + _SEATS)
                self.rooms.open(f"room-{number}", [_CARDS[place % len(_CARDS)] for place in places])
            wait_for(lambda: len(self.rooms.listed()) == count, LIMIT_S, every=0.25)
            self.rooms.until_played(LIMIT_S)

    def serve_from(self, node: Node) -> None:
        """Let the lobby of a machine serve: the other machine's is killed if it does."""
        other = self.manager if node is self.worker else self.worker
        if not self.stack.serves(node):
            for lobby in self.stack.containers(other, "lobby"):
                other.docker("kill", lobby)
            wait_for(lambda: self.stack.serves(node), LIMIT_S, every=0.2)

    def rooms_on(self, node: Node) -> set[str]:
        tasks = {task.task_id for task in self.stack.tasks("table") if task.node == node.name}
        return {
            room_id
            for room_id, room in self.rooms.listed().items()
            if any(task in room.table_agent_card_url for task in tasks)
        }

    def cut_worker_off(self) -> None:
        """Let all packets of the worker vanish."""
        for other in ("test", self.manager.name):
            self.net.cut(self.worker.name, other)

    def connect_worker(self) -> None:
        """Let packets of the worker pass again."""
        for other in ("test", self.manager.name):
            self.net.heal(self.worker.name, other)


@contextmanager
def swarm_casino(**variables: str) -> Iterator[SwarmCasino]:
    """Turn two machines on that have the images; the stack files get the variables.

    Skips, or fails in CI, where no engine can be started.
    """
    require_machines()
    require_engine()
    with ExitStack() as stack:
        net = stack.enter_context(network(*MACHINES))
        began = time.monotonic()
        build_images()
        built = time.monotonic()
        folder = Path(tempfile.mkdtemp(prefix="casino-swarm-"))  # short: it has sockets
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        nodes = [
            Node(name, net.address(name), net.namespace(name), folder / name) for name in MACHINES
        ]
        _turn_on(nodes, stack)
        images = {
            "CASINO_TAG": TAG,
            "CASINO_FRONT_IMAGE": STAND_INS["haproxy"],
            "CASINO_DATABASE_IMAGE": STAND_INS["postgres"],
        }
        swarm = Stack(nodes, {**images, **variables})
        rooms = stack.enter_context(Rooms(swarm.url, swarm.operator_key))
        manager, worker = nodes
        casino = SwarmCasino(net, manager, worker, swarm, rooms)
        casino.times["build"] = round(built - began, 1)
        casino.times["engines"] = round(time.monotonic() - built, 1)
        yield casino


def build_images() -> None:
    for target in OWN:
        build(target, IMAGES[target])
    for target, image in STAND_INS.items():
        docker("build", "--quiet", f"--target={target}", f"--tag={image}", _STAND_INS)


def _turn_on(nodes: Sequence[Node], stack: ExitStack) -> None:
    images = [*(IMAGES[target] for target in OWN), *STAND_INS.values()]
    is_shared = image_store.can_share()
    for node in nodes:
        if is_shared:
            image_store.share(images, node.data)
        stack.enter_context(machine(node))
    for node in nodes:
        node.until_started()
    if not is_shared:
        image_store.send(images, nodes)
    for node in nodes:
        for target in OWN:
            node.docker("tag", IMAGES[target], f"a2a-casino/{target}:{NEXT}")
