"""Whose a display name is: the first signed player that asks for it owns it in this lobby. Pure.

A player is signed when its agent card is: the card's key is known again, wherever the agent lives.
Everybody else who asks for the name is shown under it with a number behind, as a second player of
one name in a room is. So nobody has to be turned away, and nobody passes for another.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Protocol

from casino_contracts import distinct_name, name_key

_MOST_OWNED: Final = 100_000
"""Names beyond this many are nobody's: the memory is not for whoever signs most."""


class Granted(NamedTuple):
    """The name under which a player is shown."""

    name: str
    claim: str | None = None
    """The `name_key` of a name that the player's signer owns from now on, to be kept."""


class NameBook(Protocol):
    """Decides under which name a player is shown."""

    def learn(self, owners: Mapping[str, str]) -> None:
        """Take over what was kept of earlier processes: thumbprints by `name_key`."""
        ...

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:
        """Return the name for a player that asks for `name`."""
        ...


class Names:
    """The names that have an owner, by what names that look the same have in common."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}

    def learn(self, owners: Mapping[str, str]) -> None:
        """Take over what was kept of earlier processes: thumbprints by `name_key`."""
        self._owners.update(owners)

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:
        """Return the name under which a player is shown: the one it asks for, or that numbered.

        `signer` is the thumbprint of its card's key, None for an unsigned card. `taken` are the
        names of the others in its room. A name that nobody owns becomes the signer's.
        """
        refused = list(taken)
        granted = distinct_name(name, refused)
        while self._owners.get(name_key(granted), signer) != signer:
            refused.append(granted)
            granted = distinct_name(name, refused)
        key = name_key(granted)
        if signer is None or granted != name or key in self._owners:
            return Granted(granted)
        if len(self._owners) >= _MOST_OWNED:
            return Granted(granted)
        self._owners[key] = signer
        return Granted(granted, key)

    def owner_of(self, name: str) -> str | None:
        """Return the thumbprint of the key that owns a name; None: nobody does."""
        return self._owners.get(name_key(name))
