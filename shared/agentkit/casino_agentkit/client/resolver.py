"""DNS resolver that applies the address policy, so that checked addresses are connected."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult

from casino_agentkit.bounded_state import LruDict
from casino_agentkit.client.addresses import AddressClass, class_of
from casino_agentkit.client.origin import Origin
from casino_agentkit.client.outgoing import Policy
from casino_agentkit.errors import NoAllowedAddress

Lookup = Callable[[str], Awaitable[list[str]]]
"""Returns the IP addresses of a name; raises OSError."""

_MAX_NAMES = 4_096
_THREADS = 8


class SystemLookup:
    """The system's resolver, in separate threads, so that slow names block nothing else."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def __call__(self, host: str) -> list[str]:
        """Return the IP addresses of a name; raises OSError."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="lookup")
        return await asyncio.get_running_loop().run_in_executor(self._threads, _look_up, host)

    def close(self) -> None:
        """Cancel look-ups; does not wait for running ones."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str) -> list[str]:
    infos = socket.getaddrinfo(
        host, None, type=socket.SOCK_STREAM, flags=socket.AddressInfo.AI_ADDRCONFIG
    )
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


class PolicyResolver(AbstractResolver):
    """Resolves names to the addresses that the policy admits.

    Caches the class of each name, so that the name cannot resolve to a more local class later.
    """

    def __init__(self, policy: Policy, lookup: Lookup) -> None:
        self._policy = policy
        self._lookup = lookup
        self._classes = LruDict[str, AddressClass](_MAX_NAMES)

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002  both are resolved
    ) -> list[ResolveResult]:
        """Return the addresses that may be connected to; raises OSError."""
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AddressInfo.AI_NUMERICHOST | socket.AddressInfo.AI_NUMERICSERV,
            )
            for address in await self.admitted(host)
        ]

    async def class_of(self, origin: Origin) -> AddressClass | None:
        """Return the class of an origin's host, None if it has no address that may be called."""
        if origin.is_address:
            return class_of(origin.host)
        try:
            return class_of((await self.admitted(origin.host))[0])
        except OSError:
            return None

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    async def admitted(self, host: str) -> list[str]:
        """Return the addresses of a name that may be connected to; raises OSError."""
        addresses = await self._lookup(host)
        admitted = self._policy.admitted(addresses, self._classes.get(host))
        if not admitted:
            kinds = {class_of(address) or "reserved" for address in addresses}
            listed = ", ".join(sorted(kinds)) or "no"
            raise NoAllowedAddress(f"{host} has {listed} addresses, which are not called from here")
        if (kind := class_of(admitted[0])) is not None:
            self._classes.put(host, kind)
        return admitted
