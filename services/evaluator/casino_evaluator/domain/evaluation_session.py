"""A session as it is played level by level: its commands, its moments, and what RESET does to it.

| before | `acted` | RESET | score |
| --- | --- | --- | --- |
| at least one ACTION since the level began | yes | the level again, with the same deals | stays |
| level just begun, reached or reset | no | the whole game | 0 |
| GAME_OVER | yes | the level again | stays |
| WIN | no | the whole game | 0 |

In competition mode the whole game is never reset: the level is.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Self

Json = dict[str, Any]
State = Literal["NOT_FINISHED", "WIN", "GAME_OVER"]
RESET: Final = 0
CLICK: Final = 6
"""ACTION6 names a point of the frame."""
WAIT: Final = 7
"""Available while the opponent thinks: it waits for the next decision. No game has an action 7."""


@dataclass(frozen=True, slots=True)
class EvaluationSession:
    """A session between two commands."""

    guid: str
    key: str
    """The id of the API key that owns it; never the key itself."""
    card_id: str
    game_id: str
    run: int = 1
    """From 1; a reset of the whole game begins the next run."""
    level: int = 1
    """From 1; the last one played, once the session is over."""
    score: int = 0
    """Completed levels of this run."""
    state: State = "NOT_FINISHED"
    acted: bool = False
    """Whether an ACTION was taken since the level began, was reached or was reset."""
    waiting: bool = False
    """Whether the client was answered while somebody else decides: it has not seen its decision."""
    actions: tuple[Json, ...] = field(default=(), repr=False)
    """The actions of the level so far, by which it can be played again."""
    commands: int = 0

    @property
    def is_over(self) -> bool:
        """Whether it needs a RESET."""
        return self.state != "NOT_FINISHED"

    def resets_game(self, *, competition: bool = False) -> bool:
        return not self.acted and not competition

    def reset(self, *, competition: bool = False) -> Self:
        """Return the session at the first moment of its level, or of level 1.

        In competition mode a session that is won is not reset.
        """
        begun = replace(self, state="NOT_FINISHED", acted=False, waiting=False, actions=())
        if not self.resets_game(competition=competition):
            return begun
        return replace(begun, run=self.run + 1, level=1, score=0)

    def act(self, action: Json | None) -> Self:
        """Return the session after an ACTION; None: it was not available and changes nothing."""
        actions = self.actions if action is None else (*self.actions, action)
        return replace(self, acted=True, actions=actions)

    def level_over(self, *, is_completed: bool, levels: int) -> Self:
        """Return the session after the end of its level; `levels`: how many the game has."""
        if not is_completed:
            return replace(self, state="GAME_OVER", waiting=False)
        score = self.score + 1
        if score == levels:
            return replace(self, state="WIN", score=score, acted=False, waiting=False)
        return replace(
            self, score=score, level=self.level + 1, acted=False, waiting=False, actions=()
        )


@dataclass(frozen=True, slots=True)
class SessionCommand:
    """RESET (0) or ACTION1 to ACTION7."""

    number: int
    x: int | None = None
    """Column of a click, 0 to 63."""
    y: int | None = None
    """Row of a click, 0 to 63."""
    reasoning: Any = None
    """Any JSON up to 16 KiB, echoed."""

    @property
    def name(self) -> str:
        return f"ACTION{self.number}" if self.number else "RESET"

    def as_input(self, game_id: str) -> Json:
        data: Json = {} if self.number == RESET else {"game_id": game_id}
        if self.number == CLICK:
            data |= {"x": self.x, "y": self.y}
        return {"id": self.number, "data": data, "reasoning": self.reasoning}


@dataclass(frozen=True, slots=True)
class LevelStanding:
    """How far a level is played, in chips."""

    level: int
    """From 1."""
    hands: int
    hands_played: int
    target: int
    stack: int
    """The candidate's chips after the newest completed hand."""
    opponent_stack: int


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment. Nothing in it says what the opponent hides."""

    game_type: str
    hand_number: int
    player_id: str
    """The candidate's id in `state` and `result`."""
    opponent_id: str
    state: Json = field(repr=False)
    """`public` and `private` of the candidate, as in the State Schema of the game."""
    standing: LevelStanding
    offers: tuple[Json, ...] = ()
    """The candidate's legal actions; empty while somebody else decides."""
    result: Json | None = None
    """At the end of a hand: as in the Result Schema of the game."""
