"""What is published, and how stores keep it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

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
    """Names by which it can be found."""
    hands: str = "[]"
    """What the notable hands of a match were parsed to, as JSON."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A publication of a list; later ones have greater positions."""

    position: int
    publication_id: str
    summary: str


class Publications(Protocol):
    """Keeps publications; those of a kind have different ids."""

    async def put(self, publication: Publication, over: str | None = None) -> str | None:
        """Keep a publication; return the digest of another one that stands in its way.

        It replaces one with its own digest, with the digest `over`, or any if that is `ANY_DIGEST`.
        Raises TooManyPublications, StoreFailed.
        """
        ...

    async def get(self, kind: PublicationKind, publication_id: str) -> Publication | None:
        """Return a publication; raises StoreFailed."""
        ...

    async def delete(self, kind: PublicationKind, publication_id: str) -> bool:
        """Delete a publication; return whether there was one. Raises StoreFailed."""
        ...

    async def page(
        self, kind: PublicationKind, before: int | None, limit: int, players: Sequence[str] = ()
    ) -> list[Listed]:
        """Return at most `limit` of the positions below `before`, the last published first.

        Only those that have all of these players. Raises StoreFailed.
        """
        ...
