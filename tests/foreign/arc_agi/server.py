"""The toolkit's own server with the games of this folder: `server.py PORT [competition]`."""

import sys
from pathlib import Path

from arc_agi import Arcade, OperationMode

GAMES = Path(__file__).parent / "games"


def main(port: int, *, competition: bool) -> None:
    """Serve on loopback until the process is ended."""
    arcade = Arcade(operation_mode=OperationMode.OFFLINE, environments_dir=str(GAMES))
    arcade.listen_and_serve(host="127.0.0.1", port=port, competition_mode=competition)


if __name__ == "__main__":
    main(int(sys.argv[1]), competition="competition" in sys.argv[2:])
