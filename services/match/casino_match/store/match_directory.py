"""The directory of a match: its plan, a file for each block that is played, and the result.

```
DIR/plan.json                      the plan, its digest, and the folder of its players' files
DIR/blocks/000012-3f2a….json       block 12; the hash is that of plan and number
DIR/result.json                    once a result was computed
```

Every file appears as a whole. A block is the same whoever plays it, so several processes may play
into a directory at once.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from casino_match.domain.plan import Plan
from casino_match.errors import StoreFailed
from casino_match.store import files
from casino_match.store.written_plan import WrittenPlan

_HASH_DIGITS: Final = 16
_NUMBER_DIGITS: Final = 6
_START: Final = b'{"sha256":"'
_MIDDLE: Final = b'","block":'
_END: Final = b"}\n"
_HEX: Final = 64


class MatchDirectory:
    """The files of one match."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plan_file = path / "plan.json"
        self.result_file = path / "result.json"
        self._blocks = path / "blocks"

    def begin(self, written: WrittenPlan) -> WrittenPlan:
        """Write the plan, unless there is one; returns the plan that is there.

        Raises StoreFailed.
        """
        document = {
            "digest": written.plan.digest,
            "folder": str(written.folder),
            "plan": written.plan.model_dump(mode="json"),
        }
        files.create(self.plan_file, json.dumps(document, indent=2).encode() + b"\n")
        there = self.read_plan()
        if there is None:
            raise StoreFailed(f"{self.plan_file} was deleted while the match began")
        return there

    def read_plan(self) -> WrittenPlan | None:
        """Return the plan, or None if the match has not begun; raises StoreFailed."""
        content = files.read(self.plan_file)
        if content is None:
            return None
        try:
            document = from_json(content)
            plan = Plan.model_validate_json(to_json(document["plan"]))
            if plan.digest != document["digest"]:
                raise StoreFailed(
                    f"{self.plan_file} was changed: its plan has another digest."
                    " Restore the file, or begin a new match with --fresh"
                )
            return WrittenPlan(plan, Path(document["folder"]))
        except (ValueError, KeyError, TypeError) as error:
            what = "fields" if isinstance(error, ValidationError) else "JSON"
            raise StoreFailed(
                f"{self.plan_file} is damaged ({what}). Restore the file, or begin a new match"
                " with --fresh"
            ) from error

    def block_file(self, plan: str, number: int) -> Path:
        """Return the path of a block of the plan with a digest."""
        name = sha256(f"{plan} block {number}".encode()).hexdigest()[:_HASH_DIGITS]
        return self._blocks / f"{number:0{_NUMBER_DIGITS}}-{name}.json"

    def has_block(self, plan: str, number: int) -> bool:
        """Return whether a block was played."""
        return self.block_file(plan, number).is_file()

    def write_block(self, plan: str, number: int, content: bytes) -> None:
        """Write a block's JSON; raises StoreFailed."""
        path = self.block_file(plan, number)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreFailed(f"{path.parent} cannot be made: {error.strerror}") from error
        digest = sha256(content).hexdigest().encode()
        files.replace(path, _START + digest + _MIDDLE + content + _END)

    def read_block(self, plan: str, number: int) -> bytes | None:
        """Return a block's JSON, or None if it was not played; raises StoreFailed if damaged."""
        path = self.block_file(plan, number)
        content = files.read(path)
        if content is None:
            return None
        body = len(_START) + _HEX + len(_MIDDLE)
        block = content[body : -len(_END)]
        frame = _START + sha256(block).hexdigest().encode() + _MIDDLE
        if not (content.startswith(frame) and content.endswith(_END)):
            raise self.damaged(plan, number, "its hash is wrong")
        return block

    def damaged(self, plan: str, number: int, reason: str) -> StoreFailed:
        """Return the error for a block's file that cannot be used."""
        return StoreFailed(
            f"{self.block_file(plan, number)} is damaged: {reason}. Delete the file, and the same"
            " command plays the block again"
        )

    def check_names(self, plan: str) -> None:
        """Raise StoreFailed if a file among the blocks is none of this plan."""
        for path in sorted(self._blocks.glob("*.json")):
            number = path.name.partition("-")[0]
            if not number.isdecimal() or path != self.block_file(plan, int(number)):
                raise StoreFailed(f"{path} is no block of this match: move it elsewhere")

    def write_result(self, content: bytes) -> None:
        """Write the result, in place of an earlier one; raises StoreFailed."""
        files.replace(self.result_file, content)

    def read_result(self) -> bytes | None:
        """Return the result, or None before there is one; raises StoreFailed."""
        return files.read(self.result_file)

    def clear(self) -> None:
        """Delete the plan, the blocks and the result, and nothing else; raises StoreFailed."""
        try:
            for path in (self.result_file, self.plan_file):
                path.unlink(missing_ok=True)
            for pattern in ("[0-9]*-*.json", f".*{files.PARTIAL}"):
                for path in self._blocks.glob(pattern):
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreFailed(f"{self.path} cannot be cleared: {error.strerror}") from error
