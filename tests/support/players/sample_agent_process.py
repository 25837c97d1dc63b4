"""The sample agent as a process, perhaps with a fault.

`python -m support.players.sample_agent_process [--supervised] [how]`
"""

import asyncio
import resource
import sys
import time
from pathlib import Path

from casino_agentkit import Service, configure_logs, serve
from casino_agentkit.server.limits import DEFAULT_LIMITS

from support.players.sample_agent import SampleAgent


def main() -> None:
    """Serve a sample agent on a free port; the last argument names its fault."""
    how = sys.argv[-1]
    configure_logs("sample")
    if how.startswith("few-files"):
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    def build(url: str) -> Service:
        if how == "crash":
            raise RuntimeError("cannot start")
        if how == "never":
            time.sleep(60)

        async def drain() -> None:
            if how.startswith("drain:"):
                await asyncio.sleep(0.2)
                mark = Path(how.removeprefix("drain:"))
                await asyncio.to_thread(mark.write_text, "drained")
            if how == "hang":
                time.sleep(60)  # noqa: ASYNC251  a loop that hangs is what is tested

        return Service({"": SampleAgent().agent}, public_url=url, drain=drain)

    limits = None if how == "few-files-unlimited" else DEFAULT_LIMITS
    serve(build, host="127.0.0.1", port=0, supervised="--supervised" in sys.argv, limits=limits)


if __name__ == "__main__":
    main()
