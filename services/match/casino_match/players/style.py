"""A style of the sample players, called in this process."""

from collections.abc import Callable
from typing import Final

from casino_play.holdem_fields import HoldemFields
from casino_player_example.styles.catalogue import STYLES, decide_of

from casino_match.errors import PlayerFailed
from casino_match.players.judgement import choice, legal_choice
from casino_match.players.player import NOWHERE, Decided, Place
from casino_match.players.style_requests import StyleRequests

SCHEME: Final = "style:"
_MS: Final = 1000


class StylePlayer:
    """A style: its decisions follow from the question alone."""

    runs_code: Final = False
    busy_since: Final = None

    def __init__(self, name: str, style: str, clock_ms: int, now: Callable[[], float]) -> None:
        """Load the style; raises PlayerFailed if there is none of this name."""
        if style not in STYLES:
            raise PlayerFailed(f"{name}: there is no style {style}; there are {', '.join(STYLES)}")
        self.name = name
        self._decide = decide_of(style)
        self._clock_ms = clock_ms
        self.place = NOWHERE
        self._now = now
        self._requests: StyleRequests | None = None

    def begin_block(self, seatings: int) -> None:
        """Do nothing: a style remembers nothing."""

    def begin_hand(self, place: Place) -> None:
        """Forget the requests of the hand before."""
        self.place = place
        self._requests = None

    def end_block(self) -> None:
        """Do nothing."""

    def decide(self, question: HoldemFields) -> Decided:
        """Return the decision of the style."""
        asked_at = self._now()
        if self._requests is None:
            self._requests = StyleRequests(question, self._clock_ms)
        response = self._decide(self._requests.request())
        hand = question.hand
        chosen = legal_choice(response.action, response.amount, hand) or choice(response, hand)
        return Decided(*chosen, latency_ms=round((self._now() - asked_at) * _MS))
