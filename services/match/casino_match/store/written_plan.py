"""A plan, and where its players' files lie."""

from dataclasses import dataclass
from pathlib import Path

from casino_match.domain.plan import Plan


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan, and the folder that its players' relative paths start from.

    The folder is no part of the digest: a match is the same on every machine.
    """

    plan: Plan
    folder: Path
