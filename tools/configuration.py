"""The page docs/reference/configuration.md, from the settings models of all services."""

from datetime import timedelta
from typing import Any, Literal, get_args, get_origin

from casino.up.dealer import DealerSettings
from casino_agentkit import ServiceSettings
from casino_evaluator.settings import EvaluatorSettings
from casino_gateway.settings import GatewaySettings
from casino_lobby.settings import LobbySettings, PortRange
from casino_match.settings import MatchSettings
from casino_player_example.settings import PlayerSettings
from casino_table.settings import TableSettings
from pydantic.fields import FieldInfo

SERVICES: dict[str, type[ServiceSettings]] = {
    "Lobby: `python -m casino_lobby`": LobbySettings,
    "Table: `python -m casino_table`": TableSettings,
    "Sample player: `python -m casino_player_example`": PlayerSettings,
    "Gateway: `python -m casino_gateway`": GatewaySettings,
    "Evaluator: `python -m casino_evaluator`": EvaluatorSettings,
    "Matches: `python -m casino_match`": MatchSettings,
    "Dealer: `casino deal`": DealerSettings,
}
_INTRODUCTION = """\
# Configuration

Every service reads its settings from environment variables when it starts.
It rejects unknown variables that have its prefix, so that typos do not go unnoticed.
Durations are written as `500ms`, `2s`, `5m` or `1h`. Lists are separated by commas.

A secret, marked 🔑, can be read from a file: append `_FILE` to its variable and set it to the path.
Surrounding whitespace in the file is ignored.
A service does not start if both variables are set, or if the file is empty, unreadable, or \
writable by its group or by others.

This page is generated from the settings models by `make reference`.
"""


def _shown(value: Any) -> str:
    """Return a default value in the syntax of its variable, as Markdown code."""
    if value is None or value == ():
        return ""
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
        return f"`{seconds:g}s`" if seconds else "`0s`"
    if isinstance(value, PortRange):
        return f"`{value.first}-{value.last}`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"


def _meaning(field: FieldInfo) -> str:
    meaning = field.description or ""
    if get_origin(field.annotation) is Literal:
        choices = ", ".join(f"`{choice}`" for choice in get_args(field.annotation))
        meaning += f" One of {choices}."
    return meaning


def page() -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION]
    for title, settings in SERVICES.items():
        rows = [
            f"| `{settings.prefix}{name.upper()}`{' 🔑' if settings.is_secret(name) else ''}"
            f" | {_shown(field.default)} | {_meaning(field)} |"
            for name, field in settings.model_fields.items()
        ]
        head = [f"## {title}", "", "| variable | default | meaning |", "| --- | --- | --- |"]
        parts.append("\n".join([*head, *rows, ""]))
    return "\n".join(parts)
