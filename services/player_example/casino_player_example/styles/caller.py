"""Style `caller`: always calls; the simplest player."""

from casino_contracts import ActionRequest, ActionResponse


def decide(request: ActionRequest) -> ActionResponse:
    """Check if possible, otherwise call."""
    return ActionResponse(action="check" if "check" in request.legal_actions else "call")
