"""Puts the parts of previews together."""

from typing import NamedTuple

from casino_lobby.access.operator import Operator
from casino_lobby.access.request_budget import RequestBudget
from casino_lobby.preview.drawn_cards import DrawnCards
from casino_lobby.preview.previewer import Previewer
from casino_lobby.preview.previews import Previews
from casino_lobby.service.hands import Hands
from casino_lobby.service.use_cases import UseCases
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store


class PreviewParts(NamedTuple):
    """What cards and pages need; without a `previewer` pages have no previews."""

    previews: Previews
    cards: DrawnCards
    previewer: Previewer | None

    @classmethod
    def of(
        cls,
        settings: LobbySettings,
        lobby: UseCases,
        store: Store,
        operator: Operator,
        budget: RequestBudget,
    ) -> "PreviewParts":
        """Return the parts; where only the operator reads, pages have no previews."""
        previews, cards = Previews(lobby, Hands(store), store), DrawnCards(settings.name)
        previewer = Previewer(
            previews, cards, budget, casino=settings.name, public_url=settings.public_url
        )
        return cls(previews, cards, None if operator.guards_reading else previewer)
