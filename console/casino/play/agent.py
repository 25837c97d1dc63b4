"""Let a sample player play at an A2G server, as a process of its own.

The console does not import players. The token goes by the environment, which other users of the
machine cannot read, unlike the arguments of a process.
"""

import asyncio
import sys
from collections.abc import Mapping
from typing import Literal

Style = Literal["generic", "llm"]

_MODULE = "casino_player_example"
_PREFIX = "CASINO_PLAYER_"


async def play_as_agent(
    url: str,
    environment: Mapping[str, str],
    *,
    style: Style = "generic",
    token: str | None = None,
    room: str | None = None,
    name: str | None = None,
) -> int:
    """Play at the A2G server `url` until the seat is gone; returns the process's exit code.

    Without a token it plays as a guest. A cancellation ends the process, which leaves its seat.
    """
    values = {"STYLE": style, "A2G_URL": url, "A2G_TOKEN": token, "A2G_ROOM": room, "NAME": name}
    settings = {_PREFIX + key: value for key, value in values.items() if value is not None}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", _MODULE, env={**environment, **settings}
    )
    try:
        return await process.wait()
    except asyncio.CancelledError:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        raise
