"""The players of a plan that play in this process: styles of the sample players, and functions."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from casino_play.hand_questions import HandQuestions
from casino_player_example.style_catalogue import STYLES, decide_of

from casino_match.domain.plan import Plan
from casino_match.domain.plan_file import STYLE
from casino_match.errors import PlayerFailed
from casino_match.players.answer_check import choice, legal_choice
from casino_match.players.function_player import FunctionPlayer
from casino_match.players.match_player import NOWHERE, Decided, HandPlace, Player

_MS: Final = 1000

Now = Callable[[], float]


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

    def begin_block(self, seatings: int) -> None:
        """Do nothing: a style remembers nothing."""

    def begin_hand(self, place: HandPlace) -> None:
        self.place = place

    def end_block(self) -> None:
        """Do nothing."""

    def decide(self, question: HandQuestions) -> Decided:
        asked_at = self._now()
        response = self._decide(question.request(1, self._clock_ms))
        hand = question.hand
        chosen = legal_choice(response.action, response.amount, hand) or choice(response, hand)
        return Decided(*chosen, latency_ms=round((self._now() - asked_at) * _MS))


def local_players(
    plan: Plan, folder: Path = Path(), now: Now = time.monotonic
) -> tuple[Player, ...]:
    """Return the players of a plan without agents; raises PlayerFailed. Files are in `folder`."""
    return tuple(local_player(plan, index, folder, now) for index in range(len(plan.players)))


def local_player(
    plan: Plan, index: int, folder: Path = Path(), now: Now = time.monotonic
) -> Player:
    """Return one player of a plan, which plays in this process; raises PlayerFailed."""
    entrant, clock = plan.players[index], plan.rules.clock
    if entrant.player.startswith(STYLE):
        style = entrant.player.removeprefix(STYLE)
        return StylePlayer(entrant.name, style, round(clock.total_seconds() * 1000), now)
    faults = plan.faults
    return FunctionPlayer(
        entrant,
        clock,
        stops=faults.wrong_answer == "stop",
        patience=faults.patience if faults.no_answer == "pause" else None,
        folder=folder,
        now=now,
    )
