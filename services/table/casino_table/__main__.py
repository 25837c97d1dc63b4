"""Run table agents: `python -m casino_table`; settings come from `CASINO_TABLE_…`."""

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial

from casino_agentkit.errors import ChildFailed
from casino_agentkit.process.child import usable_cores
from casino_agentkit.run import run_service
from casino_agentkit.server.service_app import Service
from casino_games import GameError, import_games
from structlog.contextvars import bind_contextvars

from casino_table.app import SECRET_KEYS, build_app, card_of
from casino_table.errors import JournalFailed
from casino_table.process_group import TableGroup, TableShare
from casino_table.settings import TableSettings
from casino_table.table_agent import document
from casino_table.workers import ProcessTables, Workers


def main() -> None:
    """Serve until SIGTERM, which finishes running hands first; or print what was asked for."""
    run_service(
        "casino_table",
        TableSettings,
        _prepare,
        about=__doc__,
        errors=(ChildFailed, JournalFailed, GameError),
        secret_keys=SECRET_KEYS,
        options=_add_options,
    )


def warm_up() -> None:
    """Do once what every copy of this process would do again, such as reading the games."""
    card_of(TableSettings())


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--card", action="store_true", help="print the agent card and exit")
    parser.add_argument(
        "--specification", metavar="GAME", help="print the specification of a game and exit"
    )
    parser.add_argument("--process", type=int, metavar="K", help=argparse.SUPPRESS)
    parser.add_argument("--slot", default="", help=argparse.SUPPRESS)


def _prepare(
    settings: TableSettings, arguments: argparse.Namespace
) -> Callable[[str], Service] | None:
    if arguments.card or arguments.specification:
        with redirect_stdout(sys.stderr):  # a third party's game may print anything
            import_games(settings.games)
            text = card_of(settings) + "\n" if arguments.card else document(arguments.specification)
        sys.stdout.write(text)
        return None
    return partial(build_app, settings, part=_part(settings, arguments.process, arguments.slot))


def _part(settings: TableSettings, process: int | None, slot: str) -> ProcessTables:
    """Return a process's tables; the first (None) starts the others. Raises InvalidSettings."""
    if process is not None:  # the first process has checked the settings
        bind_contextvars(process=process)
        return ProcessTables(TableShare(settings.count, settings.processes or 1, process), slot)
    group = TableGroup.of(settings, usable_cores())
    if group.processes == 1:
        return ProcessTables(group.share(1))
    bind_contextvars(process=1)
    return ProcessTables(group.share(1), workers=Workers(group, os.environ, _write_log))


def _write_log(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
