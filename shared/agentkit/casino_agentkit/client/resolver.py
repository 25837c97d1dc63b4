"""Names to addresses, under a policy: what is checked is what is connected."""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult

from casino_agentkit.client.addresses import AddressClass, class_of
from casino_agentkit.client.origin import Origin
from casino_agentkit.client.outgoing import Policy

Lookup = Callable[[str], Awaitable[list[str]]]
"""Returns the IP addresses of a name; raises OSError."""

_NAMES_KEPT = 4_096
_THREADS = 8


class NotAdmitted(OSError):
    """A name has no address that may be called."""


class SystemLookup:
    """The system's resolver, in threads of its own: names that hang hold up nothing else."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def __call__(self, host: str) -> list[str]:
        """Return the IP addresses of a name; raises OSError."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="lookup")
        return await asyncio.get_running_loop().run_in_executor(self._threads, _looked_up, host)

    def close(self) -> None:
        """Wait for nothing that is under way."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)


def _looked_up(host: str) -> list[str]:
    found = socket.getaddrinfo(
        host, None, type=socket.SOCK_STREAM, flags=socket.AddressInfo.AI_ADDRCONFIG
    )
    return list(OrderedDict.fromkeys(str(one[4][0]) for one in found))


class PolicyResolver(AbstractResolver):
    """Gives a connector those addresses of a name that may be called.

    It remembers the class of each name, so that a name cannot lead further inside later.
    """

    def __init__(self, policy: Policy, lookup: Lookup) -> None:
        self._policy = policy
        self._lookup = lookup
        self._known: OrderedDict[str, AddressClass] = OrderedDict()

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002  both are taken
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
            for address in await self._admitted(host)
        ]

    async def class_of(self, origin: Origin) -> AddressClass | None:
        """Return the class of an origin's host; None where it has no address that may be called."""
        if origin.is_address:
            return class_of(origin.host)
        try:
            return class_of((await self._admitted(origin.host))[0])
        except OSError:
            return None

    async def close(self) -> None:
        """There is nothing to close."""

    async def _admitted(self, host: str) -> list[str]:
        addresses = await self._lookup(host)
        admitted = self._policy.admitted(addresses, self._known.get(host))
        if not admitted:
            kinds = {class_of(address) or "reserved" for address in addresses}
            told = ", ".join(sorted(kinds)) or "no"
            raise NotAdmitted(f"{host} has {told} addresses, which are not called from here")
        if (kind := class_of(admitted[0])) is not None:
            self._known[host] = kind
            self._known.move_to_end(host)
            if len(self._known) > _NAMES_KEPT:
                self._known.popitem(last=False)
        return admitted
