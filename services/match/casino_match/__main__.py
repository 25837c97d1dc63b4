"""Serve matches (`python -m casino_match`); settings come from `CASINO_MATCH_…`."""

import argparse

from casino_agentkit import (
    CardKeyFailed,
    InvalidSettings,
    PortTaken,
    configure_logs,
    exit_with,
    serve,
)

from casino_match.app import SECRET_KEYS, build_app
from casino_match.errors import StoreFailed
from casino_match.settings import MatchSettings


def main() -> None:
    """Serve until SIGTERM, which suspends matches: they go on when they are called for again."""
    parser = argparse.ArgumentParser(prog="python -m casino_match", description=__doc__)
    parser.add_argument("--port", type=int, help="the port; 0 takes a free one")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, end with the parent"
    )
    arguments = parser.parse_args()
    try:
        settings = MatchSettings.load(port=arguments.port)
        configure_logs("match", level=settings.log_level, secret_keys=SECRET_KEYS)
        serve(
            lambda url: build_app(settings, url),
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
            supervised=arguments.supervised,
            tls=settings.server_tls(),
            grpc=settings.grpc_listener(),
        )
    except (CardKeyFailed, InvalidSettings, PortTaken, StoreFailed) as error:
        exit_with("casino_match", error, supervised=arguments.supervised)


if __name__ == "__main__":
    main()
