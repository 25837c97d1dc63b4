"""Serve the evaluator (`python -m casino_evaluator`); settings come from `CASINO_EVALUATOR_…`."""

import argparse

from casino_agentkit import (
    CardKeyFailed,
    InvalidSettings,
    PortTaken,
    configure_logs,
    exit_with,
    serve,
)
from casino_agentkit.server.limits import ServerLimits

from casino_evaluator.app import SECRET_KEYS, build_app
from casino_evaluator.errors import InvalidLevels, StoreFailed
from casino_evaluator.settings import EvaluatorSettings


def main() -> None:
    """Serve until SIGTERM; sessions go on after the next start."""
    parser = argparse.ArgumentParser(prog="python -m casino_evaluator", description=__doc__)
    parser.add_argument("--port", type=int, help="the port; 0 takes a free one")
    parser.add_argument("--lobby-url", help="the lobby in whose rooms levels are played")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, end with the parent"
    )
    arguments = parser.parse_args()
    try:
        settings = EvaluatorSettings.load(port=arguments.port, lobby_url=arguments.lobby_url)
        configure_logs("evaluator", level=settings.log_level, secret_keys=SECRET_KEYS)
        serve(
            lambda url: build_app(settings, url),
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
            supervised=arguments.supervised,
            limits=ServerLimits(per_address=settings.connections_per_address),
            tls=settings.server_tls(),
            grpc=settings.grpc_listener(),
        )
    except (CardKeyFailed, InvalidLevels, InvalidSettings, PortTaken, StoreFailed) as error:
        exit_with("casino_evaluator", error, supervised=arguments.supervised)


if __name__ == "__main__":
    main()
