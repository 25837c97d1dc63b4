"""Machines of a test: network namespaces around a router, which can drop what passes silently.

`python -m support.namespaces --supervised NAMESPACE MODULE ARGUMENTS`, as `Child.start` passes the
arguments, runs a module in a namespace. Needs the right to enter namespaces.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from support.requirements import unavailable

NAMESPACES = Path("/run/netns")
_ROUTER = "router"
_NETWORK = 0x40000000  # CLONE_NEWNET


class Network:
    """Namespaces of a machine each; packets between any two of them can be cut off.

    Nothing is refused where packets are cut off: they vanish.
    """

    def __init__(self, machines: Sequence[str]) -> None:
        self._net = 0
        self._numbers = {name: number for number, name in enumerate(["test", *machines], start=1)}

    def namespace(self, machine: str) -> str:
        return f"casino-{self._net}-{machine}"

    def address(self, machine: str) -> str:
        """Return a machine's address; `test` is the machine of the test itself."""
        return f"10.{self._net}.{self._numbers[machine]}.2"

    def cut(self, one: str, other: str) -> None:
        """Drop all packets between two machines."""
        self._rule("add", one, other)

    def heal(self, one: str, other: str) -> None:
        """Let packets pass again."""
        self._rule("del", one, other)

    def _rule(self, command: str, one: str, other: str) -> None:
        for source, target in ((one, other), (other, one)):
            self._in(
                _ROUTER, "rule", command, "from", self.address(source), "to", self.address(target),
                "blackhole",
            )  # fmt: skip

    def begin(self) -> None:
        """Create the namespaces in a network that nobody uses, and connect them."""
        self._net = next(net for net in range(100, 200) if _took(net))
        self._in(_ROUTER, "link", "set", "lo", "up")
        _run(
            "ip", "netns", "exec", self.namespace(_ROUTER), "sysctl", "-qw", "net.ipv4.ip_forward=1"
        )
        for name, number in self._numbers.items():
            outer, inner = f"casino{self._net}-o{number}", f"casino{self._net}-i{number}"
            _ip("link", "add", outer, "type", "veth", "peer", "name", inner)
            _ip("link", "set", outer, "netns", self.namespace(_ROUTER))
            self._in(_ROUTER, "addr", "add", f"10.{self._net}.{number}.1/24", "dev", outer)
            self._in(_ROUTER, "link", "set", outer, "up")
            net = f"10.{self._net}.0.0/16"
            gateway = ("route", "add", net, "via", f"10.{self._net}.{number}.1")
            address = ("addr", "add", f"{self.address(name)}/24", "dev", inner)
            if name == "test":
                _ip(*address)
                _ip("link", "set", inner, "up")
                _ip(*gateway)
            else:
                _ip("netns", "add", self.namespace(name))
                _ip("link", "set", inner, "netns", self.namespace(name))
                self._in(name, "link", "set", "lo", "up")
                self._in(name, *address)
                self._in(name, "link", "set", inner, "up")
                self._in(name, *gateway)

    def end(self) -> None:
        """Remove the namespaces; their interfaces go with them."""
        subprocess.run(["ip", "link", "del", f"casino{self._net}-i1"], check=False)
        for name in (*self._numbers, _ROUTER):
            if name != "test":
                subprocess.run(["ip", "netns", "del", self.namespace(name)], check=False)

    def _in(self, machine: str, *arguments: str) -> None:
        _ip("-n", self.namespace(machine), *arguments)


@contextmanager
def network(*machines: str) -> Iterator[Network]:
    """Create a network of machines, and remove it.

    Without root or without `ip` the test is skipped, in CI it fails.
    """
    if os.getuid() != 0 or shutil.which("ip") is None:
        unavailable("network namespaces need root and the command `ip` (iproute2)")
    created = Network(machines)
    try:
        created.begin()
        yield created
    finally:
        created.end()


def _took(net: int) -> bool:
    """Take a network by its router's name, which can exist only once; say whether it was free."""
    for relation in ("root", "match"):  # routes into a part of it, and routes to all of it
        routes = _run("ip", "route", "show", "to", relation, f"10.{net}.0.0/16").splitlines()
        if any(not route.startswith("default") for route in routes):
            return False
    taken = subprocess.run(["ip", "netns", "add", f"casino-{net}-{_ROUTER}"], check=False)
    return taken.returncode == 0


def _ip(*arguments: str) -> None:
    _run("ip", *arguments)


def _run(*command: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}"
    return done.stdout


def main() -> None:
    """Enter the namespace, and become the module's process."""
    supervised, namespace, module, *arguments = sys.argv[1:]
    libc = ctypes.CDLL(None, use_errno=True)
    with (NAMESPACES / namespace).open() as file:
        if libc.setns(file.fileno(), _NETWORK) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace {namespace}")
    os.execv(sys.executable, [sys.executable, "-m", module, supervised, *arguments])


if __name__ == "__main__":
    main()
