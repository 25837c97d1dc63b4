"""How a service process that cannot start reports the reason."""

import sys
from typing import NoReturn

import orjson

from casino_agentkit.reasons import KitReason


def exit_with(program: str, error: Exception, *, supervised: bool) -> NoReturn:
    """End the process with code 1 and the error's message on standard error.

    A supervised process also writes `{"error": {"reason": …, "message": …}}` to standard output, in
    place of its announcement: its parent reads the reason there, not in the message. The reason of
    an error that declares none is `FAILED`.
    """
    if supervised:
        reason = getattr(error, "reason", KitReason.FAILED)
        line = orjson.dumps({"error": {"reason": reason, "message": str(error)}})
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
    sys.exit(f"{program}: {error}")
