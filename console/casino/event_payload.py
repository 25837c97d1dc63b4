"""Parse an event's payload by its type, for Hold'em and other games."""

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

_OTHER_GAMES: dict[EventType, type[WireModel]] = {
    "hand_started": GameStartedPayload,
    "action_taken": GameActedPayload,
    "hand_completed": GameCompletedPayload,
}


def payload_of(event: TableEvent) -> WireModel | None:
    """Return the parsed payload, or None if its type or shape is unknown."""
    for models in (PAYLOADS, _OTHER_GAMES):
        model = models.get(event.event_type)
        try:
            if model is not None:
                return model.model_validate(event.payload or {})
        except ValidationError:
            continue
    return None
