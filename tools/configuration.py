"""Writes docs/reference/configuration.md: every setting of every service, from their models.

`python tools/configuration.py docs/reference/configuration.md`
"""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from casino.up.deal import DealerSettings
from casino_agentkit import ServiceSettings
from casino_lobby.settings import LobbySettings, PortRange
from casino_player_example.settings import PlayerSettings
from casino_table.settings import TableSettings
from pydantic.fields import FieldInfo

SERVICES: dict[str, type[ServiceSettings]] = {
    "Lobby: `python -m casino_lobby`": LobbySettings,
    "Table: `python -m casino_table`": TableSettings,
    "Sample player: `python -m casino_player_example`": PlayerSettings,
    "Dealer: `casino deal`": DealerSettings,
}
_INTRODUCTION = """\
# Configuration

Every service reads its settings from the environment, once, at its start.
A variable with a service's prefix that is no setting is refused, so a typo does not go unnoticed.
Durations are written `500ms`, `2s`, `5m` or `1h`; lists have commas.

A secret, marked 🔑, may stand in a file: its variable with `_FILE` at the end names the file, \
whose content is the value, without blanks around it.
Both at once are refused, and so is a file that is empty, cannot be read, or can be changed by its \
group or by everybody.

This page is made from the settings models: `make reference`.
"""


def _shown(value: Any) -> str:
    """Return a default as an operator would write it."""
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
    told = field.description or ""
    if get_origin(field.annotation) is Literal:
        told += " One of " + ", ".join(f"`{one}`" for one in get_args(field.annotation)) + "."
    return told


def page() -> str:
    """Return the page."""
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


def main() -> None:
    """Write it."""
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
