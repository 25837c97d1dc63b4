"""Read the plan of a match: `match.toml`, or values as a command has them. Pure."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from casino_agentkit import Duration
from casino_agentkit.violations import violations_text
from casino_contracts.foreign_text import LIMITS, ForeignText, TextLimits
from pydantic import TypeAdapter, ValidationError

from casino_match.domain.plan import Deal, Plan
from casino_match.domain.plan_file_entrants import entrants_of
from casino_match.errors import InvalidPlan

_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)
_DURATIONS: Final = (("rules", "clock"), ("faults", "patience"))
_BLOCKS: Final = 200
"""Number of blocks of a match whose plan does not say how many decks a block has."""
_LEAST_DECKS, _MOST_DECKS = 100, 5_000
"""Of such a block."""
_LEAST_PLAYERS: Final = 2
_SHOWN: Final = 3
"""Number of faults that a message names."""
_LONGEST_FAULTS: Final = 1_000
"""Of them together: they name fields of the file."""


def values_of(text: str, limits: TextLimits = LIMITS) -> dict[str, Any]:
    """Return the values of a TOML file; raises InvalidPlan with the line of a fault."""
    try:
        return limits.toml(text)
    except ForeignText as error:
        raise InvalidPlan(f"the plan is not valid TOML: {error}") from error


def merged(values: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with others in their place; tables are merged field by field."""
    result = {**values}
    for name, value in over.items():
        below = result.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[name] = merged(below, value)
        else:
            result[name] = value
    return result


def complete(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with names, players' full forms and the size of the blocks.

    A plan with them follows from nothing but its text. Raises InvalidPlan.
    """
    result = {**values}
    players = values.get("players")
    if not isinstance(players, (list, tuple)):
        raise InvalidPlan("players: must be a list of at least 2 players")
    if len(players) < _LEAST_PLAYERS:
        raise InvalidPlan("players: name at least 2 players, such as mybot.py and tight")
    result["players"] = entrants_of(players)
    if "name" not in result:
        result["name"] = _name_of([str(player["name"]) for player in result["players"]])
    deal = values.get("deal", {})
    if isinstance(deal, Mapping) and "decks_per_block" not in deal:
        decks = deal.get("decks", Deal.model_fields["decks"].default)
        if isinstance(decks, int):
            size = min(max(-(-decks // _BLOCKS), _LEAST_DECKS), _MOST_DECKS)
            result["deal"] = {**deal, "decks_per_block": size}
    return result


def plan_of(values: Mapping[str, Any]) -> Plan:
    """Return the plan of complete values; raises InvalidPlan, which names fields and fixes."""
    checked = {**values}
    for part, field in _DURATIONS:
        table = checked.get(part)
        if isinstance(table, Mapping) and isinstance(table.get(field), str):
            checked[part] = {**table, field: _duration(table[field], f"{part}.{field}")}
    try:
        return Plan.model_validate(checked)
    except ValidationError as error:
        faults = violations_text(error, "plan", at_most=_SHOWN)
        raise InvalidPlan(faults[:_LONGEST_FAULTS]) from error


def _duration(text: str, field: str) -> timedelta:
    try:
        duration = _DURATION.validate_python(text)
    except ValidationError as error:
        raise InvalidPlan(violations_text(error, field, at_most=1)) from error
    if duration <= timedelta():
        raise InvalidPlan(f"{field}: must be more than 0")
    return duration


def _name_of(names: list[str]) -> str:
    """Return a match's name by its players, of characters that any file system takes."""
    text = "-".join(names) if len(names) < 4 else f"{names[0]}-and-{len(names) - 1}"  # noqa: PLR2004
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:48] or "match"
