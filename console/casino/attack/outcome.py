"""Outcome of an attack: a verdict and one line of evidence, without secrets."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Result of an attack."""

    REFUSED = "refused"
    SUCCEEDED = "SUCCEEDED"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict and its evidence."""

    verdict: Verdict
    evidence: str

    @property
    def has_succeeded(self) -> bool:
        """Whether the casino is vulnerable to this attack."""
        return self.verdict is Verdict.SUCCEEDED


def refused(evidence: str) -> Outcome:
    """Return the outcome of an attack that the casino refused."""
    return Outcome(Verdict.REFUSED, evidence)


def succeeded(evidence: str) -> Outcome:
    """Return the outcome of an attack that succeeded."""
    return Outcome(Verdict.SUCCEEDED, evidence)


def not_applicable(reason: str) -> Outcome:
    """Return the outcome of an attack that had no target or could not be tried."""
    return Outcome(Verdict.NOT_APPLICABLE, reason)
