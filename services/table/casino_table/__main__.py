"""Run table agents: `python -m casino_table`; settings come from `CASINO_TABLE_…`."""

import argparse
import sys
from contextlib import redirect_stdout

from casino_agentkit import (
    CardKeyFailed,
    InvalidSettings,
    PortTaken,
    configure_logs,
    exit_with,
    serve,
)
from casino_games import GameError, import_games

from casino_table.app import SECRET_KEYS, build_app, card_of
from casino_table.errors import JournalFailed
from casino_table.games import document
from casino_table.settings import TableSettings


def main() -> None:
    """Parse the arguments and serve until SIGTERM, which finishes running hands first."""
    parser = argparse.ArgumentParser(prog="python -m casino_table", description=__doc__)
    parser.add_argument("--port", type=int, help="port to listen on; 0 chooses a free port")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, exit with the parent process"
    )
    parser.add_argument("--card", action="store_true", help="print the agent card and exit")
    parser.add_argument(
        "--specification", metavar="GAME", help="print the specification of a game and exit"
    )
    arguments = parser.parse_args()
    try:
        settings = TableSettings.load(port=arguments.port)
        configure_logs("table", level=settings.log_level, secret_keys=SECRET_KEYS)
        if arguments.card or arguments.specification:
            with redirect_stdout(sys.stderr):  # a third party's game may print anything
                import_games(settings.games)
                text = (
                    card_of(settings) + "\n"
                    if arguments.card
                    else document(arguments.specification)
                )
            sys.stdout.write(text)
            return
        serve(
            lambda url: build_app(settings, url),
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
            supervised=arguments.supervised,
            tls=settings.server_tls(),
            grpc=settings.grpc_listener(),
        )
    except (CardKeyFailed, InvalidSettings, PortTaken, JournalFailed, GameError) as error:
        exit_with("casino_table", error, supervised=arguments.supervised)


if __name__ == "__main__":
    main()
