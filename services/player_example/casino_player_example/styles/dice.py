"""Randomness derived from the request, so that a seeded session is reproducible."""

import random

from casino_contracts import ActionRequest


def dice_for(request: ActionRequest) -> random.Random:
    """Return a random generator seeded by table, player and request."""
    question = request.request_id
    if not question and isinstance(request, ActionRequest):
        question = request.model_dump_json(exclude={"deadline_ms"})
    # The table is part of the seed, so that other tables cannot reproduce the decisions.
    seed = f"{request.table_id} {request.player_id} {question}"
    return random.Random(seed)  # noqa: S311  a game, not a secret
