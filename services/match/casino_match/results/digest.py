"""The digest of a result: the same, however the match was run. Pure."""

from hashlib import sha256

from casino_match.domain.block import Block
from casino_match.domain.block_json import block_digest


class ResultDigest:
    """SHA-256 of the plan's digest and of the digest of every block, in order."""

    def __init__(self, plan: str) -> None:
        self._hash = sha256(plan.encode())

    def add(self, block: Block) -> None:
        """Add the next block."""
        self._hash.update(b"\n" + block_digest(block).encode())

    @property
    def text(self) -> str:
        """The digest of the blocks so far."""
        return "sha256:" + self._hash.hexdigest()
