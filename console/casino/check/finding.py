"""What a check found: a verdict, a sentence, and what helps to mend a fault."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """The result of a check; only a fault makes a bot unfit for a table."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    FAULT = "fault"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Finding:
    """One finding of one check."""

    check: str
    verdict: Verdict
    text: str
    """What was found, in one sentence."""
    name: str = ""
    """The name of a fault or warning, such as `illegal-action`; "" for other findings."""
    fix: str = ""
    """What to change in the bot."""
    sent: str = field(default="", repr=False)
    """What the bot was sent, as it was sent."""
    came: str = field(default="", repr=False)
    """What it answered, as it came."""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object, without empty fields."""
        fields = {
            "check": self.check, "verdict": self.verdict.value, "name": self.name,
            "text": self.text, "fix": self.fix, "sent": self.sent, "came": self.came,
        }  # fmt: skip
        return {key: value for key, value in fields.items() if value}


def ok(check: str, text: str) -> Finding:
    """Return that a check was passed."""
    return Finding(check, Verdict.OK, text)


def note(check: str, text: str) -> Finding:
    """Return something worth knowing that needs no change."""
    return Finding(check, Verdict.NOTE, text)


def skipped(check: str, reason: str) -> Finding:
    """Return that a check was not run, and why."""
    return Finding(check, Verdict.SKIPPED, reason)
