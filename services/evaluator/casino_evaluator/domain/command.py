"""A command of a client: RESET, or ACTION1 to ACTION7."""

from dataclasses import dataclass
from typing import Any, Final

Json = dict[str, Any]

RESET: Final = 0
CLICK: Final = 6
"""ACTION6 names a point of the frame."""
WAIT: Final = 7
"""Available while the opponent thinks: it waits for the next decision. No game has an action 7."""


@dataclass(frozen=True, slots=True)
class Command:
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
        """The name on the wire."""
        return f"ACTION{self.number}" if self.number else "RESET"

    def as_input(self, game_id: str) -> Json:
        """Return the field `action_input` of the answer."""
        data: Json = {} if self.number == RESET else {"game_id": game_id}
        if self.number == CLICK:
            data |= {"x": self.x, "y": self.y}
        return {"id": self.number, "data": data, "reasoning": self.reasoning}
