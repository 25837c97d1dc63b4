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
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from casino_match.domain.plan import Plan
from casino_match.domain.plan_file import faults_of
from casino_match.errors import StoreFailed
from casino_match.store import whole_files
from casino_match.store.block_files import BlockFiles, delete_blocks


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
        whole_files.create(self.plan_file, json.dumps(document, indent=2).encode() + b"\n")
        there = self.read_plan()
        if there is None:
            raise StoreFailed(f"{self.plan_file} was deleted while the match began")
        return there

    def read_plan(self) -> WrittenPlan | None:
        """Return the plan, or None if the match has not begun; raises StoreFailed."""
        content = whole_files.read(self.plan_file)
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
        whole_files.replace(self.result_file, content)

    def read_result(self) -> bytes | None:
        """Return the result, or None before there is one; raises StoreFailed."""
        return whole_files.read(self.result_file)

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
