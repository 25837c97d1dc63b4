"""Serve a sample player; settings are read from `CASINO_PLAYER_…`.

With `--a2g` it serves nothing, and plays as a client at an A2G server.
"""

import argparse
import sys
from typing import get_args

from casino_agentkit import (
    CardKeyFailed,
    InvalidSettings,
    PortTaken,
    Service,
    configure_logs,
    exit_with,
    serve,
)

from casino_player_example.app import SECRET_KEYS, build_app
from casino_player_example.errors import A2GError
from casino_player_example.settings import PlayerSettings, Style


def main() -> None:
    """Parse the command line and serve until SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m casino_player_example", description=__doc__)
    parser.add_argument("style", nargs="?", choices=get_args(Style))
    parser.add_argument("--name", help="the display name")
    parser.add_argument("--port", type=int, help="the port; 0 for any free port")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, exit with the parent process"
    )
    parser.add_argument("--a2g", metavar="URL", help="an A2G server to play at as a client")
    parser.add_argument("--a2g-token", metavar="TOKEN", help="the token there, or `guest`")
    parser.add_argument("--room", metavar="ID", help="with --a2g: the room; else the first free")
    parser.add_argument("--rounds", type=int, help="with --a2g: leave after so many rounds")
    arguments = parser.parse_args()
    try:
        settings = PlayerSettings.load(
            style=arguments.style,
            name=arguments.name,
            port=arguments.port,
            a2g_url=arguments.a2g,
            a2g_token=arguments.a2g_token,
            a2g_room=arguments.room,
            a2g_rounds=arguments.rounds,
        )
        configure_logs("player", level=settings.log_level, secret_keys=SECRET_KEYS)
        if settings.a2g_url is not None:
            # Imported lazily: only this needs a WebSocket client.
            from casino_player_example.a2g_client.play import run  # noqa: PLC0415

            run(settings)
            return

        def build(url: str) -> Service:
            service = build_app(settings, url)
            if settings.key is None and service.capability and not arguments.supervised:
                addresses = " ".join(service.card_urls(url, with_capability=True))
                sys.stdout.write(
                    f"register it by this address: {addresses}\n"
                    "(a new one at each start; a key in CASINO_PLAYER_KEY keeps it)\n"
                )
                sys.stdout.flush()
            return service

        serve(
            build,
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
            supervised=arguments.supervised,
            tls=settings.server_tls(),
            grpc=settings.grpc_listener(),
        )
    except (A2GError, CardKeyFailed, InvalidSettings, PortTaken) as error:
        exit_with("casino_player_example", error, supervised=arguments.supervised)


if __name__ == "__main__":
    main()
