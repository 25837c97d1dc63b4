"""Whose a display name is: the first signed player that asks for it owns it in this lobby. Pure.

A player is signed when its agent card is: the card's key is known again, wherever the agent lives.
Everybody else who asks for the name is shown under it with a number behind, as a second player of
one name in a room is. So nobody has to be turned away, and nobody passes for another.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

from casino_contracts import distinct_name, name_key

_MOST_OWNED: Final = 100_000
"""Names beyond this many are nobody's: the memory is not for whoever signs most."""


class NameBook(Protocol):
    """Decides under which name a player is shown."""

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> str:
        """Return the name for a player that asks for `name`."""
        ...


class Names:
    """The names that have an owner, by what names that look the same have in common.

    `owners` are those of earlier processes, the thumbprint of a card's key by `name_key`.
    """

    def __init__(self, owners: Mapping[str, str] = MappingProxyType({})) -> None:
        self._owners = dict(owners)

    @property
    def owners(self) -> Mapping[str, str]:
        """What is to be kept for the next process."""
        return MappingProxyType(self._owners)

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> str:
        """Return the name under which a player is shown: the one it asks for, or that numbered.

        `signer` is the thumbprint of its card's key, None for an unsigned card. `taken` are the
        names of the others in its room. A name that nobody owns becomes the signer's.
        """
        refused = list(taken)
        granted = distinct_name(name, refused)
        while self._owners.get(name_key(granted), signer) != signer:
            refused.append(granted)
            granted = distinct_name(name, refused)
        if signer is not None and granted == name and len(self._owners) < _MOST_OWNED:
            self._owners[name_key(name)] = signer
        return granted

    def owner_of(self, name: str) -> str | None:
        """Return the thumbprint of the key that owns a name; None: nobody does."""
        return self._owners.get(name_key(name))
