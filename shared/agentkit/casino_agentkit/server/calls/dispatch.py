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
        outcome = _outcome(error)
        # No variable may keep the failure, whose traceback keeps this frame, and so the input.
        raise _failure(skill, error) from error
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
        outcome = _outcome(error)
        raise _failure(skill, error) from error
    finally:
        calls.count(skill, outcome, calls.clock() - began_at)


def _outcome(error: Exception) -> CallOutcome:
    """Return how a call is counted after an error."""
    if isinstance(error, InvalidInput):
        return "invalid"
    return "refused" if isinstance(error, CommandRefused) else "failed"


def _failure(skill: str, error: Exception) -> CallFailure:
    """Return what the caller reads after an error."""
    if isinstance(error, InvalidInput):
        return invalid_input(error.violations)
    if isinstance(error, CommandRefused):
        return refused_command(error)
    # An internal error: the details go to the log only.
    logger.error("the entrypoint %s failed", skill, exc_info=error)
    return failed_entrypoint()
