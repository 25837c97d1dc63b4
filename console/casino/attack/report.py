"""What `casino attack` writes: a table for people, a line of JSON for each attack for programs."""

from collections.abc import Sequence

from rich.text import Text

from casino.attack.attack import Attack
from casino.attack.engine import Result
from casino.attack.outcome import Verdict
from casino.formatting import plain, sanitize
from casino.output import Output

_STYLES = {
    Verdict.REFUSED: "green",
    Verdict.SUCCEEDED: "bold red",
    Verdict.NOT_APPLICABLE: "dim",
}
_EVIDENCE = 300


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
    """Write all results, and how many succeeded."""
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
    counts = [sum(one.outcome.verdict is verdict for one in results) for verdict in Verdict]
    withstood, open_, idle = counts
    output.line(f"{withstood} refused, {open_} SUCCEEDED, {idle} not applicable")


def write_list(output: Output, attacks: Sequence[Attack], *, as_json: bool) -> None:
    """Write what there is to try."""
    if as_json:
        for one in attacks:
            output.json({"group": one.group, "attack": one.name, "tries": one.tries})
        return
    rows = [(one.group, one.name, one.tries) for one in attacks]
    output.table(("group", "attack", "what it tries"), rows)


def _evidence(text: str) -> str:
    line = sanitize(text)
    return line if len(line) <= _EVIDENCE else line[: _EVIDENCE - 1] + "…"
