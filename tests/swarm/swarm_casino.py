"""A casino on two machines of a test: engines, Swarm, stack and rooms, and what happens to it."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from casino_agentkit.protocol import keyed_address
from support.casino.auditor import Auditor
from support.casino.docker import IMAGES, TAG, build, docker, require_engine
from support.namespaces import Network, network
from support.processes import PATIENCE_S

from . import image_store
from .node import Node, machine, require_machines
from .rooms import Rooms
from .stack import Stack

MACHINES = ("manager", "worker")
OWN = ("lobby", "table", "player_example", "console")
STAND_INS = {name: f"a2a-casino-test/{name}:{TAG}" for name in ("haproxy", "postgres")}
NEXT = "next"
"""The tag of the images of an update."""
_STAND_INS = Path(__file__).parent / "images"
_CARDS = tuple(
    f"http://{style}:4100" for style in ("tight", "equity", "loose", "aggressive", "tricky")
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

    def start(self) -> None:
        """Join the machines, and start every service."""
        self.stack.join()
        self.stack.make_secrets()
        self.stack.deploy()
        self.stack.until(self.stack.is_complete)

    def open_rooms(self, count: int) -> None:
        """Let so many rooms play: the dealer's, and others."""
        cards = [keyed_address(card, self.stack.players_key) for card in _CARDS]
        for number in range(1, count):
            places = range(number, number + _SEATS)
            self.rooms.open(f"room-{number}", [cards[place % len(cards)] for place in places])
        self.stack.until(lambda: len(self.rooms.listed()) == count)
        self.rooms.until_played()

    def serve_from(self, node: Node) -> None:
        """Let the lobby of a machine serve: the other machine's is killed if it does."""
        other = self.manager if node is self.worker else self.worker
        if not self.stack.serves(node):
            for lobby in self.stack.containers(other, "lobby"):
                other.docker("kill", lobby)
            self.stack.until(lambda: self.stack.serves(node))

    def rooms_on(self, node: Node) -> set[str]:
        tasks = {task.task_id for task in self.stack.tasks("table") if task.node == node.name}
        return {
            room_id
            for room_id, room in self.rooms.listed().items()
            if any(task in room.table_agent_card_url for task in tasks)
        }

    def lose_worker(self, *, is_killed: bool) -> None:
        """Lose the worker: without power, or only its network; wait until all rooms play again."""
        self.stack.until(self.stack.is_complete)  # the other lobby stands by
        assert self.rooms_on(self.worker), "the worker has no room to lose"
        for other in ("test", self.manager.name):  # what it deals from now on, nobody hears of
            self.net.cut(self.worker.name, other)
        if is_killed:
            self.worker.kill()
        self.stack.until(self.rooms.is_served)
        self.stack.until(lambda: not self.rooms_on(self.worker))
        self.rooms.until_played()
        self.stack.until(lambda: self.stack.is_down(self.worker))
        assert self.rooms_on(self.worker) == set()

    def bring_worker_back(self) -> None:
        """Connect the worker, and turn it on if it is off; Swarm gives it tasks by itself."""
        for other in ("test", self.manager.name):
            self.net.heal(self.worker.name, other)
        if not self.worker.is_on:
            self.worker.start()
            self.worker.until_started()
        self.stack.until(lambda: not self.stack.is_down(self.worker))
        self.stack.until(self.stack.is_complete)

    def update(self, service: str) -> None:
        """Replace all processes of a service by others, one after the other, while rooms play."""
        image = f"a2a-casino/{service}:{NEXT}"
        self.stack.update(service, image)
        self.stack.until(lambda: self.stack.is_updated(service, image))
        self.rooms.until_played()

    def deploy_next(self) -> None:
        """Deploy the stack files with the next tag: what has it already stays."""
        self.stack.deploy(CASINO_TAG=NEXT)
        self.stack.until(lambda: self.stack.is_updated("table", f"a2a-casino/table:{NEXT}"))
        self.stack.until(self.stack.is_complete)
        self.rooms.until_played()

    def spread_tables(self) -> None:
        """Start all tables anew: Swarm moves none by itself to a machine that is back."""
        self.stack.update("table", f"a2a-casino/table:{NEXT}", "--force")
        self.stack.until(lambda: self.stack.update_state("table") == "completed")
        self.rooms.until_played()
        assert {task.node for task in self.stack.tasks("table") if task.runs} == set(MACHINES)

    def drain_worker(self) -> None:
        """Let Swarm end all tasks of the worker; its rooms go on at the manager."""
        self.stack.set_availability(self.worker, "drain")
        self.stack.until(lambda: not self.rooms_on(self.worker))
        self.stack.until(lambda: not self.stack.tasks_on(self.worker))
        self.rooms.until_played()
        self.stack.set_availability(self.worker, "active")
        self.stack.until(self.stack.is_complete)

    def audit(self) -> None:
        """Check every event of every room: each chip is there, and no session has ended."""
        for room in self.rooms.listed().values():
            assert room.status == "running", room
        for audit in asyncio.run(self._audited()).rooms.values():
            assert len(audit.cancelled) < audit.epoch, audit.room_id

    async def _audited(self) -> Auditor:
        headers = {"authorization": f"Bearer {self.stack.operator_key}"}
        async with httpx.AsyncClient(
            base_url=self.stack.url, headers=headers, timeout=PATIENCE_S, trust_env=False
        ) as http:
            auditor = Auditor(http)
            await auditor.read()
            return auditor


@contextmanager
def swarm_casino(**variables: str) -> Iterator[SwarmCasino]:
    """Turn two machines on that have the images; the stack files get the variables.

    Skips, or fails in CI, where no engine can be started.
    """
    require_machines()
    require_engine()
    with ExitStack() as stack:
        net = stack.enter_context(network(*MACHINES))
        build_images()
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
        yield SwarmCasino(net, manager, worker, swarm, rooms)


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
