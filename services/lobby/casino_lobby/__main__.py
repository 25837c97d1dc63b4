"""Serve the lobby (`python -m casino_lobby`); settings come from `CASINO_LOBBY_…`."""

import argparse
import logging
import os

from casino_agentkit import (
    CardKeyFailed,
    InvalidSettings,
    PortTaken,
    configure_logs,
    exit_with,
    serve,
)
from casino_agentkit.server.limits import ServerLimits
from structlog import get_logger

from casino_lobby.app import SECRET_KEYS, build_app
from casino_lobby.errors import StoreFailed
from casino_lobby.settings import LobbySettings


def _end_superseded() -> None:
    """End the process at once: another lobby has the rooms, and this one must touch nothing.

    Whatever supervises the process starts it again; then it stands by.
    """
    get_logger(__name__).error("lobby_ended", exit_code=os.EX_TEMPFAIL)
    logging.shutdown()
    os._exit(os.EX_TEMPFAIL)


def main() -> None:
    """Serve until SIGTERM; launched tables finish their hands first."""
    parser = argparse.ArgumentParser(prog="python -m casino_lobby", description=__doc__)
    parser.add_argument("--port", type=int, help="the port; 0 takes a free one")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, end with the parent"
    )
    arguments = parser.parse_args()
    try:
        settings = LobbySettings.load(port=arguments.port)
        configure_logs("lobby", level=settings.log_level, secret_keys=SECRET_KEYS)
        serve(
            lambda url: build_app(settings, url, on_superseded=_end_superseded),
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
            supervised=arguments.supervised,
            limits=ServerLimits(per_address=settings.connections_per_address),
            tls=settings.server_tls(),
            grpc=settings.grpc_listener(),
        )
    except (CardKeyFailed, InvalidSettings, PortTaken, StoreFailed) as error:
        exit_with("casino_lobby", error, supervised=arguments.supervised)


if __name__ == "__main__":
    main()
