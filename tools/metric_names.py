"""The page docs/reference/metrics.md, from the calls that make metrics."""

import ast
from collections.abc import Iterator
from pathlib import Path

from casino_contracts import WaitReason

ROOT = Path(__file__).parents[1]
SERVICES = {
    "Every agent": "shared/agentkit",
    "Lobby": "services/lobby",
    "Table": "services/table",
    "Gateway": "services/gateway",
    "Evaluator": "services/evaluator",
    "Matches": "services/match",
}
TYPES = {
    **{name: name.lower() for name in ("Counter", "Gauge", "Histogram")},
    **{f"{name}MetricFamily": name.lower() for name in ("Counter", "Gauge", "Histogram")},
}


def page() -> str:
    """Return the page of all metrics by service."""
    lines = ["# Metrics", ""]
    lines += ["What to alert on: [operation](../operations.md#metrics). By `make reference`.", ""]
    lines += ["Every agent also has the `process_…` metrics of Prometheus' client."]
    for service, folder in SERVICES.items():
        paths = sorted((ROOT / folder).rglob("*.py"))
        rows = {row for path in paths for row in _metrics(ast.parse(path.read_text()))}
        lines += [
            "",
            f"## {service}",
            "",
            "| metric | type | labels | |",
            "| --- | --- | --- | --- |",
        ]
        lines += sorted(rows)
    return "\n".join([*lines, "", *_reasons(), ""])


def _reasons() -> Iterator[str]:
    """Yield the table of what `casino_waits` counts."""
    yield from ("## Reasons of waits", "", "| `reason` | what waits | what ends it | |")
    yield "| --- | --- | --- | --- |"
    told = {"pause": "on purpose, in metrics only", "part": "hands are played", "wait": ""}
    told["stop"] = "`/readyz` answers 503"
    for reason in WaitReason:
        row = (f"`{reason.value}`", reason.what, reason.fix, told[reason.gravity])
        yield f"| {' | '.join(row)} |"


def _metrics(tree: ast.Module) -> Iterator[str]:
    """Yield the row of each metric that a module makes with its name and text."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id=made),
                args=[ast.Constant(value=str(name)), ast.Constant(value=str(text)), *more],
            ) if made in TYPES:
                more += [keyword.value for keyword in node.keywords if keyword.arg == "labels"]
                labels = [ast.literal_eval(each) for each in more if isinstance(each, ast.List)]
                shown = ", ".join(f"`{label}`" for each in labels for label in each)
                full = f"{name}_total" if TYPES[made] == "counter" else name
                yield f"| `{full}` | {TYPES[made]} | {shown} | {text} |"
