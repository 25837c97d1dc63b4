"""Serve the gateway (`python -m casino_gateway`); settings come from `CASINO_GATEWAY_…`."""

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

from casino_gateway.app import SECRET_KEYS, build_app
from casino_gateway.errors import StoreFailed
from casino_gateway.settings import GatewaySettings


def main() -> None:
    """Serve until SIGTERM; seats stay taken."""
    parser = argparse.ArgumentParser(prog="python -m casino_gateway", description=__doc__)
    parser.add_argument("--port", type=int, help="the port; 0 takes a free one")
    parser.add_argument("--lobby-url", help="the lobby in whose rooms seats are taken")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, end with the parent"
    )
    arguments = parser.parse_args()
    try:
        settings = GatewaySettings.load(port=arguments.port, lobby_url=arguments.lobby_url)
        configure_logs("gateway", level=settings.log_level, secret_keys=SECRET_KEYS)
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
    except (CardKeyFailed, InvalidSettings, PortTaken, StoreFailed) as error:
        exit_with("casino_gateway", error, supervised=arguments.supervised)


if __name__ == "__main__":
    main()
