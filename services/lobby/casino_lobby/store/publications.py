"""Published matches and leagues, and how a store keeps them: here in memory."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Final, Literal

from typing_extensions import override

from casino_lobby.errors import TooManyPublications

PublicationKind = Literal["match", "league"]
ANY_DIGEST = "*"
"""Replaces a publication whatever its digest is."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A result as it is kept: its content and the summary for lists, both as JSON."""

    kind: PublicationKind
    publication_id: str
    digest: str
    summary: str
    content: str
    players: tuple[str, ...] = ()
    hands: str = "[]"
    """What the notable hands of a match were parsed to, as JSON."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A publication of a list; later ones have greater positions."""

    position: int
    publication_id: str
    summary: str


class Publications(ABC):
    """Keeps publications; those of a kind have different ids."""

    @abstractmethod
    async def put(self, publication: Publication, over: str | None = None) -> str | None:
        """Keep a publication; return the digest of another one that stands in its way.

        It replaces one with its own digest, with the digest `over`, or any if that is `ANY_DIGEST`.
        Raises TooManyPublications, StoreFailed.
        """

    @abstractmethod
    async def get(self, kind: PublicationKind, publication_id: str) -> Publication | None:
        """Return a publication; raises StoreFailed."""

    @abstractmethod
    async def delete(self, kind: PublicationKind, publication_id: str) -> bool:
        """Delete a publication; return whether there was one. Raises StoreFailed."""

    @abstractmethod
    async def page(
        self, kind: PublicationKind, before: int | None, limit: int, players: Sequence[str] = ()
    ) -> list[Listed]:
        """Return at most `limit` of the positions below `before`, the last published first.

        Only those that have all of these players. Raises StoreFailed.
        """


MOST: Final = 500
"""Maximum number of a kind; each has up to a megabyte."""


class MemoryPublications(Publications):
    """At most `most` publications of each kind."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._positions = count(1)
        self._kept: dict[tuple[PublicationKind, str], tuple[int, Publication]] = {}

    @override
    async def put(self, publication: Publication, over: str | None = None) -> str | None:
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

    @override
    async def get(self, kind: PublicationKind, publication_id: str) -> Publication | None:
        return self._kept.get((kind, publication_id), (0, None))[1]

    @override
    async def delete(self, kind: PublicationKind, publication_id: str) -> bool:
        return self._kept.pop((kind, publication_id), None) is not None

    @override
    async def page(
        self, kind: PublicationKind, before: int | None, limit: int, players: Sequence[str] = ()
    ) -> list[Listed]:
        entries = (
            Listed(position, publication.publication_id, publication.summary)
            for position, publication in reversed(self._kept.values())
            if publication.kind == kind
            and (before is None or position < before)
            and set(players) <= set(publication.players)
        )
        return list(islice(entries, limit))
