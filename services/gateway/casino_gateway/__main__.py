"""Serve the gateway (`python -m casino_gateway`); settings come from `CASINO_GATEWAY_…`."""

from functools import partial

from casino_agentkit.run import run_service

from casino_gateway.app import SECRET_KEYS, build_app
from casino_gateway.errors import StoreFailed
from casino_gateway.settings import GatewaySettings


def main() -> None:
    """Serve until SIGTERM; seats stay taken."""
    run_service(
        "casino_gateway",
        GatewaySettings,
        lambda settings, _: partial(build_app, settings),
        about=__doc__,
        errors=(StoreFailed,),
        secret_keys=SECRET_KEYS,
        options=lambda parser: parser.add_argument(
            "--lobby-url", help="the lobby in whose rooms seats are taken"
        ),
    )


if __name__ == "__main__":
    main()
