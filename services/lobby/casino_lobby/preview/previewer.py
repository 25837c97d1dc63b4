"""Makes the preview of a link to the page."""

from dataclasses import dataclass

from casino_agentkit import CommandRefused
from casino_contracts import Reason

from casino_lobby.access.request_budget import READ, RequestBudget
from casino_lobby.errors import StoreFailed
from casino_lobby.preview.drawn_cards import DrawnCards
from casino_lobby.preview.front_page import Preview
from casino_lobby.preview.page_link import PageLink
from casino_lobby.preview.previews import Previews
from casino_lobby.preview.texts import (
    hand_description,
    hand_title,
    room_description,
    room_title,
)

_MISSING = frozenset({Reason.ROOM_NOT_FOUND, Reason.HAND_NOT_FOUND})


@dataclass(frozen=True)
class Missing:
    """There is no such room or hand."""


class Previewer:
    """Previews for everybody; the budget of an address pays for reading them."""

    def __init__(
        self,
        previews: Previews,
        cards: DrawnCards,
        budget: RequestBudget,
        *,
        casino: str,
        public_url: str | None,
    ) -> None:
        self._previews = previews
        self._cards = cards
        self._budget = budget
        self._casino = casino
        self._public_url = public_url

    async def preview(
        self, link: PageLink, base_url: str, address: str
    ) -> Preview | Missing | None:
        """Return the preview for a caller at an address; None while it cannot be made.

        `base_url` is where the caller found the lobby, unless a public URL is configured.
        """
        base = (self._public_url or base_url).rstrip("/")
        try:
            self._budget.take(address, READ)
            if link.hand is None:
                return await self._of_room(link, base)
            return await self._of_hand(link, link.hand, base)
        except CommandRefused as refused:
            return Missing() if refused.reason in _MISSING else None
        except StoreFailed:
            return None

    async def _of_room(self, link: PageLink, base: str) -> Preview:
        facts = await self._previews.room(link.room)
        return Preview(
            room_title(facts),
            room_description(facts, self._casino),
            base + link.path,
            f"{base}{link.path}/card.png?v={self._cards.version(facts)}",
        )

    async def _of_hand(self, link: PageLink, hand: int, base: str) -> Preview:
        facts = await self._previews.hand(link.room, hand, link.epoch)
        version = self._cards.version(facts)
        return Preview(
            hand_title(facts),
            hand_description(facts, self._casino),
            base + link.path + link.query,
            f"{base}{link.path}/card.png?epoch={facts.epoch}&v={version}",
        )
