"""A native player of any game: `python -m support.players.any_player_process --port N`."""

import argparse

from casino_agentkit import Service, configure_logs, serve

from support.players.any_player import AnyPlayer


def main() -> None:
    """Serve until the test ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--supervised", action="store_true")
    arguments = parser.parse_args()
    configure_logs("native", level="WARNING", secret_keys=())
    serve(
        lambda _url: Service({"": AnyPlayer("Native").agent()}),
        host="127.0.0.1",
        port=arguments.port,
        supervised=arguments.supervised,
    )


if __name__ == "__main__":
    main()
