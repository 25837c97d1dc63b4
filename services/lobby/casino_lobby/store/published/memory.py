"""Publications in memory; they end with the process."""

from collections.abc import Sequence
from itertools import count, islice
from typing import Final

from casino_lobby.errors import TooManyPublications
from casino_lobby.store.published.publication import (
    ANY_DIGEST,
    Listed,
    Publication,
    PublicationKind,
)

MOST: Final = 500
"""Maximum number of a kind; each has up to a megabyte."""


class MemoryPublications:
    """At most `most` publications of each kind."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._positions = count(1)
        self._kept: dict[tuple[PublicationKind, str], tuple[int, Publication]] = {}

    async def put(self, publication: Publication, over: str | None = None) -> str | None:
        """Keep a publication; return the digest of another one that stands in its way."""
        key = (publication.kind, publication.publication_id)
        _, there = self._kept.get(key, (0, None))
        if there is None:
            if sum(kind == publication.kind for kind, _ in self._kept) >= self._most:
                raise TooManyPublications(self._most)
        elif there.digest != publication.digest:
            if over not in {ANY_DIGEST, there.digest}:
                return there.digest
        elif there.content == publication.content:
            return None
        self._kept.pop(key, None)
        self._kept[key] = (next(self._positions), publication)
        return None

    async def get(self, kind: PublicationKind, publication_id: str) -> Publication | None:
        """Return a publication."""
        return self._kept.get((kind, publication_id), (0, None))[1]

    async def delete(self, kind: PublicationKind, publication_id: str) -> bool:
        """Delete a publication; return whether there was one."""
        return self._kept.pop((kind, publication_id), None) is not None

    async def page(
        self, kind: PublicationKind, before: int | None, limit: int, players: Sequence[str] = ()
    ) -> list[Listed]:
        """Return at most `limit` of the positions below `before`, the last published first."""
        entries = (
            Listed(position, publication.publication_id, publication.summary)
            for position, publication in reversed(self._kept.values())
            if publication.kind == kind
            and (before is None or position < before)
            and set(players) <= set(publication.players)
        )
        return list(islice(entries, limit))
