"""Images of one engine for other engines of the same machine."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from support.casino.docker import ENVIRONMENT, docker, inspect

from .node import Node

_DRIVER = "overlay2"


def can_share() -> bool:
    """Return whether the layers of the engine are directories that other engines may use."""
    driver, root = _driver_and_root()
    return driver == _DRIVER and (root / "image" / _DRIVER / "layerdb").is_dir()


def share(images: Sequence[str], data: Path) -> None:
    """Give images to an engine that has not started yet; the layers stay where they are.

    The layout is that of Docker's `layer/filestore.go`, `image/fs.go`, `reference/store.go` and
    `graphdriver/overlay2`: a directory for each layer, whose content never changes.
    """
    _, root = _driver_and_root()
    names: dict[str, dict[str, str]] = {}
    for image in images:
        known = inspect(image, "image")
        names.setdefault(image.rpartition(":")[0], {})[image] = known["Id"]
        _copy(root, data, Path("image", _DRIVER, "imagedb", "content", *known["Id"].split(":")))
        for chain in _chains(known["RootFS"]["Layers"]):
            _share_layer(root, data, Path("image", _DRIVER, "layerdb", *chain.split(":")))
    repositories = data / "image" / _DRIVER / "repositories.json"
    repositories.write_text(json.dumps({"Repositories": names}))


def send(images: Sequence[str], nodes: Sequence[Node]) -> None:
    """Load copies of images into engines that run."""
    loading = [
        subprocess.Popen(
            ["docker", "load", "--quiet"],
            env={**ENVIRONMENT, **node.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        for node in nodes
    ]
    with subprocess.Popen(
        ["docker", "save", *images], env=ENVIRONMENT, stdout=subprocess.PIPE
    ) as saving:
        assert saving.stdout is not None
        while piece := saving.stdout.read(1 << 20):
            for process in loading:
                assert process.stdin is not None
                process.stdin.write(piece)
    for process in loading:
        process.communicate()
    assert [process.returncode for process in (saving, *loading)] == [0] * (len(nodes) + 1)


def _driver_and_root() -> tuple[str, Path]:
    known: dict[str, Any] = json.loads(docker("info", "--format", "{{json .}}"))
    return known["Driver"], Path(known["DockerRootDir"])


def _chains(layers: Sequence[str]) -> Iterator[str]:
    """Yield the names of layers by what is under them (image-spec, "Layer ChainID")."""
    chain = ""
    for layer in layers:
        digest = hashlib.sha256(f"{chain} {layer}".encode()).hexdigest()
        chain = f"sha256:{digest}" if chain else layer
        yield chain


def _share_layer(root: Path, data: Path, described: Path) -> None:
    if (data / described).exists():
        return
    _copy(root, data, described)
    layer = Path(_DRIVER, (root / described / "cache-id").read_text())
    (data / layer / "work").mkdir(parents=True)
    for name in ("link", "lower", "committed"):
        if (root / layer / name).exists():
            _copy(root, data, layer / name)
    (data / layer / "diff").symlink_to(root / layer / "diff")
    short = data / _DRIVER / "l" / (root / layer / "link").read_text()
    short.parent.mkdir(exist_ok=True)
    short.symlink_to(os.path.relpath(data / layer / "diff", short.parent))


def _copy(root: Path, data: Path, path: Path) -> None:
    (data / path).parent.mkdir(parents=True, exist_ok=True)
    if (root / path).is_dir():
        shutil.copytree(root / path, data / path)
    else:
        shutil.copy2(root / path, data / path)
