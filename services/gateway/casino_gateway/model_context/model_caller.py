"""Who calls a tool, by the headers of its host, and how often."""

from dataclasses import dataclass
from typing import Final

from casino_agentkit.bounded_state import RateLimit
from casino_seats.seat_agent import digest_of
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from casino_gateway.domain.updates import MODEL_OWNER

_HIDE_NAMES: Final = "casino-names"
"""The header that, with the value `hidden`, leaves out names and table talk of others."""
_SHORTEST_KEY, _LONGEST_KEY = 16, 512


@dataclass(frozen=True)
class ModelLimits:
    """How often a client may call."""

    of_seat: RateLimit
    of_network: RateLimit


def count(limit: RateLimit, sender: str, weight: float = 1.0) -> None:
    """Count a call; raises ToolError beyond the limit."""
    if not limit.take(sender, weight):
        wait_s = limit.wait_s(sender, weight)
        raise ToolError(f"RATE_LIMITED: too many calls; try again in {wait_s:.0f} s.")


def hides_names(context: Context) -> bool:
    """Return whether the model is told no name and no word of another player."""
    return (context.headers or {}).get(_HIDE_NAMES, "").lower() == "hidden"


def owner_of(context: Context) -> str | None:
    """Return who calls, by the host's own key; None without one. Raises ToolError for a bad one."""
    scheme, _, key = (context.headers or {}).get("authorization", "").partition(" ")
    key = key.strip()
    if not scheme:
        return None
    if scheme.lower() != "bearer" or not _SHORTEST_KEY <= len(key) <= _LONGEST_KEY:
        raise ToolError(
            f"INVALID_KEY: the header Authorization must be `Bearer KEY`, with any random key of"
            f" {_SHORTEST_KEY} to {_LONGEST_KEY} characters, or be left out."
        )
    return f"{MODEL_OWNER}{digest_of(key).hex()}"
