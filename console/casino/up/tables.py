"""The tables of a casino with several rooms: one command, whose processes share them."""

import os
from typing import Final
from urllib.parse import urlsplit

from casino_agentkit import Child

from casino.formatting import counted
from casino.up.plan import Plan
from casino.up.processes import TABLE_MODULE, Processes
from casino.up.report import Report

_FIRST_PORT: Final = 4500
_PREFIX: Final = "CASINO_TABLE_"
_TAKEN_OVER: Final = ("GAMES", "LOG_LEVEL", "CALL_ADDRESSES", "MAX_UNDELIVERED", "TLS_CA")
"""Settings of tables that are those of these tables, too."""


async def start_tables(processes: Processes, plan: Plan, report: Report) -> dict[str, str]:
    """Start the tables of a plan with several rooms; return the card URLs by room.

    Raises ChildFailed.
    """
    settings = {
        name: os.environ[name] for part in _TAKEN_OVER if (name := _PREFIX + part) in os.environ
    }
    settings[f"{_PREFIX}COUNT"] = str(plan.tables)
    if plan.table_processes is not None:
        settings[f"{_PREFIX}PROCESSES"] = str(plan.table_processes)
    port = _FIRST_PORT if plan.lobby_port else 0
    tables = await processes.start("tables", TABLE_MODULE, [], port, **settings)
    processes.need(tables)
    report.say(_described(tables), url=tables.url, pid=tables.pid)
    return dict(zip(plan.rooms, tables.cards, strict=True))


def _described(tables: Child) -> str:
    number = len({urlsplit(card).netloc for card in tables.cards})
    shared = "1 process" if number == 1 else f"{number} processes"
    return f"tables   {tables.url}   {counted(len(tables.cards), 'table')} in {shared}"
