"""Serve the lobby (`python -m casino_lobby`); settings come from `CASINO_LOBBY_…`."""

import logging
import os
from functools import partial

from casino_agentkit.run import run_service
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
    run_service(
        "casino_lobby",
        LobbySettings,
        lambda settings, _: partial(build_app, settings, on_superseded=_end_superseded),
        about=__doc__,
        errors=(StoreFailed,),
        secret_keys=SECRET_KEYS,
    )


if __name__ == "__main__":
    main()
