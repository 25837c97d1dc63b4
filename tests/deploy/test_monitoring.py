"""Alerts and dashboard: what they ask for exists, and each alert is raised by its cause alone."""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml
from casino_contracts.reasons import WaitReason
from prometheus_client.parser import text_string_to_metric_families as families
from support.casino.casino import process, process_casino
from support.casino.docker import ROOT, run
from support.requirements import unavailable

FOLDER: Final = ROOT / "deploy" / "monitoring"
RULES: Final = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
PANELS: Final = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
EXPRESSIONS: Final = [
    *(rule["expr"] for rule in RULES),
    *(target["expr"] for panel in PANELS for target in panel.get("targets", ())),
]
OF_THE_TARGET: Final = {"job", "instance", "le"}
"""Labels that Prometheus adds, and the bound of a histogram's bucket."""

_SELECTOR: Final = re.compile(r"\b([a-z_]+)(?:\{([^}]*)\})?(?!\w|\s*\()")
_MATCHER: Final = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')
_GROUPING: Final = re.compile(r"\b(?:by|on) \(([^)]*)\)")
_RANGE: Final = re.compile(r"\[[^]]*\]")
_ENDINGS: Final = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
_OPERATORS: Final = {"or", "unless", "and"}


def selected(expression: str) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Return each metric of an expression with its matchers; what has a bracket is a function."""
    plain = _RANGE.sub("", _GROUPING.sub("", expression))
    return [
        (name, _MATCHER.findall(matchers))
        for name, matchers in _SELECTOR.findall(plain)
        if name not in _OPERATORS
    ]


def grouped(expression: str) -> set[str]:
    return {label.strip() for each in _GROUPING.findall(expression) for label in each.split(",")}


def labels_in_reference() -> dict[str, set[str]]:
    """Return the labels of each metric, of which some have no value before something happens."""
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| \w+ \| ([^|]*) \|", page, re.MULTILINE)
    return {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in rows}


def told(
    pages: Sequence[str],
) -> tuple[dict[str, set[str]], dict[tuple[str, str], set[str]]]:
    """Return the labels of each metric of some processes, and the values of each label."""
    reference = labels_in_reference()
    names: dict[str, set[str]] = {"up": set()}
    values: dict[tuple[str, str], set[str]] = {}
    for family in (family for page in pages for family in families(page)):
        known = reference.get(family.name) or reference.get(f"{family.name}_total", set())
        for ending in _ENDINGS.get(family.type, ("",)):
            names.setdefault(family.name + ending, set()).update(known)
        for sample in family.samples:
            names[sample.name] |= set(sample.labels)
            for label, value in sample.labels.items():
                values.setdefault((sample.name, label), set()).add(value)
    return names, values


class TestFiles:
    def test_every_alert_says_what_to_do_and_where_it_is_explained(self) -> None:
        for rule in RULES:
            assert rule["labels"]["severity"] in {"critical", "warning"}
            assert set(rule["annotations"]) == {"summary", "fix", "page"}
            page, _, section = rule["annotations"]["page"].partition("#")
            headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text(), re.MULTILINE)
            assert not section or section in {
                re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings
            }

    def test_the_reasons_for_waiting_are_those_of_the_casino(self) -> None:
        """Each raises one alert, but a pause on purpose."""
        (stops,) = (rule["expr"] for rule in RULES if rule["alert"] == "CasinoCannotWork")
        (waits,) = (rule["expr"] for rule in RULES if rule["alert"] == "CasinoWaits")
        by_gravity = {
            gravity: {str(reason) for reason in WaitReason if reason.gravity == gravity}
            for gravity in ("stop", "pause")
        }
        assert _words(stops, "=~") == by_gravity["stop"]
        assert _words(waits, "!~") == by_gravity["stop"] | by_gravity["pause"]
        (shown,) = (each for each in EXPRESSIONS if each.startswith("sum(casino_waits{"))
        assert _words(shown, "!~") == by_gravity["pause"]

    def test_panels_do_not_overlap(self) -> None:
        taken: dict[tuple[int, int], str] = {}
        for panel in PANELS:
            place = panel["gridPos"]
            assert place["x"] + place["w"] <= 24
            for x in range(place["x"], place["x"] + place["w"]):
                for y in range(place["y"], place["y"] + place["h"]):
                    assert taken.setdefault((x, y), panel["title"]) == panel["title"]
        assert len({panel["id"] for panel in PANELS}) == len(PANELS)

    def test_every_mounted_file_exists(self) -> None:
        compose = yaml.safe_load((FOLDER / "docker-compose.yml").read_text())
        mounts = [mount for each in compose["services"].values() for mount in each["volumes"]]
        files = {mount.partition(":")[0] for mount in mounts if mount.startswith("./")}
        assert {path.name for path in FOLDER.iterdir()} == {
            "docker-compose.yml",
            *(Path(file).name for file in files),
        }


def _words(expression: str, operator: str) -> set[str]:
    (words,) = {
        text
        for _, matchers in selected(expression)
        for name, said, text in matchers
        if (name, said) == ("reason", operator)
    }
    return set(words.split("|"))


@pytest.mark.full
@pytest.mark.timeout(120)
async def test_every_metric_and_label_exists_in_running_processes(tmp_path: Path) -> None:
    """Of every service; each value that an expression selects is told before it is counted."""
    async with (
        process_casino(CASINO_LOBBY_DATABASE="memory") as casino,
        process("gateway", "casino_gateway", settings=_at(tmp_path, "GATEWAY")) as gateway,
        process("evaluator", "casino_evaluator", settings=_at(tmp_path, "EVALUATOR")) as evaluator,
        process("match", "casino_match", settings=_at(tmp_path, "MATCH")) as match,
        httpx.AsyncClient(trust_env=False) as http,
    ):
        tables = await casino.host_tables(1)
        await casino.open(maxSeats=2, maxHands=1)
        for card in await casino.samples("caller", 2):
            await casino.seat(card)
        await casino.until("idle")
        processes = (casino.lobby, tables, gateway, evaluator, match)
        pages = [(await http.get(f"{running.url}/metrics")).text for running in processes]
    names, values = told(pages)
    assert len(EXPRESSIONS) > 60
    for expression in EXPRESSIONS:
        metrics = selected(expression)
        assert metrics, expression
        assert {name for name, _ in metrics} <= names.keys(), expression
        for name, matchers in metrics:
            assert {label for label, _, _ in matchers} <= names[name] | OF_THE_TARGET, expression
            for label, _, text in matchers:
                # A wait has no 0 before it begins.
                if (name, label) in values and name != "casino_waits":
                    assert set(text.split("|")) <= values[name, label], expression
        own = {label for name, _ in metrics for label in names[name]}
        assert grouped(expression) <= own | OF_THE_TARGET, expression


def _at(folder: Path, service: str) -> Mapping[str, str]:
    return {f"CASINO_{service}_DATA": str(folder / service)}


# By promtool: series of sixty minutes that raise exactly these alerts in the fiftieth.

QUIET: Final = {
    'up{job="casino-lobby",instance="l"}': "1x60",
    'agent_ready{job="casino-lobby",instance="l"}': "1x60",
    'casino_lobby_active{job="casino-lobby",instance="l"}': "1x60",
    'agent_ready{job="casino-lobby",instance="second"}': "0x60",
    'casino_lobby_active{job="casino-lobby",instance="second"}': "0x60",
    'up{job="node",instance="n"}': "0x60",
    'casino_tables{status="error"}': "0x60",
    'casino_rooms{status="failed"}': "3x60",
    'casino_rooms_miscounted{instance="l"}': "0x60",
    'casino_waits{reason="disk-full"}': "0x60",
    'casino_waits{reason="pace"}': "3x60",
    'casino_waits{reason="lobby-away"}': "0x45 1x3 0x20",
    'casino_events_undelivered{instance="t"}': "100+10x60",
    'casino_delivery_lag_seconds_bucket{le="5.0"}': "0+900x60",
    'casino_delivery_lag_seconds_bucket{le="+Inf"}': "0+900x60",
    'casino_decisions_total{outcome="ok"}': "0+900x60",
    'casino_decisions_total{outcome="timeout"}': "0+100x60",
    'casino_decisions_total{outcome="sitting_out"}': "0+5000x60",
    'casino_decisions_defaulted_total{reason="away"}': "0+60x60",
    'casino_decision_seconds_bucket{le="5.0"}': "0+900x60",
    'casino_decision_seconds_bucket{le="+Inf"}': "0+1000x60",
    'lobby_unreadable_rows{table="event"}': "0x60",
    'agent_calls_total{skill="startRoom",outcome="refused"}': "0+60x60",
    'agent_connections_refused_total{cap="address"}': "0+6x60",
    'process_open_fds{job="casino-lobby"}': "50x60",
    'process_max_fds{job="casino-lobby"}': "1000x60",
}
CAUSES: Final[Mapping[str, Mapping[str, str]]] = {
    "CasinoProcessDown": {'up{job="casino-lobby",instance="l"}': "1x40 0x20"},
    "CasinoNotReady": {'agent_ready{job="casino-lobby",instance="l"}': "1x40 0x20"},
    "CasinoWithoutLobby": {'casino_lobby_active{job="casino-lobby",instance="l"}': "0x60"},
    "CasinoTableStopped": {'casino_tables{status="error"}': "0x48 1x12"},
    "CasinoRoomFailed": {'casino_rooms{status="failed"}': "3x45 4x15"},
    "CasinoCannotWork": {'casino_waits{reason="disk-full"}': "0x48 1x12"},
    "CasinoWaits": {'casino_waits{reason="lobby-away"}': "0x40 1x20"},
    "CasinoDeliveryBehind": {'casino_events_undelivered{instance="t"}': "0+50x60"},
    "CasinoDeliverySlow": {'casino_delivery_lag_seconds_bucket{le="5.0"}': "0+800x60"},
    "CasinoPlayersFail": {'casino_decisions_total{outcome="timeout"}': "0+300x60"},
    "CasinoModelsFail": {'casino_decisions_defaulted_total{reason="model_failed"}': "0+60x60"},
    "CasinoSlowDecisions": {'casino_decision_seconds_bucket{le="5.0"}': "0+100x60"},
    "CasinoChipsMiscounted": {'casino_rooms_miscounted{instance="l"}': "0x48 1x12"},
    "CasinoRowsUnreadable": {'lobby_unreadable_rows{table="event"}': "2x60"},
    "CasinoCallsFail": {'agent_calls_total{skill="startRoom",outcome="failed"}': "0+60x60"},
    "CasinoConnectionsRefused": {'agent_connections_refused_total{cap="address"}': "0+120x60"},
    "CasinoFilesRunOut": {'process_open_fds{job="casino-lobby"}': "950x60"},
}
_BEYOND: Final = {
    # What its series need beside the cause.
    "CasinoDeliverySlow": {'casino_delivery_lag_seconds_bucket{le="30.0"}': "0+900x60"},
    "CasinoSlowDecisions": {'casino_decision_seconds_bucket{le="30.0"}': "0+1000x60"},
}


@pytest.fixture
def promtool(tmp_path: Path) -> Callable[..., None]:
    """Return what runs promtool on a file of this content, and fails with its words."""
    command = shutil.which("promtool")
    if command is None:
        unavailable("promtool is not installed (Debian's package prometheus)")

    def check(kind: str, content: Any) -> None:
        shutil.copy(FOLDER / "alerts.yml", tmp_path)
        shutil.copy(FOLDER / "prometheus.yml", tmp_path)
        file = tmp_path / "given.yml"
        file.write_text(yaml.safe_dump(content, sort_keys=False))
        checks = {
            "rules": ("check", "rules", file),
            "tests": ("test", "rules", file),
            "configuration": ("check", "config", tmp_path / "prometheus.yml"),
        }
        checked = run(command, *map(str, checks[kind]), cwd=tmp_path)
        assert checked.returncode == 0, checked.stdout + checked.stderr

    return check


@pytest.mark.full
class TestPromtool:
    def test_prometheus_reads_its_configuration(self, promtool: Callable[..., None]) -> None:
        promtool("configuration", {})

    def test_every_expression_is_one(self, promtool: Callable[..., None]) -> None:
        """Those of the dashboard with a range in place of Grafana's."""
        rules = [
            {"record": f"given:{number}", "expr": expression.replace("$__rate_interval", "1m")}
            for number, expression in enumerate(EXPRESSIONS)
        ]
        promtool("rules", {"groups": [{"name": "all", "rules": rules}]})

    def test_each_cause_raises_its_alert_alone(self, promtool: Callable[..., None]) -> None:
        """And a quiet casino raises none."""
        assert set(CAUSES) == {rule["alert"] for rule in RULES}
        tests = [
            {
                "name": alert or "quiet",
                "interval": "1m",
                "input_series": [
                    {"series": series, "values": values}
                    for series, values in {**QUIET, **cause, **_BEYOND.get(alert, {})}.items()
                ],
                "promql_expr_test": [
                    {
                        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                        "eval_time": "50m",
                        "exp_samples": [
                            {"labels": f'{{alertname="{name}"}}', "value": 1}
                            for name in ([alert] if alert else [])
                        ],
                    }
                ],
            }
            for alert, cause in {"": {}, **CAUSES}.items()
        ]
        content = {"rule_files": ["alerts.yml"], "evaluation_interval": "1m", "tests": tests}
        promtool("tests", content)
