"""Whether a plan with several tables can be played. Pure."""

from typing import Final, NamedTuple

from casino.formatting import counted
from casino.up.plan import Plan

_MOST_HOSTED: Final = 1000
"""Sample players of a process."""
_TABLES: Final = "--tables"


class Objection(NamedTuple):
    """Why a plan cannot be played: the option that is wrong, and the fix."""

    option: str
    message: str


def objection_to_tables(plan: Plan, *, is_saved: bool) -> Objection | None:
    """Return why processes, players or options do not fit the number of tables; None if they do.

    `is_saved`: the run is kept in a directory.
    """
    processes = plan.table_processes or 1
    if processes > plan.tables:
        return Objection(
            "--table-processes",
            f"{processes} processes cannot share {counted(plan.tables, 'table')}: name at most"
            f" {plan.tables}, or more {_TABLES}",
        )
    if plan.tables == 1:
        return None
    if plan.has_no_examples or len(plan.styles) == 1:
        return Objection(
            "--players",
            f"bots of --seat sit in the room main only, and every other room would have"
            f" {counted(len(plan.styles), 'sample player')}: name two or more, or leave {_TABLES}"
            " out",
        )
    if is_saved:
        return Objection("--save", f"the run of one room is kept: leave {_TABLES} or --save out")
    most = max(map(plan.styles.count, plan.styles), default=1) * plan.tables
    if most > _MOST_HOSTED:
        return Objection(
            _TABLES,
            f"{most} players of one style are needed, and a process hosts at most {_MOST_HOSTED}:"
            f" name fewer {_TABLES}, or other styles",
        )
    return None
