"""Ownership of display names: the first signed player that requests a name owns it. Pure.

A player is signed if its agent card is; the thumbprint of the card's key identifies it at any
address. Any other player that requests the name is shown with a number appended, as is the second
player of the same name in a room. So no player is refused, and none can impersonate another.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Protocol

from casino_contracts import distinct_name, name_key

_MAX_OWNED: Final = 100_000
"""Names beyond this number get no owner, which bounds the memory."""


class Granted(NamedTuple):
    """The display name that a player gets."""

    name: str
    claim: str | None = None
    """The `name_key` that the player's signer owns from now on; the caller stores it."""


class NameBook(Protocol):
    """Decides the display name of a player."""

    def learn(self, owners: Mapping[str, str]) -> None:
        """Load stored owners: thumbprints by `name_key`."""
        ...

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:
        """Return the name for a player that requests `name`."""
        ...


class Names:
    """Owners of display names by `name_key`, which names of the same look share."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}

    def learn(self, owners: Mapping[str, str]) -> None:
        """Load stored owners: thumbprints by `name_key`."""
        self._owners.update(owners)

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:
        """Return a player's display name: the requested one, or that with a number appended.

        `signer` is the thumbprint of its card's key, None for an unsigned card. `taken` are the
        names of the other players in its room. A name without an owner becomes the signer's.
        """
        refused = list(taken)
        granted = distinct_name(name, refused)
        while self._owners.get(name_key(granted), signer) != signer:
            refused.append(granted)
            granted = distinct_name(name, refused)
        key = name_key(granted)
        if signer is None or granted != name or key in self._owners:
            return Granted(granted)
        if len(self._owners) >= _MAX_OWNED:
            return Granted(granted)
        self._owners[key] = signer
        return Granted(granted, key)

    def owner_of(self, name: str) -> str | None:
        """Return the thumbprint of the key that owns a name; None if it has no owner."""
        return self._owners.get(name_key(name))
