"""Owners of display names as a store keeps them: thumbprints of card keys by `name_key`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from typing_extensions import override


class NameOwners(ABC):
    """Stored owners of display names; they never change."""

    @abstractmethod
    async def all(self) -> Mapping[str, str]:
        """Return the owners of display names: thumbprints of card keys by `name_key`."""

    @abstractmethod
    async def own(self, name_key: str, signer: str) -> None:
        """Store the owner of a name; raises StoreFailed."""


class NoNameOwners(NameOwners):
    """Stores nothing: the domain holds the owners of this process."""

    @override
    async def all(self) -> Mapping[str, str]:
        return {}

    @override
    async def own(self, name_key: str, signer: str) -> None:
        pass
