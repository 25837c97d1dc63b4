"""The digest of a result: the same, however the match was run. Pure."""

import json
from dataclasses import asdict
from hashlib import sha256

from casino_match.domain.block import Block

_PREFIX = "sha256:"


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
        return _PREFIX + self._hash.hexdigest()


def block_digest(block: Block) -> str:
    """Return the SHA-256 of everything in a block but the times of decisions."""
    content = asdict(block)
    for conduct in content["conduct"]:
        del conduct["latency"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return _PREFIX + sha256(text.encode()).hexdigest()
