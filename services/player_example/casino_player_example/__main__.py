"""Serve a sample player; settings are read from `CASINO_PLAYER_…`."""

import argparse

from casino_agentkit import (
    CardKeyFailed,
    InvalidSettings,
    PortTaken,
    configure_logs,
    exit_with,
    serve,
)

from casino_player_example.app import SECRET_KEYS, build_app
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles.catalogue import ANY_GAME_STYLES, STYLES


def main() -> None:
    """Parse the command line and serve until SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m casino_player_example", description=__doc__)
    parser.add_argument("style", nargs="?", choices=sorted(STYLES | ANY_GAME_STYLES))
    parser.add_argument("--name", help="the display name")
    parser.add_argument("--port", type=int, help="the port; 0 for any free port")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, exit with the parent process"
    )
    arguments = parser.parse_args()
    try:
        settings = PlayerSettings.load(
            style=arguments.style, name=arguments.name, port=arguments.port
        )
        configure_logs("player", level=settings.log_level, secret_keys=SECRET_KEYS)
        serve(
            lambda url: build_app(settings, url),
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
            supervised=arguments.supervised,
            tls=settings.server_tls(),
        )
    except (CardKeyFailed, InvalidSettings, PortTaken) as error:
        exit_with("casino_player_example", error, supervised=arguments.supervised)


if __name__ == "__main__":
    main()
