"""A player of a match, as the hand asks it: one question, one decision."""

from typing import Final, NamedTuple, Protocol

from casino_contracts import ActionKind, Defaulted, Outcome, Usage
from casino_play.hand_questions import HandQuestions


class HandPlace(NamedTuple):
    """Where in the match a hand is."""

    deck: int
    seating: int
    """The index of the seating, from 0."""

    def __str__(self) -> str:
        return f"deck {self.deck}, seating {self.seating}"


NOWHERE: Final = HandPlace(-1, -1)
"""Before the first hand."""


class Decided(NamedTuple):
    """The action that is taken for a player, and whether the player itself chose it."""

    kind: ActionKind
    amount: int = 0
    """The total of a bet or raise, in chips."""
    outcome: Outcome = "ok"
    latency_ms: int = 0
    reason: str | None = None
    """Why a function's answer was refused, or why it has none; None of other players."""
    defaulted: Defaulted | None = None
    """Why the player's program answered with a default."""
    usage: Usage | None = None
    """What the decision cost with all that was asked for it, as the player says."""


class Player(Protocol):
    """A player in this process."""

    @property
    def name(self) -> str: ...

    @property
    def runs_code(self) -> bool:
        """Whether it is a function of somebody: its random numbers are seeded, its time watched."""

    @property
    def busy_since(self) -> float | None:
        """When the question that it still thinks about was asked, by the monotonic clock."""

    @property
    def place(self) -> HandPlace:
        """The hand that began last."""

    def begin_block(self, seatings: int) -> None:
        """Forget everything: a block does not depend on the blocks before."""

    def begin_hand(self, place: HandPlace) -> None:
        """Note which hand begins."""

    def decide(self, question: HandQuestions) -> Decided:
        """Return the decision of the seat that the question is for."""

    def end_block(self) -> None:
        """Release what `begin_block` acquired."""


def default_of(question: HandQuestions) -> ActionKind:
    """Return the default action: check if that is legal, else fold."""
    return "fold" if question.hand.to_call else "check"
