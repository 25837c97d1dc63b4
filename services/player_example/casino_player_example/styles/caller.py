"""Calls everything: the simplest player there is."""

from casino_contracts import ActionRequest, ActionResponse


def decide(request: ActionRequest) -> ActionResponse:
    """Check where it is free, call where it is not."""
    return ActionResponse(action="check" if "check" in request.legal_actions else "call")
