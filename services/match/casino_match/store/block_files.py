"""The files of a match's blocks: each appears as a whole, and is checked when it is read."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from casino_agentkit.process.private_file import make_private

from casino_match.domain.block import PlayedBlock, block_from_json
from casino_match.domain.plan import Plan
from casino_match.errors import StoreFailed
from casino_match.store import whole_files

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
        whole_files.replace(self.path(number), content)
        return block

    def read(self, number: int) -> PlayedBlock | None:
        """Return a block, or None if it was not played; raises StoreFailed if it is damaged."""
        path = self.path(number)
        content = whole_files.read(path)
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
    for pattern in (_PATTERN, f".*{whole_files.PARTIAL}"):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)
