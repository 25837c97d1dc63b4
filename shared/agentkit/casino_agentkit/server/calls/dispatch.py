"""Run the entrypoint of a typed call: count it, and turn every error into a `CallFailure`."""

import logging
from collections.abc import Awaitable, Callable

from casino_agentkit.errors import CommandRefused, InvalidInput
from casino_agentkit.metrics import CallMetrics, CallOutcome
from casino_agentkit.server.calls.failure import (
    CallFailure,
    failed_entrypoint,
    invalid_input,
    refused_command,
)

logger = logging.getLogger(__name__)


async def run(skill: str, answer: Awaitable[bytes], calls: CallMetrics) -> bytes:
    """Await the answer of an entrypoint, the JSON of its output, and return it.

    Raises only CallFailure, without internal details.
    """
    began_at = calls.clock()
    outcome: CallOutcome = "failed"
    try:
        output = await answer
        outcome = "ok"
    except Exception as error:
        outcome, failure = _failure(skill, error)
        raise failure from error
    else:
        return output
    finally:
        calls.count(skill, outcome, calls.clock() - began_at)


def compute(skill: str, answer: Callable[[], bytes], calls: CallMetrics) -> bytes:
    """Do as `run` with an entrypoint that answers at once."""
    began_at = calls.clock()
    outcome: CallOutcome = "ok"
    try:
        return answer()
    except Exception as error:
        outcome, failure = _failure(skill, error)
        raise failure from error
    finally:
        calls.count(skill, outcome, calls.clock() - began_at)


def _failure(skill: str, error: Exception) -> tuple[CallOutcome, CallFailure]:
    """Return how a call is counted, and what its caller reads, after an error."""
    if isinstance(error, InvalidInput):
        return "invalid", invalid_input(error.violations)
    if isinstance(error, CommandRefused):
        return "refused", refused_command(error)
    # An internal error: the details go to the log only.
    logger.error("the entrypoint %s failed", skill, exc_info=error)
    return "failed", failed_entrypoint()
