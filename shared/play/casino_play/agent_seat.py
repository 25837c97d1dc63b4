"""What it takes to ask the agent in a seat: its card, skill and token, and its time. Pure."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class AgentSeat:
    """The agent that decides for a seat, at one decision."""

    card_url: str
    action_skill: str
    clock_ms: int
    """The time for a decision."""
    token: str | None = field(default=None, repr=False)
    """The token that authenticates the caller to the agent."""
    time_bank_ms: int | None = None
    """What is left of the time bank; None if there is none."""
