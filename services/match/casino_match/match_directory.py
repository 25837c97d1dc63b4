"""The directory of a match: its plan, a file for each block that is played, and the result.

```
DIR/plan.json                      the plan, its digest, and the folder of its players' files
DIR/blocks/000012-3f2a….json       block 12; the hash is that of plan and number
DIR/result.json                    once the match was complete
```

Every file appears as a whole. A block is the same whoever plays it, so several processes may play
into a directory at once.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import uuid4

from casino_agentkit.process.private_file import make_private
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from casino_match.domain.block import PlayedBlock, block_from_json
from casino_match.domain.plan import Plan
from casino_match.domain.plan_file import faults_of
from casino_match.errors import StoreFailed

PARTIAL = ".partial"
"""The ending of files that are being written; those of a process that was killed remain."""


def replace_file(path: Path, content: bytes) -> None:
    """Write a file in place of an earlier one; raises StoreFailed."""
    partial = _partial_of(path)
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise _write_failed(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def create_file(path: Path, content: bytes) -> bool:
    """Write a file unless it exists: exactly one of several processes does. Raises StoreFailed."""
    partial = _partial_of(path)
    try:
        make_private(path.parent)
        partial.write_bytes(content)
    except OSError as error:
        raise _write_failed(path, error) from error
    try:
        try:
            os.link(partial, path)
        except PermissionError:  # a file system without links
            with path.open("xb") as file:
                file.write(content)
    except FileExistsError:
        return False
    except OSError as error:
        raise _write_failed(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return True


def read_file(path: Path) -> bytes | None:
    """Return a file's content, or None if there is no such file; raises StoreFailed."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreFailed(f"{path} cannot be read: {error.strerror}") from error


def _partial_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}-{uuid4().hex[:8]}{PARTIAL}")


def _write_failed(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(f"{path} cannot be written: {error.strerror}")


_HASH_DIGITS: Final = 16
_NUMBER_DIGITS: Final = 6
_PATTERN: Final = "[0-9]*-*.json"


class BlockFiles:
    """The blocks of a plan, in a folder."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self._digest = plan.digest

    def path(self, number: int) -> Path:
        """Return the path of a block: its number, and the hash of plan and number."""
        name = sha256(f"{self._digest} block {number}".encode()).hexdigest()[:_HASH_DIGITS]
        return self._folder / f"{number:0{_NUMBER_DIGITS}}-{name}.json"

    def has(self, number: int) -> bool:
        return self.path(number).is_file()

    def write(self, number: int, content: bytes) -> PlayedBlock:
        """Check and write a block's JSON, and return the block; raises StoreFailed."""
        block = block_from_json(content, self._plan, number)
        try:
            make_private(self._folder)
        except OSError as error:
            raise StoreFailed(f"{self._folder} cannot be made: {error.strerror}") from error
        replace_file(self.path(number), content)
        return block

    def read(self, number: int) -> PlayedBlock | None:
        """Return a block, or None if it was not played; raises StoreFailed if it is damaged."""
        path = self.path(number)
        content = read_file(path)
        if content is None:
            return None
        try:
            return block_from_json(content, self._plan, number)
        except StoreFailed as error:
            raise StoreFailed(
                f"{path} is damaged: {error}. Delete the file, and the same command plays the block"
                " again"
            ) from error

    def in_order(self) -> Iterator[PlayedBlock]:
        """Yield the blocks before the first that was not played; raises StoreFailed."""
        for number in range(self._plan.blocks):
            block = self.read(number)
            if block is None:
                return
            yield block

    def check_names(self) -> None:
        """Raise StoreFailed if a file of the folder is none of this plan's blocks."""
        for path in sorted(self._folder.glob("*.json")):
            number = path.name.partition("-")[0]
            if not number.isdecimal() or path != self.path(int(number)):
                raise StoreFailed(f"{path} is no block of this match: move it elsewhere")


def delete_blocks(folder: Path) -> None:
    """Delete the blocks of any plan, and what killed processes left; nothing else."""
    for pattern in (_PATTERN, f".*{PARTIAL}"):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan, and where its players' paths start, which is no part of the digest."""

    plan: Plan
    folder: Path


class MatchDirectory:
    """The files of a match."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plan_file = path / "plan.json"
        self.result_file = path / "result.json"
        self._block_folder = path / "blocks"

    def begin(self, written: WrittenPlan) -> WrittenPlan:
        """Write the plan, unless there is one, and return it; raises StoreFailed."""
        document = {
            "digest": written.plan.digest,
            "folder": str(written.folder),
            "plan": written.plan.model_dump(mode="json"),
        }
        create_file(self.plan_file, json.dumps(document, indent=2).encode() + b"\n")
        there = self.read_plan()
        if there is None:
            raise StoreFailed(f"{self.plan_file} was deleted while the match began")
        return there

    def read_plan(self) -> WrittenPlan | None:
        """Return the plan, or None if the match has not begun; raises StoreFailed."""
        content = read_file(self.plan_file)
        if content is None:
            return None
        try:
            document = from_json(content)
            plan = Plan.model_validate_json(to_json(document["plan"]))
            digest, folder = document["digest"], Path(document["folder"])
        except ValidationError as error:
            raise self._unusable(f"is damaged ({faults_of(error)})") from error
        except (ValueError, KeyError, TypeError) as error:
            what = "a field" if isinstance(error, KeyError) else "its JSON"
            raise self._unusable(f"is damaged ({what})") from error
        if plan.digest != digest:
            raise self._unusable("was changed: its plan has another digest")
        return WrittenPlan(plan, folder)

    def blocks(self, plan: Plan) -> BlockFiles:
        return BlockFiles(self._block_folder, plan)

    def write_result(self, content: bytes) -> None:
        """Write the result, in place of an earlier one; raises StoreFailed."""
        replace_file(self.result_file, content)

    def read_result(self) -> bytes | None:
        """Return the result, or None before there is one; raises StoreFailed."""
        return read_file(self.result_file)

    def clear(self) -> None:
        """Delete the plan, the blocks and the result, and nothing else; raises StoreFailed."""
        try:
            for path in (self.result_file, self.plan_file):
                path.unlink(missing_ok=True)
            delete_blocks(self._block_folder)
        except OSError as error:
            raise StoreFailed(f"{self.path} cannot be cleared: {error.strerror}") from error

    def _unusable(self, reason: str) -> StoreFailed:
        return StoreFailed(
            f"{self.plan_file} {reason}. Restore the file, or begin a new match with --fresh"
        )
