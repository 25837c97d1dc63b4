"""Policy of outgoing requests: the addresses and ports that this process may call.

Others choose the addresses that this process calls: in a card, in a redirect, when a player is
registered. So an address is called only if its port is not of another protocol, and if it belongs
to an allowed class of networks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Protocol

from pydantic import BeforeValidator

from casino_agentkit.client.addresses import (
    ADDRESS_CLASSES,
    AddressClass,
    class_of,
    is_further_inside,
)
from casino_agentkit.client.origin import Origin, is_local_name, origin_of

NOT_FOR_HTTP: Final = frozenset(
    {
        # The ports that browsers refuse (WHATWG Fetch, "bad ports") ...
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
        102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
        427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
        989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
        6666, 6667, 6668, 6669, 6679, 6697, 10080,
        # ... and the ports of file shares, databases and remote desktops.
        445, 1433, 1521, 3306, 3389, 5432, 5900, 6379, 11211, 27017,
    }
)  # fmt: skip


class Policy(Protocol):
    """Decides which addresses a transport may call."""

    def objection(self, origin: Origin) -> str | None:
        """Return why an origin may not be called, before its name is resolved; None if it may."""
        ...

    def admitted(self, addresses: Sequence[str], before: AddressClass | None) -> list[str]:
        """Return the addresses of a name that may be connected to.

        `before` is the class of the name's previous look-up, if any.
        """
        ...

    def links(self, source: AddressClass | None, target: AddressClass | None) -> bool:
        """Return whether content read from one address may refer to another to be called."""
        ...


@dataclass(frozen=True)
class OutgoingPolicy:
    """Allows addresses of certain classes, on ports that do not belong to another protocol.

    A name has the class of its most public address, and cannot become more local later (DNS
    rebinding).
    """

    classes: frozenset[AddressClass] = frozenset(ADDRESS_CLASSES)

    def objection(self, origin: Origin) -> str | None:
        """Return why an origin may not be called, before its name is resolved; None if it may."""
        if origin.port in NOT_FOR_HTTP:
            return f"port {origin.port} is not one of HTTP"
        if origin.is_address and not self.admitted([origin.host], None):
            return f"{class_of(origin.host) or 'such'} addresses are not called from here"
        return None

    def admitted(self, addresses: Sequence[str], before: AddressClass | None) -> list[str]:
        """Return the addresses of a name's most public class, [] if it may not be called."""
        classes = [class_of(address) for address in addresses]
        public_first = [kind for kind in ADDRESS_CLASSES if kind in classes]
        if not public_first or public_first[0] not in self.classes:
            return []
        most_public = public_first[0]
        if before is not None and is_further_inside(most_public, before):
            return []
        return [ip for ip, kind in zip(addresses, classes, strict=True) if kind == most_public]

    def links(self, source: AddressClass | None, target: AddressClass | None) -> bool:
        """Return whether content read from one address may refer to another to be called.

        Never to a more local one: a card on the internet must not refer to a private network.
        """
        if source is None or target is None or target not in self.classes:
            return False
        return not is_further_inside(target, source)

    def also(self, *classes: AddressClass) -> "OutgoingPolicy":
        """Return a policy that also allows these classes."""
        return OutgoingPolicy(self.classes | set(classes))


def _classes(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    classes = frozenset(part.strip() for part in value.split(",") if part.strip())
    if not classes or not classes <= set(ADDRESS_CLASSES):
        raise ValueError(f"must be some of {', '.join(ADDRESS_CLASSES)}, separated by commas")
    return classes


CallAddresses = Annotated[frozenset[AddressClass], BeforeValidator(_classes)]
"""Setting: the classes of addresses that may be called, such as `public,private`."""


def policy_of(
    setting: frozenset[AddressClass] | None,
    own: Iterable[str | None] = (),
    *,
    is_reachable: bool = False,
) -> OutgoingPolicy:
    """Return the policy of a process that other machines reach, or do not.

    Without a setting, a process that only this machine reaches allows every class, because nobody
    else can make it call. Any other process allows public and private addresses, and loopback only
    if one of its operator's `own` addresses (such as the lobby's) is on loopback.
    """
    if setting is not None:
        return OutgoingPolicy(setting)
    is_local = not is_reachable or any(_is_loopback(url) for url in own if url)
    return OutgoingPolicy(frozenset(ADDRESS_CLASSES if is_local else ADDRESS_CLASSES[:2]))


def _is_loopback(url: str) -> bool:
    try:
        host = origin_of(url).host
    except ValueError:
        return False
    return is_local_name(host) or class_of(host) == "loopback"
