"""A machine of a test with a Docker engine: its processes, mounts and network are its own."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
from support.casino.docker import docker, run
from support.namespaces import NAMESPACES
from support.processes import PATIENCE_S, wait_for
from support.requirements import unavailable

PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
"""Where `dockerd` is on Debian, also for users whose PATH has no system commands."""
NEEDED = ("dockerd", "nsenter", "setpriv", "unshare")
_CGROUPS = Path("/sys/fs/cgroup")
# The first process of the machine: when it is killed, the kernel kills all others, and the mounts
# of the machine go with them. It stays a shell, which reaps orphans; the engine does not.
_BOOT = """
hostname "$1"; shift
mount -t tmpfs -o mode=755 tmpfs /run
"$@" &
wait
"""


class Node:
    """One machine. The kernel ends all its processes when those of the test end."""

    def __init__(self, name: str, address: str, namespace: str, folder: Path) -> None:
        self.name = name
        self.address = address
        self._namespace = NAMESPACES / namespace
        self.data = folder / "data"
        """Of the engine; kept while the machine is off."""
        self._socket = folder / "docker.sock"
        self._log = folder / "dockerd.log"
        self._cgroup = namespace
        self._process: subprocess.Popen[bytes] | None = None
        self.data.mkdir(parents=True, exist_ok=True)
        (folder / "daemon.json").write_text("{}")  # not that of the test's own machine
        self._engine = (
            "dockerd", f"--data-root={self.data}", f"--host=unix://{self._socket}",
            f"--config-file={folder / 'daemon.json'}", "--pidfile=/run/dockerd.pid",
            f"--cgroup-parent=/{self._cgroup}", "--exec-opt=native.cgroupdriver=cgroupfs",
            # Nobody answers there, which ends a look-up of an unknown name at once.
            f"--dns={address}",
        )  # fmt: skip

    @property
    def is_on(self) -> bool:
        """Whether the machine is turned on."""
        return self._process is not None

    def start(self) -> None:
        """Turn the machine on; what its engine knew of before, it knows."""
        self._socket.unlink(missing_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    "setpriv", "--pdeathsig=KILL", "nsenter", f"--net={self._namespace}",
                    "unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child",
                    "--mount-proc", "sh", "-c", _BOOT, "machine", self.name, *self._engine,
                ],
                # Without a registry: the images are here.
                env={**os.environ, "PATH": PATH, "DOCKER_SERVICE_PREFER_OFFLINE_IMAGE": "1"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    def until_started(self) -> None:
        """Wait until the engine answers."""
        wait_for(self.answers)

    def answers(self) -> bool:
        """Return whether the engine answers; fails when the machine has ended."""
        assert self._process is not None
        assert self._process.poll() is None, self.log_end()
        asked = run("docker", "version", environment=self.environment, seconds=PATIENCE_S)
        return asked.returncode == 0

    def kill(self) -> None:
        """Turn the machine off: all its processes are killed at once."""
        if self._process is None:
            return
        everything = []
        if self._process.poll() is None:
            everything = psutil.Process(self._process.pid).children(recursive=True)
        self._process.kill()
        self._process.wait()
        _gone, alive = psutil.wait_procs(everything, timeout=PATIENCE_S)
        assert not alive, f"{self.name} still has {alive}"
        self._process = None
        for cgroup in (*_CGROUPS.glob(self._cgroup), *_CGROUPS.glob(f"*/{self._cgroup}")):
            _remove_cgroup(cgroup)

    @property
    def environment(self) -> dict[str, str]:
        """What makes `docker` talk to this machine's engine."""
        return {"DOCKER_HOST": f"unix://{self._socket}"}

    def docker(self, *arguments: str | Path, cwd: Path | None = None, **variables: str) -> str:
        """Run docker for this machine's engine, with variables; returns its output."""
        where = {} if cwd is None else {"cwd": cwd}
        return docker(*arguments, environment={**variables, **self.environment}, **where)

    def log_end(self) -> str:
        return f"{self.name}: {self._log.read_text()[-3000:]}"


@contextlib.contextmanager
def machine(node: Node) -> Iterator[Node]:
    """Turn a machine on, and off at the end, with all that its engine has kept."""
    try:
        node.start()
        yield node
    finally:
        node.kill()
        shutil.rmtree(node.data, ignore_errors=True)


def require_machines() -> None:
    """Skip, or fail in CI, where engines cannot be started."""
    if os.getuid() != 0:
        unavailable("machines with engines of their own need root")
    missing = [command for command in NEEDED if shutil.which(command, path=PATH) is None]
    if missing:
        unavailable(f"machines with engines of their own need {', '.join(missing)}")


def _remove_cgroup(cgroup: Path) -> None:
    for folder, _folders, _files in os.walk(cgroup, topdown=False):
        Path(folder).rmdir()
