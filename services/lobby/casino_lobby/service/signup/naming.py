"""Grants display names, and stores who owns them; in a group the stored owner decides."""

from collections.abc import Iterable, Mapping

from casino_lobby.domain.display_names import Granted, NameBook
from casino_lobby.errors import StoreFailed
from casino_lobby.store import Store


class NameDesk:
    """Grants names by `names`, whose owners are in `store`, where other lobbies add theirs."""

    def __init__(self, names: NameBook, store: Store) -> None:
        self._names = names
        self._store = store

    def learn(self, owners: Mapping[str, str]) -> None:
        """Note stored owners: thumbprints by `name_key`."""
        self._names.learn(owners)

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:
        """Return the name for a player that requests `name`."""
        return self._names.grant(name, signer, taken)

    async def keep(self, granted: Granted, signer: str | None) -> bool:
        """Store a signer that owns a name from now on.

        Returns False if a player of another lobby was quicker: the name has another owner. Raises
        StoreFailed.
        """
        if signer is None or granted.claim is None:
            return True
        try:
            await self._store.own_name(granted.claim, signer)
        except StoreFailed:
            owners = await self._store.name_owners()
            if owners.get(granted.claim, signer) == signer:
                raise
            self._names.learn(owners)
            return False
        return True
