"""Style `caller`: always calls; the simplest player."""

from casino_contracts import ActionResponse
from casino_contracts.hot.action_request import AnyActionRequest


def decide(request: AnyActionRequest) -> ActionResponse:
    """Check if possible, otherwise call."""
    return ActionResponse(action="check" if "check" in request.legal_actions else "call")
