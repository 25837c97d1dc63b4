"""A match on a Ray cluster survives the loss of a machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.casino.live import ENVIRONMENT
from support.match.plans import played

pytestmark = [pytest.mark.full, pytest.mark.timeout(180)]


def test_the_digest_is_the_same_if_one_of_two_nodes_is_killed(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "match.executors.ray_nodes", str(tmp_path)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout.splitlines()[-1])
    assert (report["nodes"], report["killedAt"]) == (2, [16])
    assert report["digest"] == played(tmp_path / "here").digest
