"""An event's payload as its kind has it, in Hold'em or in any other game."""

from casino_contracts import (
    PAYLOADS,
    EventType,
    GameActedPayload,
    GameCompletedPayload,
    GameStartedPayload,
    TableEvent,
    WireModel,
)
from pydantic import ValidationError

_OF_OTHER_GAMES: dict[EventType, type[WireModel]] = {
    "hand_started": GameStartedPayload,
    "action_taken": GameActedPayload,
    "hand_completed": GameCompletedPayload,
}


def payload_of(event: TableEvent) -> WireModel | None:
    """Return the payload; None for a stranger's that has another shape."""
    for kinds in (PAYLOADS, _OF_OTHER_GAMES):
        kind = kinds.get(event.event_type)
        try:
            if kind is not None:
                return kind.model_validate(event.payload or {})
        except ValidationError:
            continue
    return None
