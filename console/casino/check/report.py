"""Output of `casino check`: lines for a person, or a JSON object for each finding."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from casino.check.examination import has_fault
from casino.check.finding import Finding, Verdict
from casino.formatting import counted, sanitize
from casino.output import Output

_STYLES: Final = {
    Verdict.OK: "green",
    Verdict.NOTE: "dim",
    Verdict.WARNING: "yellow",
    Verdict.FAULT: "bold red",
    Verdict.SKIPPED: "dim",
}
_SHOWN: Final = 1_000
_INDENT: Final = " " * 16


def write_finding(output: Output, finding: Finding) -> None:
    """Write one finding: a line, and below a fault what was sent, what came, and the fix."""
    named = f"{finding.name}: " if finding.name else ""
    verdict = f"{finding.verdict.value:<8}"
    output.line(f"{finding.check:<15} {verdict} {named}{finding.text}", _STYLES[finding.verdict])
    for label, text in (("sent", finding.sent), ("came", finding.came), ("fix", finding.fix)):
        if text:
            output.line(f"{_INDENT}{label:<8} {_cut(text)}")


def write_verdict(output: Output, findings: Sequence[Finding]) -> None:
    """Write the last line."""
    output.line(verdict_of(findings))


def verdict_of(findings: Sequence[Finding]) -> str:
    """Return the verdict on a bot in one sentence."""
    counts = Counter(finding.verdict for finding in findings)
    warnings = counted(counts[Verdict.WARNING], "warning")
    if has_fault([*findings]):
        faults = counted(counts[Verdict.FAULT], "fault")
        return f"not ready for a table: {faults}, {warnings}"
    if counts[Verdict.WARNING]:
        return f"ready for a table, with {warnings}"
    return "ready for a table"


def write_json(output: Output, finding: Finding) -> None:
    """Write one finding as JSON."""
    output.json(finding.to_json())


def write_json_verdict(output: Output, findings: Sequence[Finding]) -> None:
    """Write the last JSON object."""
    counts = Counter(finding.verdict for finding in findings)
    output.json(
        {
            "isReady": not has_fault([*findings]),
            "verdict": verdict_of(findings),
            "counts": {verdict.value: counts[verdict] for verdict in Verdict},
        }
    )


def _cut(text: str) -> str:
    line = sanitize(text)
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
