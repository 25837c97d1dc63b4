"""Games with one fault each, and what is said of it."""

import random
import sys
import time
from typing import Any

from games.hosting.pile_game import Json, PileGame


class NoWinner(PileGame):
    """A method is missing."""

    get_winner = None  # type: ignore[assignment]


class EmptyOffers(PileGame):
    """Nothing is offered."""

    def get_available_actions(self) -> list[Json]:
        """Return nothing."""
        return []


class NamelessOffers(PileGame):
    """An action has no type."""

    def get_available_actions(self) -> list[Json]:
        """Return an action without a type."""
        return [{"take": 1}]


class SetState(PileGame):
    """A state that is no JSON."""

    def get_public_state(self) -> Json:
        """Return a set."""
        return {"players": [{"cards": {1, 2}}]}


class EndlessState(PileGame):
    """A state that contains itself."""

    def get_public_state(self) -> Json:
        """Return a cycle."""
        state: Json = {}
        state["state"] = state
        return state


class HugeState(PileGame):
    """A state of a megabyte."""

    def get_private_state(self, player_id: str) -> Json:
        """Return too much."""
        return {player_id: "x" * 1_000_000}


class NobodysTurn(PileGame):
    """An unknown player."""

    def get_current_player(self) -> str:
        """Return nobody who plays."""
        return "the bank"


class BareStep(PileGame):
    """Half of the result."""

    def step(self, action: Json) -> Any:
        """Return only whether it is over."""
        return super().step(action)[1]


class RaisingStep(PileGame):
    """An error that is no ValueError."""

    def step(self, action: Json) -> tuple[Json, bool]:  # noqa: ARG002
        """Raise an error with a secret in its text."""
        raise KeyError("the ace of spades")


class RefusingStep(PileGame):
    """What it offers, it refuses."""

    def step(self, action: Json) -> tuple[Json, bool]:  # noqa: ARG002
        """Refuse."""
        raise ValueError("illegal action")


class ExitingStep(PileGame):
    """It ends the process."""

    def step(self, action: Json) -> tuple[Json, bool]:  # noqa: ARG002
        """Exit."""
        sys.exit(1)


class UnsureEnd(PileGame):
    """Not a bool."""

    def is_over(self) -> Any:
        """Return a number."""
        return 0 if self.left else 1


class TextScores(PileGame):
    """Scores that are no numbers."""

    def get_scores(self) -> Json:
        """Return texts."""
        return dict.fromkeys(self.players, "many")


class MissingScores(PileGame):
    """Only one player's score."""

    def get_scores(self) -> Json:
        """Return one."""
        return {self.players[0]: 1}


class UnknownWinner(PileGame):
    """Somebody else wins."""

    def get_winner(self) -> str | None:
        """Return a third party."""
        return "the bank"


class GlobalChance(PileGame):
    """Its chance is not the seed's."""

    def reset(self, seed: Any) -> None:  # noqa: ARG002
        """Deal from the clock."""
        super().reset(time.perf_counter_ns())
        self.left = random.Random(time.perf_counter_ns()).randrange(10, 10_000)


class OtherName(PileGame):
    """Another type than it is registered by."""

    @property
    def game_type(self) -> str:  # type: ignore[override]
        """Return the name of another game."""
        return "chess"


class EndlessLoop(PileGame):
    """It never returns."""

    def step(self, action: Json) -> tuple[Json, bool]:  # noqa: ARG002
        """Wait for nothing; a loop without a pause is in `tests/table/test_time_limit.py`."""
        while True:
            time.sleep(0.01)


FAULTS: list[tuple[type[PileGame], str]] = [
    (NoWinner, "get_winner: NoWinner must have get_winner"),
    (EmptyOffers, "get_available_actions: must not be empty until is_over"),
    (NamelessOffers, "get_available_actions: each action needs an action_type"),
    (SetState, "get_public_state: must return JSON: a set is no JSON, at players.0.cards"),
    (EndlessState, "get_public_state: must return JSON: nested deeper than 32 levels, at state"),
    (HugeState, "get_private_state: must return JSON: more than 65536 characters"),
    (NobodysTurn, "get_current_player: must return a player's id"),
    (BareStep, "step: must return an object and whether the game is over"),
    (RaisingStep, "step: raises KeyError: 'the ace of spades'"),
    (RefusingStep, "step: raises ValueError: illegal action"),
    (ExitingStep, "step: raises SystemExit: 1"),
    (UnsureEnd, "is_over: must return True or False"),
    (TextScores, "get_scores: must return a number for each player"),
    (MissingScores, "get_scores: must return a number for each player"),
    (UnknownWinner, "get_winner: must return a player's id or None"),
    (GlobalChance, "reset: the same seed gives another game"),
    (OtherName, "game_type: is 'chess', but registered as"),
]
