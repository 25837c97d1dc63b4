"""Address policies and name look-ups for attacks on outgoing calls."""

from collections.abc import Sequence

from casino_agentkit import (
    AgentError,
    HttpTransport,
)
from casino_agentkit.client.addresses import AddressClass
from casino_agentkit.client.origin import Origin
from casino_agentkit.client.resolver import Lookup

from support.attack.raw_servers import SECRET


class AnyAddress:
    """A policy without restrictions."""

    def objection(self, _origin: Origin) -> None:
        """Object to nothing."""

    def admitted(self, addresses: Sequence[str], _before: AddressClass | None) -> list[str]:
        """Admit all."""
        return list(addresses)

    def links(self, _source: AddressClass | None, _target: AddressClass | None) -> bool:
        """Allow every link."""
        return True


async def reads(transport: HttpTransport, url: str) -> bool:
    """Tell whether the internal service's page can be read at an address."""
    try:
        return (await transport.send("GET", url, {}, b"", 5)).body == SECRET
    except AgentError:
        return False
    finally:
        await transport.close()


def lookup_of(answers: dict[str, list[list[str]]]) -> Lookup:
    """Return a look-up that gives each name's answers in turn, the last one repeatedly."""

    async def lookup(host: str) -> list[str]:
        known = answers[host]
        return known.pop(0) if len(known) > 1 else known[0]

    return lookup
