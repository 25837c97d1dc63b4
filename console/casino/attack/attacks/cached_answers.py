"""Find answers that come from a player's cache, by the time they take."""

import asyncio
import secrets
import time
from math import inf

from casino.attack.attacks.reply import Depth
from casino.attack.bindings import Json
from casino.attack.target import Agent, Target, Token

_CONCURRENCY = 8
_NEW_QUESTIONS = 16
"""Maximum number of new questions that are asked for comparison."""
_CACHED_RATIO = 0.5
"""An answer that takes less than this part of the shortest time of a new one counts as cached."""


async def cached_answers(
    target: Target, player: Agent, questions: list[Json], token: Token
) -> list[Json]:
    """Return the questions that the player answers from its cache.

    Questions with a new id, which no cache knows, are asked between them for comparison. Their
    shortest time is the time to think: what delays a call, as a busy machine does, only adds to it.
    A player that answers none of them has everything that it answers from its cache.
    """
    semaphore = asyncio.Semaphore(_CONCURRENCY)

    async def seconds(question: Json) -> float | None:
        """Return the duration of an answer, None if there was none."""
        async with semaphore:
            began = time.monotonic()
            try_ = await target.call(player, "act", question, token)
            duration = time.monotonic() - began
            return duration if try_.reply.depth is Depth.ANSWERED else None

    step = -(-len(questions) // _NEW_QUESTIONS) or 1
    calls: list[tuple[Json, bool]] = []  # a question, and whether it is new
    for start in range(0, len(questions), step):
        guesses = questions[start : start + step]
        calls.append(({**guesses[0], "requestId": f"mallory:{secrets.token_hex(4)}"}, True))
        calls += [(guess, False) for guess in guesses]
    durations = await asyncio.gather(*(seconds(question) for question, _ in calls))
    timed = [
        (question, is_new, duration)
        for (question, is_new), duration in zip(calls, durations, strict=True)
        if duration is not None
    ]
    thinking_time = min((duration for _, is_new, duration in timed if is_new), default=inf)
    return [
        question
        for question, is_new, duration in timed
        if not is_new and duration < thinking_time * _CACHED_RATIO
    ]
