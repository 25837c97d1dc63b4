"""Play blocks on the machines of a Ray cluster; needs the extra `farm`.

Its machines need the same version of this distribution; the files of functions are sent along with
the job, which checks them by their hashes.
"""

import logging
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from casino_agentkit.installation import installation_hint

from casino_match.errors import MatchError
from casino_match.executors.executor import Job, OnLost, PlayBlock, Played

LOCAL: Final = "ray"
"""In place of an address: a cluster of this machine's cores, for this match."""
_FLIGHTS_PER_CORE: Final = 2
"""Blocks that are sent out for each core, so that none waits for its next."""
_TRIES: Final = 3
"""How often a block is played again when its machine or its process ends."""
_SECONDS_BETWEEN_COUNTS: Final = 5.0
"""After so long without a block the cores are counted again."""

_STARTED: dict[str, PlayBlock] = {}
"""Of the job that this process plays, by its key."""


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Plays on a cluster: a killed machine costs the blocks that it was playing."""

    address: str
    """LOCAL, `auto`, or that of a cluster."""
    jobs: int | None
    """How many cores are used at most."""
    on_lost: OnLost

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        ray = _ray()
        is_ours = not ray.is_initialized()
        if is_ours:
            self._connect(ray)
        try:
            yield from self._blocks(ray, job, iter(numbers))
        finally:
            if is_ours:
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        # A worker finds the packages where this process does, also if they are not installed.
        paths = os.pathsep.join(path for path in sys.path if path)
        quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
        try:
            if self.address == LOCAL:
                ray.init(num_cpus=self.jobs, include_dashboard=False, **quiet,
                         runtime_env={"env_vars": {"PYTHONPATH": paths}})  # fmt: skip
            else:
                ray.init(address=self.address, **quiet)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise MatchError(f"--on {self.address}: Ray does not start: {error}") from error

    def _blocks(self, ray: Any, job: Job, numbers: Iterator[int]) -> Iterator[tuple[int, bytes]]:
        task = ray.remote(num_cpus=1, max_retries=_TRIES)(_play)
        sent_job = ray.put(job.shipped())
        waiting: dict[Any, int] = {}
        lost: set[int] = set()
        try:
            while True:
                room = self._room(ray)
                while len(waiting) < room and (number := next(numbers, None)) is not None:
                    waiting[task.remote(sent_job, number)] = number
                if not waiting:
                    return
                done, _ = ray.wait(list(waiting), timeout=_SECONDS_BETWEEN_COUNTS)
                for reference in done:
                    number = waiting.pop(reference)
                    content = self._content(ray, reference, number, lost)
                    if content is None:
                        waiting[task.remote(sent_job, number)] = number
                    else:
                        yield number, content
        finally:
            for reference in waiting:
                ray.cancel(reference, force=True)

    def _room(self, ray: Any) -> int:
        cores = int(ray.cluster_resources().get("CPU", 1))
        return max(1, min(cores, self.jobs or cores)) * _FLIGHTS_PER_CORE

    def _content(self, ray: Any, reference: Any, number: int, lost: set[int]) -> bytes | None:
        """Return a block, or None if it has to be sent out again; raises MatchError."""
        try:
            content: bytes = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, MatchError):
                raise error.cause from None
            raise MatchError(f"block {number} cannot be played: {error.cause!r}") from error
        except ray.exceptions.RayError as error:
            reason = str(error).partition("\n")[0]
            if number in lost:
                raise MatchError(f"block {number} was lost twice: {reason}") from error
            lost.add(number)
            self.on_lost(number, reason)
            return None
        return content


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # reports of use are nobody's business
    try:
        import ray  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MatchError(f"Ray is not installed: {installation_hint('farm')}") from error
    return ray


def _play(job: Job, number: int) -> bytes:
    """Play a block in a process of the cluster, which loads the players once."""
    if job.key not in _STARTED:
        _STARTED.clear()
        _STARTED[job.key] = job.start()
    return _STARTED[job.key](number)
