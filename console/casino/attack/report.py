"""Output of `casino attack`: a table, or a line of JSON for each attack."""

from collections.abc import Sequence

from rich.text import Text

from casino.attack.attack import Attack
from casino.attack.engine import Result
from casino.attack.outcome import Verdict
from casino.output import Output, plain, sanitize

_STYLES = {
    Verdict.REFUSED: "green",
    Verdict.SUCCEEDED: "bold red",
    Verdict.NOT_APPLICABLE: "dim",
}
_MAX_EVIDENCE = 300


def write_line(output: Output, result: Result) -> None:
    """Write one result as JSON."""
    attack, outcome = result
    output.json(
        {
            "group": attack.group,
            "attack": attack.name,
            "findings": list(attack.findings),
            "outcome": outcome.verdict.value,
            "evidence": _evidence(outcome.evidence),
        }
    )


def write_table(output: Output, results: Sequence[Result]) -> None:
    """Write all results and the number of each verdict."""
    rows: list[Sequence[str | Text]] = [
        (
            attack.group,
            attack.name,
            plain(outcome.verdict.value, _STYLES[outcome.verdict]),
            _evidence(outcome.evidence),
        )
        for attack, outcome in results
    ]
    output.table(("group", "attack", "outcome", "evidence"), rows)
    counts = [sum(result.outcome.verdict is verdict for result in results) for verdict in Verdict]
    refused, succeeded, not_applicable = counts
    output.line(f"{refused} refused, {succeeded} SUCCEEDED, {not_applicable} not applicable")


def write_list(output: Output, attacks: Sequence[Attack], *, as_json: bool) -> None:
    """Write the attacks with their descriptions."""
    if as_json:
        for attack in attacks:
            output.json({"group": attack.group, "attack": attack.name, "tries": attack.tries})
        return
    rows = [(attack.group, attack.name, attack.tries) for attack in attacks]
    output.table(("group", "attack", "what it tries"), rows)


def _evidence(text: str) -> str:
    line = sanitize(text)
    return line if len(line) <= _MAX_EVIDENCE else line[: _MAX_EVIDENCE - 1] + "…"
