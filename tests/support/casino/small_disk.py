"""A disk of 32 MiB, which a test can fill."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.requirements import unavailable

MIB = 2**20


class SmallDisk:
    """A file system of 32 MiB, which can be filled."""

    def __init__(self, path: Path) -> None:
        self._filler = path / "somebody-else's"
        self._path = path

    def fill(self, left: int) -> None:
        """Use all space but a number of bytes."""
        free = os.statvfs(self._path)
        wanted = free.f_bavail * free.f_frsize - left
        with self._filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while wanted > 0:
                wanted -= file.write(bytes(min(wanted, MIB)))
            while not left:  # to the last byte
                file.write(bytes(4096))

    def clear(self) -> None:
        """Free the used space."""
        self._filler.unlink()


@contextmanager
def small_disk(path: Path) -> Iterator[SmallDisk]:
    """Mount a small disk; without the right to, the test is skipped, in CI it fails."""
    path.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        unavailable(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
