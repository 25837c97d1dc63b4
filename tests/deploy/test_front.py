"""The front of the Swarm: HAProxy itself, with the configuration of the stack, before two lobbies.

Only addresses are replaced: names of tasks by ports of this machine. The lobbies are services of
the agent kit, whose /readyz says which one serves.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from casino_agentkit import Service
from prometheus_client import CollectorRegistry
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.deployment import SWARM, services
from support.processes import PATIENCE_S, reserved_port, wait_for
from support.requirements import unavailable
from support.served import serving

pytestmark = [pytest.mark.full, pytest.mark.timeout(60)]

CONFIGURATION = SWARM / "haproxy.cfg"
SERVERS = "    server-template lobby 4 tasks.lobby:4000 resolvers swarm init-addr none\n"


def haproxy() -> str:
    found = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        unavailable("HAProxy is not installed (Debian's package haproxy)")
    return found


@dataclass
class Front:
    """A running HAProxy before two lobbies, of which `active` serves; None: neither does."""

    inside: str
    outside: str
    active: str | None = "first"

    def get(self, url: str) -> httpx.Response:
        """Ask which lobby answers, on a connection of its own."""
        return httpx.get(f"{url}/name", trust_env=False, verify=False, timeout=PATIENCE_S)

    def is_answered_by(self, name: str) -> bool:
        """Return whether that lobby answers ten times in a row."""
        responses = [self.get(self.inside) for _ in range(10)]
        return all((response.status_code, response.text) == (200, name) for response in responses)


def lobby(name: str, front: Front) -> Service:
    async def answer(_request: Request) -> Response:
        return Response(name)

    return Service(
        {},
        routes=[Route("/name", answer)],
        checks=lambda: {"active": front.active == name},
        registry=CollectorRegistry(),
    )


@contextmanager
def running(configuration: Path) -> Iterator[None]:
    process = subprocess.Popen([haproxy(), "-db", "-f", str(configuration)])
    try:
        yield
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    """HAProxy with the configuration of the stack."""
    text = CONFIGURATION.read_text()
    assert text.count(SERVERS) == 1
    inside, outside = reserved_port(), reserved_port()
    front = Front(f"http://127.0.0.1:{inside}", f"http://127.0.0.1:{outside}")
    with (
        serving(lobby("first", front).asgi()) as first,
        serving(lobby("second", front).asgi()) as second,
    ):
        servers = "".join(
            f"    server {name} {url.removeprefix('http://')}\n"
            for name, url in (("first", first), ("second", second))
        )
        configuration = tmp_path / "haproxy.cfg"
        configuration.write_text(
            text.replace(SERVERS, servers)
            .replace("bind :4000", f"bind 127.0.0.1:{inside}")
            .replace("bind :4080", f"bind 127.0.0.1:{outside}")
        )
        with running(configuration):
            wait_for(lambda: answers(front.inside))
            yield front


def answers(url: str) -> bool:
    """Return whether something listens there."""
    try:
        httpx.get(url, trust_env=False, timeout=PATIENCE_S)
    except httpx.TransportError:
        return False
    return True


def test_haproxy_accepts_the_file() -> None:
    """As it is, without a warning."""
    checked = subprocess.run(
        [haproxy(), "-c", "-f", str(CONFIGURATION)], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert "WARNING" not in checked.stderr


def test_requests_go_to_the_lobby_that_serves(front: Front) -> None:
    """And to the other one when that one serves."""
    wait_for(lambda: front.is_answered_by("first"))
    assert front.is_answered_by("first")
    front.active = "second"
    wait_for(lambda: front.is_answered_by("second"))
    assert front.is_answered_by("second")


def test_without_a_lobby_clients_are_asked_to_come_again(front: Front) -> None:
    """In the words of a lobby that stands by."""
    front.active = None
    wait_for(lambda: front.get(front.inside).status_code == 503)
    refused = front.get(front.outside)
    assert refused.headers["retry-after"] == "1"
    assert refused.headers["content-type"] == "application/problem+json"
    assert (refused.json()["status"], refused.json()["type"]) == (503, "/problems/standby")


def test_one_client_cannot_take_the_lobby_for_itself(front: Front) -> None:
    """From outside it gets 600 requests a minute; tables inside go on."""
    wait_for(lambda: front.is_answered_by("first"))
    with ThreadPoolExecutor(20) as clients:
        statuses = list(clients.map(lambda _: front.get(front.outside).status_code, range(700)))
    assert (statuses.count(200), statuses.count(429)) == (600, 100)
    assert front.is_answered_by("first")


def test_the_ports_are_those_of_the_stack() -> None:
    """Services call the front at 4000; what is published is the port with limits for clients."""
    (published,) = services()["front"]["ports"]
    text = CONFIGURATION.read_text()
    outside = text.partition("frontend outside\n")[2].splitlines()[0].strip()
    assert outside == f"bind :{published['target']}"
    inside = text.partition("frontend inside\n")[2].splitlines()[0].strip()
    assert inside == "bind :4000"
