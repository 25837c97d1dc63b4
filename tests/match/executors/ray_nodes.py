"""Play a match on a Ray cluster of two nodes, and kill a node at a third of it.

`python -m match.executors.ray_nodes DIR` prints the result as JSON. Each node waits with its first
block until the other has one too; the node that will be killed never ends its second block.
"""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from casino_match.executors.executor import Job, PlayBlock, Played
from casino_match.executors.ray_cluster import RayCluster
from casino_match.run.match_run import RunProgress
from ray.cluster_utils import Cluster
from support.match.plans import VALUES, played
from support.processes import wait_for

NODES = 2


@dataclass(frozen=True)
class OnNodes:
    """A job whose blocks leave a file for each node that plays them."""

    job: Job
    folder: Path

    @property
    def key(self) -> str:
        return self.job.key

    def shipped(self) -> Job:
        return OnNodes(self.job.shipped(), self.folder)

    def start(self) -> PlayBlock:
        play = self.job.start()
        node = self.folder / ray.get_runtime_context().get_node_id()

        def on_node(number: int) -> bytes:
            if node.exists():
                doomed = (self.folder.parent / "doomed").read_text()
                wait_for(lambda: doomed != node.name)  # for ever where it will be killed
            node.touch()
            wait_for(lambda: len(list(self.folder.iterdir())) == NODES)
            return play(number)

        return on_node


@dataclass(frozen=True)
class OnCluster:
    """Plays on a cluster, and notes the nodes."""

    cluster: RayCluster
    folder: Path

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        yield from self.cluster.play(OnNodes(job, self.folder), numbers)


def main(folder: Path) -> None:
    """Play into a folder, and print the digest, and when a node was killed."""
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.add_node(num_cpus=1)]
    (folder / "doomed").write_text(nodes[0].node_id)
    (folder / "nodes").mkdir()
    killed_at: list[int] = []

    def on_progress(progress: RunProgress) -> None:
        if nodes and progress.decks * 3 >= progress.of:
            cluster.remove_node(nodes.pop(), allow_graceful=False)
            killed_at.append(progress.decks)

    try:
        executor = OnCluster(RayCluster(cluster.address, None, lambda *_: None), folder / "nodes")
        result = played(folder / "match", VALUES, executor, on_progress=on_progress)
    finally:
        cluster.shutdown()
    count = len(list((folder / "nodes").iterdir()))
    report = {"digest": result.digest, "killedAt": killed_at, "nodes": count}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
