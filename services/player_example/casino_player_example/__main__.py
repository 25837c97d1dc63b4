"""Serve a sample player; settings are read from `CASINO_PLAYER_…`.

With `--a2g` it serves nothing, and plays as a client at an A2G server.
"""

import argparse
import sys
from collections.abc import Callable
from typing import get_args

from casino_agentkit.run import run_service
from casino_agentkit.server.service_app import Service

from casino_player_example.app import SECRET_KEYS, build_app
from casino_player_example.errors import A2GError
from casino_player_example.settings import PlayerSettings
from casino_player_example.style_catalogue import Style


def main() -> None:
    """Serve until SIGTERM, or play at an A2G server."""
    run_service(
        "casino_player_example",
        PlayerSettings,
        _prepare,
        about=__doc__,
        errors=(A2GError,),
        secret_keys=SECRET_KEYS,
        options=_add_options,
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("style", nargs="?", choices=get_args(Style))
    add("--name", help="the display name")
    add("--a2g", dest="a2g_url", metavar="URL", help="an A2G server to play at as a client")
    add("--a2g-token", metavar="TOKEN", help="the token there, or `guest`")
    add("--room", dest="a2g_room", metavar="ID", help="with --a2g: the room; else the first free")
    add("--rounds", dest="a2g_rounds", type=int, help="with --a2g: leave after so many rounds")


def _prepare(
    settings: PlayerSettings, arguments: argparse.Namespace
) -> Callable[[str], Service] | None:
    if settings.a2g_url is not None:
        # Imported lazily: only this needs a WebSocket client.
        from casino_player_example.a2g_client.a2g_play import run  # noqa: PLC0415

        run(settings)
        return None

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

    return build


if __name__ == "__main__":
    main()
