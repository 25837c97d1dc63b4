"""A transport to agents of this process and to agents on sockets."""

from collections.abc import Mapping

from casino_agentkit import HttpReply, HttpTransport, InProcessTransport


class BothWays(InProcessTransport):
    """Sends to agents of this process directly, and to others over HTTP."""

    def __init__(self) -> None:
        super().__init__()
        self._http = HttpTransport()

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Send by the way that leads to the agent."""
        if url.startswith(("http://127.0.0.1", "https://127.0.0.1")):
            return await self._http.send(method, url, headers, body, timeout_s)
        return await super().send(method, url, headers, body, timeout_s)

    async def close(self) -> None:
        await self._http.close()
