"""Chance that follows from the question, so that a seeded session repeats exactly."""

import random

from casino_contracts import ActionRequest


def dice_for(request: ActionRequest) -> random.Random:
    """Return dice that fall the same whenever the same player is asked the same question."""
    question = request.request_id or request.model_dump_json(exclude={"deadline_ms"})
    # The table is part of it: whoever asks in the name of another table sees other dice.
    seed = f"{request.table_id} {request.player_id} {question}"
    return random.Random(seed)  # noqa: S311  a game, not a secret
