"""What became of an attack: a verdict and one line of evidence, without secrets."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How an attack ended."""

    REFUSED = "refused"
    SUCCEEDED = "SUCCEEDED"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict and what it rests on."""

    verdict: Verdict
    evidence: str

    @property
    def has_succeeded(self) -> bool:
        """Whether the casino is open to this attack."""
        return self.verdict is Verdict.SUCCEEDED


def refused(evidence: str) -> Outcome:
    """Return the outcome of an attack that the casino withstood."""
    return Outcome(Verdict.REFUSED, evidence)


def succeeded(evidence: str) -> Outcome:
    """Return the outcome of an attack that the casino is open to."""
    return Outcome(Verdict.SUCCEEDED, evidence)


def not_applicable(why: str) -> Outcome:
    """Return the outcome of an attack for which there was nothing to attack."""
    return Outcome(Verdict.NOT_APPLICABLE, why)
