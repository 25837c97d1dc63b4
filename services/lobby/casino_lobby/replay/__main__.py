"""Show hands on the page: `python -m casino_lobby.replay NAME`, started by `casino replay`.

Standard input has the size of a text in bytes, on a line of its own, and the text, which is PHH.
The process ends when standard input does, and announces its URL as other services do.
"""

import argparse
import sys

import casino_agentkit.process.lean  # noqa: F401  first
from casino_agentkit import PortTaken, configure_logs, serve
from casino_histories import UnreadableHistory
from casino_histories.phh import read_phhs

from casino_lobby.app import SECRET_KEYS
from casino_lobby.replay.file_room import FileRoom
from casino_lobby.replay.replay_service import replay_service

HOST = "127.0.0.1"


def main() -> None:
    """Serve the page on this machine until a signal."""
    parser = argparse.ArgumentParser(prog="python -m casino_lobby.replay", description=__doc__)
    parser.add_argument("name", help="the room's id")
    parser.add_argument("--port", type=int, default=0, help="the port; 0 takes a free one")
    arguments = parser.parse_args()
    configure_logs("replay", level="WARNING", secret_keys=SECRET_KEYS)
    text = sys.stdin.buffer.read(int(sys.stdin.buffer.readline()))
    try:
        room = FileRoom(arguments.name, read_phhs(text.decode()))
        serve(
            lambda url: replay_service(url, room), host=HOST, port=arguments.port, supervised=True
        )
    except (PortTaken, UnreadableHistory, ValueError) as error:
        sys.exit(f"casino replay: {error}")


if __name__ == "__main__":
    main()
