"""The bot as an A2A agent, served by this process on a port of its own."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from casino_agentkit import (
    AddressKeyRule,
    Agent,
    IdempotencyCache,
    PortTaken,
    Scheme,
    Service,
    new_key,
)
from casino_agentkit.server.limits import DEFAULT_LIMITS
from casino_agentkit.server.server import TlsServer, bind, server_config, url_of

from casino.errors import CallFailed
from casino.join.player import Player

_PLAYER = Scheme("playerKey", "the key in the address that the command printed")
_REPLIES = 256


@dataclass(frozen=True)
class Address:
    """Where the agent listens, and the URL at which lobby and tables reach it."""

    host: str = "127.0.0.1"
    port: int = 0
    url: str | None = None


class _Server(TlsServer):
    """A server that leaves the signals to the command.

    Its socket listens before it starts, so nobody waits for the start: the first calls queue.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def player_agent(player: Player, key: str) -> Agent:
    """Return the agent of a player, for callers with its key.

    A repeated question gets the same answer again.
    """
    agent = Agent(player.name, "A bot of `casino join`.", tags=("casino", "player"))
    rule = AddressKeyRule(_PLAYER, key)

    async def signup(invitation: dict[str, Any]) -> dict[str, Any]:
        """Accept the casino's invitation."""
        return player.signup(invitation)

    async def act(turn: dict[str, Any]) -> Any:
        """Decide one turn."""
        return await player.act(turn)

    memory = IdempotencyCache(ignoring=("deadlineMs",), size=_REPLIES)
    agent.entrypoint("signup", who=rule)(signup)
    agent.entrypoint("act", who=rule, memory=memory)(act)
    return agent


@asynccontextmanager
async def served(player: Player, address: Address) -> AsyncIterator[str]:
    """Serve the player within the block; gives the URL of its card, which has its key.

    Raises CallFailed.
    """
    try:
        listener = bind(address.host, address.port)
    except PortTaken as error:
        raise CallFailed(f"{error}; choose another --port, or none for a free one") from error
    url = (address.url or url_of(address.host, listener.getsockname()[1])).rstrip("/")
    key = new_key()
    service = Service({"": player_agent(player, key)}, public_url=url, capability=key)
    limits = DEFAULT_LIMITS
    config = server_config(service.asgi(), limits, service.registry)
    config.loop = "none"  # it runs in the loop of the command
    config.timeout_graceful_shutdown = 1
    server = _Server(config, None)
    async with service.running():
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            (card_url,) = service.card_urls(url, with_capability=True)
            yield card_url
        finally:
            server.should_exit = True
            await serving
